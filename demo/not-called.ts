import type { Setup } from './campaign.ts'
import type { Import, Person } from './import/people.ts'
import type { Contact } from './report.ts'
import { bold, dim, wrapped } from './screen.ts'
import { grouped, plural, WAITING } from './words.ts'

interface Facts {
  book: Import
  ids: Map<Person, number>
  setup: Setup
  /** Those of the campaign whom nobody has called. */
  contacts: Contact[]
  called: number
}

/** Everybody of the file who was not called, by the reason. */
export function notCalled({ book, ids, setup, contacts, called }: Facts): string[] {
  const byId = new Map(contacts.map((contact) => [contact.client_id, contact]))
  const reasons = new Map<string, string[]>()
  for (const person of book.people) {
    const reason = reasonOf(person, byId.get(ids.get(person)!), setup)
    if (!reason) continue
    const { first_name, last_name, mobile } = person.client
    const number = reason.includes('dialled') && mobile ? `: “${mobile}”` : ''
    reasons.set(reason, [
      ...(reasons.get(reason) ?? []),
      `${first_name} ${last_name} (line\u00a0${person.line})${number}`,
    ])
  }
  const groups = [...reasons].sort((a, b) => b[1].length - a[1].length)
  const total = groups.reduce((sum, [, names]) => sum + names.length, 0)
  return [
    '',
    bold(`Not called: ${grouped(total)} of ${plural(book.people.length, 'contact')}`),
    dim(`${grouped(called)} called + ${grouped(total)} not called = ${grouped(called + total)}`),
    ...groups.flatMap(([reason, names]) => [
      '',
      `  ${grouped(names.length)}  ${reason}`,
      ...wrapped(names.join('; '), 92).map((line) => `      ${dim(line)}`),
    ]),
  ]
}

function reasonOf(person: Person, contact: Contact | undefined, { cases }: Setup): string | undefined {
  if (contact) {
    const final = contact.reasons.filter(({ rule }) => !WAITING.includes(rule))
    return final.map(({ message }) => message).join('; ') || 'their turn had not come when the last run ended'
  }
  if (person.cases.length === 0) return 'the export names no case for them'
  if (!person.cases.some((record) => cases.has(record)))
    return person.cases.every(({ matter }) => ['settled', 'closed'].includes(matter.status))
      ? 'their case is settled or closed'
      : 'their case could not be saved'
}
