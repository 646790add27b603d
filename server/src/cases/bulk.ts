import Type from 'typebox'
import { badRequest, type Detail } from '../core/errors.ts'
import { Fields } from '../core/fields.ts'
import { operation } from '../core/operation.ts'
import { checker, unstorableText } from '../core/validate.ts'
import { type Entry, readBatch, writeBatch } from './save.ts'
import { Case, type CaseInput, CreateCase, UpdateCase } from './schema.ts'

const creating = checker(CreateCase)
const replacing = checker(UpdateCase)

export const bulkUpsertCases = operation({
  rest: 'POST /v1/cases/bulk',
  tag: 'Cases',
  summary: 'Create and replace many cases',
  description:
    'An entry with `id` replaces that case exactly as PUT does, one without creates. All or nothing: the first error ' +
    'found is answered and nothing is saved. Two entries may exchange their numbers.',
  input: Fields({
    // Entries are checked one by one: the answer to a broken one begins with its place.
    cases: Type.Array(Type.Unsafe<unknown>({ anyOf: [{}, CreateCase, UpdateCase] }), {
      minItems: 1,
      maxItems: 5000,
      description: 'Case payloads, 5,000 at the most',
    }),
  }),
  entries: 'cases',
  output: Type.Object({ cases: Type.Array(Case, { description: 'The saved records, in input order' }) }),
  example: {
    cases: [
      {
        case_number: '2026-CV-00142',
        external_source: 'import',
        external_source_id: '7',
        status: 'active',
        type: 'civil',
      },
    ],
  },
  async run(ctx, { cases }) {
    const entries: Entry[] = []
    let malformed: Detail | undefined
    for (const value of cases) {
      malformed = brokenShape(value)
      if (malformed) break
      const { id } = value as { id?: number | null }
      entries.push({ id: id ?? null, input: value as CaseInput })
    }
    // An earlier entry may break a rule that only the database knows: that one is the first error.
    const batch = await readBatch(ctx, entries)
    const first = batch.broken.findIndex((details) => details.length > 0)
    if (first >= 0) refuseEntry(first, batch.broken[first]![0]!)
    if (malformed) refuseEntry(entries.length, malformed)
    return { cases: await writeBatch(ctx, batch) }
  },
})

function brokenShape(value: unknown): Detail | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { field: '', message: 'must be an object' }
  const { id } = value as { id?: unknown }
  const [unstorable] = unstorableText(value)
  return unstorable ?? (id == null ? creating : replacing).check(value)[0]
}

function refuseEntry(index: number, { field, message }: Detail): never {
  const entry = `cases[${index}]`
  badRequest(field ? `${entry}: ${field}: ${message}` : `${entry}: ${message}`, [
    { field: field ? `${entry}.${field}` : entry, message },
  ])
}
