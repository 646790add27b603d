import { type Api, Refused } from './api.ts'
import type { Case, Import, Person } from './import/people.ts'
import type { Matter } from './import/read-row.ts'
import type { Memory, Notebook } from './memory.ts'

/** The service takes 5,000 at once. */
const CHUNK = 1000

const NEEDED = ['case_number', 'external_source_id', 'type', 'status']

/**
 * Saves the cases and answers their ids. One error refuses a whole batch: the value is kept as text and the batch is
 * sent again without it; a case that can't do without it is left out.
 */
export async function saveCases(
  api: Api,
  book: Import,
  clientIds: Map<Person, number>,
  { memory: { refused }, save }: Notebook,
): Promise<Map<Case, number>> {
  const ids = new Map<Case, number>()
  const withPeople = book.cases.filter(({ people }) => people.length > 0)
  for (let at = 0; at < withPeople.length; at += CHUNK) {
    const chunk = withPeople.slice(at, at + CHUNK)
    const sent = () =>
      chunk.filter((record) => !Object.keys(of(record, refused)).some((field) => NEEDED.includes(field)))
    for (;;) {
      const batch = sent()
      const failed = batch.length > 0 && (await upsert(api, batch, clientIds, refused, ids))
      if (!failed) break
      const { matter } = batch[failed.index]!
      refused[matter.case_number] = { ...refused[matter.case_number], [failed.field]: failed.message }
      // Before the next try: a demo that is killed after it must not send this batch again.
      save()
    }
  }
  for (const record of withPeople)
    for (const [field, message] of Object.entries(of(record, refused))) {
      const kept = NEEDED.includes(field) ? 'the case is not saved' : 'it is kept as text'
      book.remarks.add(record.line, `case ${field.replaceAll('_', ' ')} ${message}; ${kept}`)
    }
  return ids
}

type RefusedFields = Memory['refused']

const of = ({ matter }: Case, refused: RefusedFields) => refused[matter.case_number] ?? {}

/** Answers what is wrong with the first broken case of the batch. */
async function upsert(
  api: Api,
  batch: Case[],
  clientIds: Map<Person, number>,
  refused: RefusedFields,
  ids: Map<Case, number>,
): Promise<{ index: number; field: string; message: string } | undefined> {
  const cases = batch.map((record) => ({
    ...fieldsOf(record.matter, of(record, refused)),
    external_source: 'csv',
    external_source_id: record.matter.case_number,
    client_ids: record.people.map((person) => clientIds.get(person)!),
  }))
  try {
    const answer = await api.post<{ cases: { id: number }[] }>('/v1/cases/bulk', { cases })
    for (const [index, record] of batch.entries()) ids.set(record, answer.cases[index]!.id)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const [detail] = error.details
    const [, index, field] = /^cases\[(\d+)\]\.(\w+)/.exec(detail?.field ?? '') ?? []
    if (!field) throw error
    return { index: Number(index), field, message: detail!.message }
  }
}

function fieldsOf(matter: Matter, refused: Record<string, string>): Partial<Matter> {
  const fields = { ...matter, external_source_data: { ...matter.external_source_data } }
  for (const field of Object.keys(refused) as (keyof Matter)[]) {
    const value = fields[field]
    if (typeof value !== 'string') continue
    fields.external_source_data[`${field} as exported`] = value
    delete fields[field as 'name']
  }
  return fields
}
