import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { canGoOn, forget, newMemory, openNotebook, recall } from './memory.ts'
import { Trouble } from './trouble.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'docketcall-memory-test-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const CONTENT = Buffer.from('First,Last\nAna,Lee\n')
const notes = path.join(folder, 'demo.json')

test('an interrupted demo is gone on with, with the same file and within a day', () => {
  const memory = newMemory(CONTENT, 6000)
  assert.ok(canGoOn(memory, CONTENT))
  assert.ok(!canGoOn(memory, Buffer.from('another file')))
  assert.ok(!canGoOn({ ...memory, over: true }, CONTENT))
  assert.ok(!canGoOn({ ...memory, begun_at: new Date(Date.now() - 86_400_000).toISOString() }, CONTENT))
})

test('what is noted is recalled; what is forgotten leaves nothing behind', () => {
  assert.equal(recall(folder), undefined)
  const { memory, dataDir, save } = openNotebook(folder, newMemory(CONTENT, 6000))
  memory.service = { pid: 1, url: 'http://127.0.0.1:1' }
  save()
  assert.deepEqual(recall(folder), memory)
  assert.ok(existsSync(dataDir))
  forget(folder, memory)
  assert.ok(!existsSync(dataDir))
})

test('a second demo beside one that runs is refused, one after a kill is not', () => {
  const memory = { ...JSON.parse(readFileSync(notes, 'utf8')), pid: process.ppid }
  writeFileSync(notes, JSON.stringify(memory))
  assert.throws(() => recall(folder), Trouble)
  // Another program may have the process number of a demo that was killed.
  utimesSync(notes, new Date(), new Date(Date.now() - 60_000))
  assert.ok(recall(folder))
})

test('notes that cannot be read are no notes', () => {
  writeFileSync(notes, '{"id":')
  assert.equal(recall(folder), undefined)
})
