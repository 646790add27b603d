import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const DEMO = fileURLToPath(new URL('demo.ts', import.meta.url))
const folder = mkdtempSync(path.join(tmpdir(), 'docketcall-demo-test-'))
after(() => rmSync(folder, { recursive: true, force: true }))

// The last digits of Washington's reserved numbers choose who picks up: one who agrees, one who wants no more calls.
const file = path.join(folder, 'firm.csv')
writeFileSync(
  file,
  `Client,Phone,Case Number,ZIP
"Núñez, José",202-555-0100,7,20009
Ana Lee,202-555-0106,8,20009
Ana Lee,(202) 555 0106,9,
Bo Lee,see file,8,20009
Cher,,,
`,
)

/** Runs the demo; `until` ends it by SIGINT as soon as that is said. */
async function demo(args: string[] = [], until?: RegExp): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [DEMO, '--folder', path.join(folder, 'data'), ...args, file], {
    env: { ...process.env, NO_COLOR: '1' },
  })
  let said = ''
  const hear = (data: Buffer) => {
    said += data
    if (until?.test(said)) child.kill('SIGINT')
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const [code] = await once(child, 'exit')
  return { code, said }
}

test('a file is imported, its people are called, and the account of both adds up; Ctrl-C loses nothing', async () => {
  const stopped = await demo([], /Campaign/)
  assert.equal(stopped.code, 130, stopped.said)
  assert.match(stopped.said, /Stopped\. The same command goes on from here\.\n$/)

  const { code, said } = await demo()
  assert.equal(code, 0, said)
  assert.match(said, /Going on with the demo that was interrupted/)
  assert.match(said, /5 {2}rows read\n +3 {2}imported as contacts {3}3 cases, 1 of them shared/)
  assert.match(
    said,
    /1 {2}merged .* 0 by id, 1 by name and number\n +1 {2}rejected\n +line 6: no last name beside “Cher”/,
  )
  assert.match(said, /3 \+ 1 \+ 1 = 5/)
  assert.match(said, /Contacts called +2 of 3\n/)
  assert.match(said, /Call to José Núñez: agreed to the next step\n/)
  assert.match(said, /Call to Ana Lee: asked not to be called again\n/)
  assert.match(said, /1 {2}the mobile number is none that could be dialled\n +Bo Lee \(line\s5\): “see file”/)
  assert.match(said, /2 called \+ 1 not called = 3/)
})
