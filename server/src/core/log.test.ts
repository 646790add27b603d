import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { boundedFile, shownError } from './log.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'docketcall-log-'))
after(() => rmSync(folder, { recursive: true }))

test('the log never takes more than twice its limit, and the newest lines are kept', () => {
  const file = path.join(folder, 'bounded.log')
  const log = boundedFile(file, 1000)
  for (let line = 0; line < 1000; line++) log.write(`${line}\n`)
  assert.deepEqual(readdirSync(folder), ['bounded.log', 'bounded.log.1'])
  for (const name of readdirSync(folder)) assert.ok(statSync(path.join(folder, name)).size < 1010)
  assert.ok(readFileSync(file, 'utf8').endsWith('998\n999\n'))
})

test('of two processes with the same log neither throws the lines of the other away', () => {
  const file = path.join(folder, 'shared.log')
  const [one, two] = [boundedFile(file, 100), boundedFile(file, 100)]
  for (let line = 0; line < 40; line++) {
    one.write(`one ${line}\n`)
    two.write(`two ${line}\n`)
  }
  const kept = readFileSync(`${file}.1`, 'utf8') + readFileSync(file, 'utf8')
  assert.ok(kept.endsWith('one 38\ntwo 38\none 39\ntwo 39\n'), kept)
})

test('of an error the log shows what it says and its codes, not what was sent or to whom', () => {
  const error = Object.assign(new Error('550 <maria@client.example> and +12125550123 are unknown'), {
    code: 'EENVELOPE',
    statusCode: 550,
    requestBodyValues: { messages: ['You are on the phone with María'] },
    config: { auth: { password: 'secret' } },
  })
  const wrapped = new Error('not sent', { cause: error })
  const shown = JSON.stringify(shownError(wrapped))
  for (const kept of ['not sent', '550 <…> and … are unknown', '"code":"EENVELOPE"', '"statusCode":550'])
    assert.ok(shown.includes(kept), `${kept} in ${shown}`)
  for (const hidden of ['maria@', '+1212', 'María', 'secret']) assert.ok(!shown.includes(hidden), hidden)
})
