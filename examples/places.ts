/** Where the firm's clients live: real cities with a ZIP code and the area codes of the place. */
export interface Place {
  city: string
  state: string
  zip: string
  area_codes: number[]
  court: string
  /** How many of the people live there, against the other places. */
  weight: number
}

const place = (
  weight: number,
  city: string,
  state: string,
  zip: string,
  area_codes: number[],
  court: string,
): Place => ({
  city,
  state,
  zip,
  area_codes,
  court,
  weight,
})

export const PLACES: Place[] = [
  place(34, 'New York', 'NY', '10025', [212, 917], 'New York County Supreme Court'),
  place(26, 'Brooklyn', 'NY', '11215', [718, 347], 'Kings County Supreme Court'),
  place(9, 'Buffalo', 'NY', '14209', [716], 'Erie County Supreme Court'),
  place(8, 'Rochester', 'NY', '14607', [585], 'Monroe County Supreme Court'),
  place(15, 'Newark', 'NJ', '07104', [973], 'Essex County Superior Court'),
  place(12, 'Jersey City', 'NJ', '07302', [201], 'Hudson County Superior Court'),
  place(18, 'Philadelphia', 'PA', '19147', [215], 'Philadelphia Court of Common Pleas'),
  place(10, 'Pittsburgh', 'PA', '15206', [412], 'Allegheny County Court of Common Pleas'),
  place(8, 'Hartford', 'CT', '06106', [860], 'Hartford Superior Court'),
  place(13, 'Boston', 'MA', '02130', [617], 'Suffolk County Superior Court'),
  place(6, 'Worcester', 'MA', '01604', [508], 'Worcester County Superior Court'),
  place(9, 'Baltimore', 'MD', '21218', [410], 'Circuit Court for Baltimore City'),
  place(7, 'Richmond', 'VA', '23220', [804], 'Richmond Circuit Court'),
  place(10, 'Charlotte', 'NC', '28205', [704], 'Mecklenburg County Superior Court'),
  place(6, 'Raleigh', 'NC', '27607', [919], 'Wake County Superior Court'),
  place(15, 'Atlanta', 'GA', '30312', [404], 'Fulton County Superior Court'),
  place(14, 'Miami', 'FL', '33135', [305], 'Miami-Dade County Circuit Court'),
  place(9, 'Orlando', 'FL', '32803', [407], 'Orange County Circuit Court'),
  place(5, 'Pensacola', 'FL', '32503', [850], 'Escambia County Circuit Court'),
  place(10, 'Columbus', 'OH', '43206', [614], 'Franklin County Court of Common Pleas'),
  place(8, 'Cleveland', 'OH', '44113', [216], 'Cuyahoga County Court of Common Pleas'),
  place(10, 'Detroit', 'MI', '48201', [313], 'Wayne County Circuit Court'),
  place(6, 'Indianapolis', 'IN', '46220', [317], 'Marion County Superior Court'),
  place(4, 'Gary', 'IN', '46402', [219], 'Lake County Superior Court'),
  place(5, 'Louisville', 'KY', '40204', [502], 'Jefferson County Circuit Court'),
  place(3, 'Bowling Green', 'KY', '42101', [270], 'Warren County Circuit Court'),
  place(8, 'Nashville', 'TN', '37206', [615], 'Davidson County Circuit Court'),
  place(5, 'Knoxville', 'TN', '37919', [865], 'Knox County Circuit Court'),
  place(24, 'Chicago', 'IL', '60625', [773, 312], 'Circuit Court of Cook County'),
  place(9, 'Milwaukee', 'WI', '53207', [414], 'Milwaukee County Circuit Court'),
  place(8, 'Minneapolis', 'MN', '55408', [612], 'Hennepin County District Court'),
  place(8, 'St. Louis', 'MO', '63110', [314], 'St. Louis City Circuit Court'),
  place(8, 'New Orleans', 'LA', '70119', [504], 'Orleans Parish Civil District Court'),
  place(19, 'Houston', 'TX', '77006', [713], 'Harris County District Court'),
  place(14, 'Dallas', 'TX', '75206', [214], 'Dallas County District Court'),
  place(6, 'El Paso', 'TX', '79912', [915], 'El Paso County District Court'),
  place(6, 'Omaha', 'NE', '68104', [402], 'Douglas County District Court'),
  place(2, 'Rapid City', 'SD', '57701', [605], 'Pennington County Circuit Court'),
  place(10, 'Denver', 'CO', '80209', [303], 'Denver District Court'),
  place(11, 'Phoenix', 'AZ', '85016', [602], 'Maricopa County Superior Court'),
  place(5, 'Albuquerque', 'NM', '87106', [505], 'Second Judicial District Court'),
  place(5, 'Salt Lake City', 'UT', '84105', [801], 'Third District Court'),
  place(4, 'Boise', 'ID', '83706', [208], 'Ada County District Court'),
  place(8, 'Las Vegas', 'NV', '89104', [702], 'Clark County District Court'),
  place(24, 'Los Angeles', 'CA', '90026', [213, 323], 'Los Angeles County Superior Court'),
  place(11, 'San Diego', 'CA', '92104', [619], 'San Diego County Superior Court'),
  place(9, 'Oakland', 'CA', '94609', [510], 'Alameda County Superior Court'),
  place(8, 'Portland', 'OR', '97214', [503], 'Multnomah County Circuit Court'),
  place(10, 'Seattle', 'WA', '98103', [206], 'King County Superior Court'),
  place(2, 'Anchorage', 'AK', '99504', [907], 'Anchorage Superior Court'),
  place(2, 'Honolulu', 'HI', '96816', [808], 'Circuit Court of the First Circuit'),
  place(3, 'San Juan', 'PR', '00918', [787], 'Court of First Instance, San Juan'),
]
