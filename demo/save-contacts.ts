import type { Api } from './api.ts'
import type { Import, Person } from './import/people.ts'

/** The service takes 5,000 at once. */
const CHUNK = 1000

const NEEDED = ['external_source', 'external_source_id', 'first_name', 'last_name']

interface Failed {
  index: number
  message: string
  details: { field: string; message: string }[]
}

/**
 * Saves the contacts and answers their ids. A value that the service does not take is kept as text beside the contact;
 * who can't be saved even so is rejected.
 */
export async function saveContacts(api: Api, book: Import): Promise<Map<Person, number>> {
  const ids = new Map<Person, number>()
  for (let at = 0; at < book.people.length; at += CHUNK) {
    const broken = await upsert(api, book.people.slice(at, at + CHUNK), ids)
    for (const { person, details } of broken) setAside(person, details, book)
    const again = broken.map(({ person }) => person)
    for (const { person, message } of await upsert(api, again, ids)) reject(person, message, book)
  }
  book.people = book.people.filter((person) => ids.has(person))
  return ids
}

async function upsert(api: Api, people: Person[], ids: Map<Person, number>): Promise<(Failed & { person: Person })[]> {
  if (people.length === 0) return []
  const clients = people.map(({ client }) => ({ external_source: 'csv', ...client }))
  const answer = await api.post<{ successful_ids: number[]; failed: Failed[] }>('/v1/clients/bulk', { clients })
  const failed = new Set(answer.failed.map(({ index }) => index))
  const saved = people.filter((_, index) => !failed.has(index))
  for (const [index, person] of saved.entries()) ids.set(person, answer.successful_ids[index]!)
  return answer.failed.map((each) => ({ ...each, person: people[each.index]! }))
}

function setAside({ line, client }: Person, details: Failed['details'], { remarks }: Import): void {
  for (const { field, message } of details) {
    const value = client[field as keyof typeof client]
    if (typeof value !== 'string' || NEEDED.includes(field)) continue
    client.meta[`${field} as exported`] = value
    delete client[field as 'email']
    remarks.add(line, `${field.replaceAll('_', ' ')} ${message}; it is kept as text`)
  }
}

/** With all their rows, so that the account still adds up. */
function reject(person: Person, reason: string, book: Import): void {
  const belongs = (row: { into: number }) => row.into === person.line
  book.rejected.push({ line: person.line, reason })
  for (const { line } of book.merged.filter(belongs))
    book.rejected.push({ line, reason: `it belongs to line ${person.line}` })
  book.merged = book.merged.filter((row) => !belongs(row))
  book.rejected.sort((a, b) => a.line - b.line)
  for (const record of person.cases) record.people = record.people.filter((each) => each !== person)
}
