import Type from 'typebox'
import { readEntries, refuseFirst } from '../core/entries.ts'
import { Fields } from '../core/fields.ts'
import { operation } from '../core/operation.ts'
import { checker } from '../core/validate.ts'
import { type Entry, readBatch, writeBatch } from './save.ts'
import { Case, CreateCase, UpdateCase } from './schema.ts'

const creating = checker(CreateCase)
const changing = checker(UpdateCase)

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
    const { entries, malformed } = readEntries(cases, { creating, changing })
    const batch = await readBatch(ctx, entries as Entry[])
    refuseFirst('cases', batch.broken, malformed)
    return { cases: await writeBatch(ctx, batch) }
  },
})
