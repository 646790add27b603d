import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { clockAt, eventually, startTestEngine } from '../../test/support/engine.ts'
import { seedCampaign } from '../../test/support/seed.ts'
import { setCampaignsEnabled } from '../companies/setup.ts'
import { COMMAND_LINE } from '../core/actors.ts'

const api = await startApi()
const { pool } = api
/** Grows with every call that is begun. */
const newest = async () => (await pool.one<{ id: number }>(sql`select coalesce(max(id), 0) as id from calls`)).id
const turn = (on: boolean) => pool.transaction((db) => setCampaignsEnabled(db, COMMAND_LINE, on))

test('with campaigns off no call begins from the answer on, and nobody has to wait when they are on again', async () => {
  await seedCampaign(pool, { contacts: 2000 })
  await startTestEngine(api, clockAt('2026-03-02T15:00:00Z', 100), { maxConcurrentCalls: 5 })
  await eventually(async () => (await newest()) > 20)
  await turn(false)
  const before = await newest()
  await pause(1500)
  assert.ok((await newest()) <= before)
  const { put_off } = await pool.one<{ put_off: number }>(sql`
    select count(*)::int as put_off from campaign_contacts where state = 'due' and attempts = 0 and due_at > now()`)
  assert.equal(put_off, 0)
  await turn(true)
  await eventually(async () => (await newest()) > before + 20, 5)
})
