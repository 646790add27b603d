import assert from 'node:assert/strict'
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { openServerLog } from './server-log.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'docketcall-log-'))
after(() => rm(folder, { recursive: true }))

test('the last line is one of this run, also when it wrote none', async () => {
  const file = path.join(folder, 'short.log')
  await writeFile(file, 'FATAL of yesterday\n')
  const log = await openServerLog(file)
  assert.equal(await log.lastLine(), '')
  await appendFile(file, `LOG one\n${'x'.repeat(20_000)}\nFATAL of today\n`)
  assert.equal(await log.lastLine(), 'FATAL of today')
  await log.close()
})

test('a log over 10 MB is set aside, once, and begun anew', async () => {
  const file = path.join(folder, 'long.log')
  await writeFile(file, 'x'.repeat(10 * 1024 * 1024))
  const log = await openServerLog(file)
  assert.equal((await stat(file)).size, 0)
  assert.equal((await stat(`${file}.1`)).size, 10 * 1024 * 1024)
  await appendFile(file, 'FATAL since\n')
  assert.equal(await readFile(file, 'utf8'), 'FATAL since\n')
  assert.equal(await log.lastLine(), 'FATAL since')
  await log.close()
})
