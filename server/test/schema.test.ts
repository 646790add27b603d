import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { cloneDatabase } from './support/database.ts'
import { describeSchema, SCHEMA_FILE } from './support/schema.ts'

test('server/schema.sql is what the migrations make (npm run schema writes it)', async () => {
  assert.equal(await readFile(SCHEMA_FILE, 'utf8'), await describeSchema(await cloneDatabase()))
})
