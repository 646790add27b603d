/** Another company's record is exactly as missing as one that never was, in every place of every request. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql, { raw } from 'sql-template-tag'
import { operations } from '../src/operations.ts'
import { type Company, startApi } from './support/api.ts'
import { examples } from './support/examples.ts'
import { type Kind, type RecordId, type Role, World } from './support/world.ts'

const api = await startApi()

// Ids that are found in an answer can then be nothing else.
for (const table of ['clients', 'cases', 'case_lists', 'campaigns', 'case_types', 'case_statuses'])
  await api.pool.many(sql`select setval(pg_get_serial_sequence(${table}, 'id'), 70000000)`)

const firm = await api.company('Ours')
const other = await api.company('Theirs')

const MISSING: RecordId = 90_000_001
const missing = (kind: Kind): RecordId => (kind === 'agent' ? 'agent_00000000000000000000000000' : MISSING)

const TABLES = ['clients', 'cases', 'case_clients', 'case_lists', 'case_list_overrides', 'agents', 'campaigns']
const MORE = ['campaign_contacts', 'messages', 'audit_log', 'case_changes', 'case_list_count_deltas', 'crm_mappings']

/** Everything that the company has, as one text. */
async function everything({ id }: Company): Promise<string> {
  const rows = await Promise.all(
    [...TABLES, ...MORE].map((table) =>
      api.pool.many<{ row: string }>(
        sql`select t::text as row from ${raw(table)} t where company_id = ${id} order by t::text`,
      ),
    ),
  )
  return JSON.stringify(rows)
}

const STATUS: Record<Role, number> = { subject: 404, inside: 400, ignored: 200 }

for (const op of operations) {
  const route = `${op.method} ${op.path}`
  const example = examples[route]!

  test(`${route}: another company's ids are as missing as none, and nothing of it is touched`, async () => {
    const world = new World(api, firm)
    await example(world)
    for (const [at, { kind, role }] of world.named.entries()) {
      const theirs = await new World(api, other).record(kind)
      const before = await everything(other)
      const answers = []
      for (const by of [theirs, missing(kind)]) {
        const { path, body } = await example(new World(api, firm, { at, by }))
        const answer = await firm.call(`${op.method} ${path}`, body)
        const expected = role === 'ignored' ? op.status : STATUS[role]
        assert.equal(answer.status, expected, `${kind} ${by}: ${JSON.stringify(answer.body)}`)
        answers.push(
          answer.status < 300 ? [] : JSON.stringify({ ...answer.body, request_id: null }).replaceAll(String(by), '?'),
        )
      }
      assert.deepEqual(answers[0], answers[1])
      assert.equal(await everything(other), before, `${kind}, named ${role}`)
    }
  })
}

test('what a company lists is its own', async () => {
  const world = new World(api, other)
  await world.campaign()
  await other.ok('POST /v1/crm_mappings/fields', { mappings: [{ kayse_field: 'a', crm_field: 'b' }] })
  const third = await api.company('Third')
  assert.deepEqual(await third.ok('GET /v1/campaigns'), [])
  assert.deepEqual(await third.ok('GET /v1/case_lists'), { data: [], page: 1, total: 0 })
  assert.deepEqual(await third.ok('GET /v1/crm_mappings/fields'), { mappings: [] })
})
