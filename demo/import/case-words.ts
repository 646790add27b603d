/**
 * REST takes only types and statuses that are configured, and a fresh company has these. A firm's own words are read as
 * the nearest of them; the word itself is kept with the case.
 */
const TYPES: [string, RegExp][] = [
  ['criminal', /crimin|dui|dwi|felony|misdemeano|assault charge|expung/i],
  ['immigration', /immigra|visa|asylum|deport|naturali|green card|daca/i],
  ['family', /famil|divorc|custody|marriage|child support|adopt|domestic/i],
  ['employment', /employ|labor|labour|wage|overtime|discriminat|wrongful termination|harass/i],
  ['estate', /estate|probate|trust|will\b|guardian|elder/i],
  [
    'personal injury',
    /personal injur|^pi$|\bpi\b|injur|accident|auto\b|vehicle|\bmva\b|slip|fall|malpractice|wrongful death|premises|dog bite|mass tort|product liab|workers.? comp/i,
  ],
  ['civil', /civil|contract|business|commercial|consumer|litigation|landlord|real estate|collection|general/i],
]

const STATUSES: [string, RegExp][] = [
  ['closed', /clos|dismiss|withdr|declin|reject|archiv|inactive|resolved|complete/i],
  ['settled', /settle|paid|disburs/i],
  ['new', /^new|intake|lead|prospect|potential/i],
  ['pending', /pend|await|wait|hold|review|sign/i],
  ['active', /active|litigat|discovery|trial|treat|negotiat|demand|mediat|suit|in progress/i],
  ['open', /open|current|pre/i],
]

/** The configured type that a firm's word stands for; null where it says nothing. */
export const typeOf = (word: string) => wordFor(TYPES, word)

export const statusOf = (word: string) => wordFor(STATUSES, word)

/** For a case without a word, or with one that says nothing. */
export const ANY_TYPE = 'civil'
export const ANY_STATUS = 'open'

/** Nobody is called about these. */
export const OVER = ['settled', 'closed']

function wordFor(words: [string, RegExp][], said: string): string | null {
  const exact = words.find(([word]) => word === said.toLowerCase())
  return (exact ?? words.find(([, pattern]) => pattern.test(said)))?.[0] ?? null
}
