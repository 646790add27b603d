import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { insertCompany, insertKey } from '../../src/companies/queries.ts'
import { pause } from '../../src/core/clock.ts'
import { openPool } from '../../src/core/db.ts'
import { insertWebhook } from '../../src/webhooks/queries.ts'
import { newSecret } from '../../src/webhooks/signing.ts'
import { cloneDatabase } from '../support/database.ts'
import { eventually } from '../support/engine.ts'
import { casePayload, clientPayload } from '../support/payloads.ts'
import { startReceiver } from '../support/receiver.ts'

const CHANGES = 20_000
const KILLS = 5
const BATCH = 40

const database = await cloneDatabase()
const pool = openPool({ ...database, max: 4 })
let service: ChildProcess | undefined
let address = ''
after(async () => {
  service?.kill('SIGKILL')
  await pool.end()
})

async function startService(): Promise<void> {
  service = fork(new URL('../support/service-process.ts', import.meta.url), {
    env: { ...process.env, DATABASE_URL: database.connectionString },
    execArgv: [],
  })
  const [port] = await once(service, 'message')
  address = `http://127.0.0.1:${port}`
}

async function killService(): Promise<void> {
  const dead = once(service!, 'exit')
  service!.kill('SIGKILL')
  await dead
}

test('killed five times during 20,000 changes: every committed change arrives, nothing else does, and ids are stable', async (t) => {
  const companyId = await pool.transaction((db) => insertCompany(db, 'Firm'))
  const scope = { db: pool, companyId }
  const { api_key } = await insertKey(scope, 'test')
  const receiver = await startReceiver()
  const seen = new Set<string>()
  // One delivery in a hundred fails at first.
  receiver.answer = ({ headers }, response) => {
    const id = headers['webhook-id']!
    const refused = !seen.has(id) && seen.size % 100 === 0
    seen.add(id)
    response.writeHead(refused ? 500 : 204).end()
  }
  const hook = {
    name: 'All',
    url: receiver.url,
    enabled: true,
    event_types: [],
    case_type_ids: [],
    campaign_ids: [],
    api_key_id: null,
  }
  await insertWebhook(scope, hook, newSecret())

  /** The status; undefined when the process died before it answered. */
  const send = (path: string, body: object) =>
    fetch(`${address}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': api_key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then(
      async (response) => {
        await response.arrayBuffer()
        return response.status
      },
      () => undefined,
    )

  await startService()
  let saved = 0
  let refused = 0
  const work = async () => {
    while (saved < CHANGES) {
      const status = await send('/v1/clients/bulk', { clients: Array.from({ length: BATCH }, () => clientPayload()) })
      if (status === 200) saved += BATCH
      else await pause(50)
      // All or nothing: the last one has a type that does not exist.
      const cases = [...Array.from({ length: 5 }, () => casePayload()), casePayload({ type: 'no such type' })]
      if ((await send('/v1/cases/bulk', { cases })) === 400) refused++
    }
  }
  const working = Promise.all([work(), work(), work()])
  for (let kills = 1; kills <= KILLS; kills++) {
    await eventually(async () => saved > (CHANGES / (KILLS + 1)) * kills, 120)
    await killService()
    await startService()
  }
  await working
  await eventually(async () => {
    const { n } = await pool.one<{ n: number }>(sql`select count(*)::int as n from webhook_deliveries`)
    return n === 0
  }, 60)

  const clients = await pool.many<{ id: number }>(sql`select id from clients`)
  const idsOf = new Map<string, Set<string>>()
  for (const { headers, event } of receiver.received) {
    assert.equal(event.type, 'client_created')
    const ids = idsOf.get(event.event_key) ?? new Set()
    idsOf.set(event.event_key, ids.add(headers['webhook-id']!))
  }
  const repeated = receiver.received.length - idsOf.size
  t.diagnostic(
    `${clients.length} changes, ${receiver.received.length} deliveries, ${repeated} repeated, ${refused} refused`,
  )
  assert.ok(clients.length >= CHANGES)
  assert.ok(refused > 0)
  assert.deepEqual(
    clients.filter(({ id }) => !idsOf.has(`client:${id}`)),
    [],
    'every change that was committed arrived',
  )
  assert.equal(idsOf.size, clients.length, 'nothing arrived of what was not')
  assert.ok(
    [...idsOf.values()].every((ids) => ids.size === 1),
    'the webhook-id stays the same over the attempts',
  )
})
