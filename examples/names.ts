/** Made-up people: first names and last names are drawn independently of each other. */

const words = (text: string) => text.trim().split(/\s+/)

export const WOMEN = words(`
  Maria Denise Angela Tanya Patricia Latoya Mei Priya Fatima Hannah Zoë Renée Chloé Siobhán Anaïs Noémi Łucja Ingrid Yesenia
  Guadalupe Rosalind Bernadette Carmen Dolores Esther Francine Gloria Imani Jolene Keisha Lorraine Monique Nadia Odette
  Paulette Rhonda Simone Thérèse Ursula Vanessa Wilhelmina Xochitl Yolanda Zainab Beatriz Inés Mónica Sofía Lucía Aaliyah
  Birgit Consuelo Deborah Eun-ji Farah Greta Huong Irina Jasmine Katarzyna Leilani Marguerite Nkechi Olena Perla Samira
`)

export const MEN = words(`
  José Andre Brian Carlos Darnell Edgar François Gustavo Håkon Ibrahim Jamal Kenneth Leroy Miguel Nathaniel Oscar Pedro
  Quentin Rafael Stanley Terrence Ulises Victor Wendell Xavier Yusuf Zachary Andrés Björn César Désiré Émile Günther Joaquín
  Łukasz Martín Óscar Raúl Søren Tomás Alejandro Bogdan Chidi Dmitri Earl Farid Giovanni Hyun-woo Isaac Jerome Kwame Lamar
  Mateusz Ngozi Omar Petros Rashid Sanjay Tran Vikram Wei Abdul Clarence Desmond Ernesto Floyd
`)

export const FAMILIES = words(`
  Okafor Delgado Whitfield Nguyen Kowalczyk Abernathy Muñoz Peña Núñez Gonçalves O'Brien D'Angelo Smith-Rivera Lindqvist
  Castellanos Washington Begum Petrov Haddad Ferreira Jørgensen Müller Özdemir Šimić Dvořák Fitzgerald Thibodeaux Yamamoto
  Choi Villanueva Barrientos Mbeki Stojanović Prud'homme Lefèvre García Hernández Martínez Rodríguez López Johnson Williams
  Brown Jones Davis Miller Wilson Moore Taylor Anderson Thomas Jackson Harris Thompson Robinson Lewis Walker Hall Allen Young
  King Wright Scott Green Baker Adams Nelson Carter Mitchell Roberts Turner Phillips Campbell Parker Evans Edwards Collins
  Stewart Morris Rogers Reed Cook Morgan Bell Murphy Bailey Cooper Richardson Cox Howard Ward Peterson Gray Ramirez James
  Watson Brooks Kelly Sanders Price Bennett Wood Barnes Ross Henderson Coleman Jenkins Perry Powell Long Patterson Hughes
  Flores Washburn Butler Simmons Foster Bryant Alexander Russell Griffin Diaz Hayes Ortiz Vasquez Rahman Iyer Kaur Osei
`)

export const STREETS = words(`
  Maple Oak Cedar Elm Walnut Chestnut Willow Birch Sycamore Magnolia Juniper Hawthorn Laurel Poplar Linden Dogwood Highland
  Prospect Franklin Lincoln Jefferson Madison Monroe Garfield Church Mill Spring River Lake Hill Park Union Liberty
`)

export const ATTORNEYS = ['R. Hartwell', 'A. Osei', 'L. Brandvold', 'M. Quintana', 'S. Achterberg']

/** Made-up companies on the other side. */
export const OPPONENTS = [
  'Redline Freight Lines',
  'Brightwater Home Stores',
  'Quarry Ridge Apartments',
  'Northgate Logistics',
  'Sunfield Packaging',
  'Halberd Insurance Group',
  'Copperline Foods',
  'Tidewater Rideshare',
  'Gramercy Medical Supply',
  'Bellweather Roofing',
]
