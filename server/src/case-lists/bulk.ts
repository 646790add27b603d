import Type from 'typebox'
import { readEntries, refuseFirst } from '../core/entries.ts'
import { Choice, Fields, Id } from '../core/fields.ts'
import { operation } from '../core/operation.ts'
import { checker } from '../core/validate.ts'
import { type Entry, readBatch, writeBatch } from './save.ts'
import { CreateCaseList, PatchCaseList } from './schema.ts'

const creating = checker(CreateCaseList)
const changing = checker(PatchCaseList)

export const bulkUpsertCaseLists = operation({
  rest: 'POST /v1/case_lists/bulk',
  tag: 'Case lists',
  summary: 'Create and update many case lists',
  description:
    'An entry with `id` changes the given fields of that list and applies its filter, the given or the stored one, as a ' +
    'set action: the members are replaced by what the filter matches, plus `include_ids`, less `exclude_ids` of the ' +
    'entry; cases attached or detached before are forgotten. A list without a filter keeps its cases unless the entry ' +
    'names others. All or nothing: the first error found is answered and nothing is saved.',
  input: Fields({
    // Entries are checked one by one: the answer to a broken one begins with its place.
    lists: Type.Array(Type.Unsafe<unknown>({ anyOf: [{}, CreateCaseList, PatchCaseList] }), {
      minItems: 1,
      maxItems: 5000,
      description: 'Case list definitions, 5,000 at the most',
    }),
  }),
  entries: 'lists',
  output: Type.Object({
    results: Type.Array(
      Type.Object({ id: Id('Case list id'), action: Choice(['created', 'updated'], 'What became of the entry') }),
      { description: 'One for each entry, in input order' },
    ),
  }),
  example: {
    lists: [
      { name: 'Open family cases', filter: { case_type_ids: [3] } },
      { id: 17, name: 'Settled' },
    ],
  },
  async run(ctx, { lists }) {
    const { entries, malformed } = readEntries(lists, { creating, changing })
    const batch = await readBatch(ctx, entries as Entry[])
    refuseFirst('lists', batch.broken, malformed)
    const ids = await writeBatch(ctx, batch)
    return {
      results: ids.map((id, index) => ({
        id,
        action: entries[index]!.id === null ? ('created' as const) : ('updated' as const),
      })),
    }
  },
})
