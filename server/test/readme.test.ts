import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { shippedRules } from '../src/compliance/law.ts'
import { SETTINGS, settingsTable } from '../src/core/config.ts'
import { cloneDatabase } from './support/database.ts'
import { eventually } from './support/engine.ts'
import { keyIn, newDataDir, startService } from './support/service.ts'

const readme = await readFile(path.resolve(import.meta.dirname, '../../README.md'), 'utf8')

test('the README lists every setting with its default', () => {
  assert.ok(readme.includes(settingsTable()), `paste this into the README:\n\n${settingsTable()}`)
})

test('of every setting for real calls, texts and mail the README says what it costs when it is missing', () => {
  const real = Object.keys(SETTINGS).filter((name) =>
    /^(TWILIO|TELNYX|VAPI|RETELL|SMTP|LANGUAGE_MODEL|RECORD|VOICE|PUBLIC|MAX_CONCURRENT)/.test(name),
  )
  const told = [...readme.matchAll(/^\| Missing \| What it costs \|\n\|---\|---\|\n((?:\|.*\n)+)/gm)]
    .flatMap(([, rows]) => rows!.split('\n'))
    .map((row) => row.split('|')[1] ?? '')
    .join()
  assert.ok(real.length > 15)
  for (const name of real) assert.ok(told.includes(`\`${name}\``), name)
})

const today = Math.floor(Date.now() / 86_400_000)
const quiet = shippedRules.lawFor(['US'], 'call', 'case_update').slotsOn(today).length === 0
const skip = quiet && 'nobody is called on this holiday'

test('the five steps of the README, pasted into a shell, end in a call', { skip }, async () => {
  // Twenty seconds in one, so that the conversation doesn't take a minute.
  const { connectionString: DATABASE_URL } = await cloneDatabase()
  const service = startService({ DATABASE_URL, DATA_DIR: await newDataDir(), SANDBOX_SPEED: '20' })
  const URL = await service.ready
  const KEY = keyIn(service.stdout())!
  const steps = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)]
    .map((match) => match[1]!)
    .find((text) => text.includes('# 1.'))!
  const env = { ...process.env, URL, KEY }
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', `${steps}\necho; echo $CAMPAIGN`], {
    env,
  })
  const campaign = Number(stdout.trim().split('\n').at(-1))

  await eventually(async () => {
    const answer = await fetch(`${URL}/v1/campaigns`, { headers: { 'x-api-key': KEY } })
    const [found] = (await answer.json()) as { id: number; stats: Record<string, number> }[]
    assert.equal(found!.id, campaign)
    return found!.stats.total_calls === 1 && found!.stats.success_calls === 1
  }, 60)
  service.child.kill('SIGTERM')
  assert.equal(await service.ended, 0)
})
