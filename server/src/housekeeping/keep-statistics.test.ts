import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { clientPayload } from '../../test/support/payloads.ts'
import type { Engine } from '../engine/job.ts'
import { keepStatistics } from './keep-statistics.ts'

const api = await startApi()
const firm = await api.company()
const look = () => keepStatistics.pass({ pool: api.pool, signal: new AbortController().signal } as Engine)
const estimate = async () =>
  (await api.pool.one<{ reltuples: number }>(sql`select reltuples from pg_class where relname = 'clients'`)).reltuples
const insert = (count: number) =>
  firm.ok('POST /v1/clients/bulk', { clients: Array.from({ length: count }, () => clientPayload()) })

test('the first rows of a table and a manifold growth are looked at once, small changes are not', async () => {
  await insert(300)
  await look()
  assert.equal(await estimate(), 300)
  await insert(10)
  await look()
  assert.equal(await estimate(), 300)
  await insert(3000)
  await look()
  assert.equal(await estimate(), 3310)
})
