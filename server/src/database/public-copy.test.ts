import assert from 'node:assert/strict'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { publicCopies } from './public-copy.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'docketcall-copy-'))
after(() => rm(folder, { recursive: true }))
const source = path.join(folder, 'package/native')
await mkdir(path.join(source, 'bin'), { recursive: true, mode: 0o700 })
await writeFile(path.join(folder, 'package/package.json'), '{"version": "1"}')
await writeFile(path.join(source, 'bin/postgres'), 'program', { mode: 0o700 })
await symlink('postgres', path.join(source, 'bin/postmaster'))

async function copies(...parents: string[]): Promise<string[]> {
  const found: string[] = []
  for await (const copy of publicCopies(source, parents)) found.push(copy)
  return found
}

async function parent(): Promise<string> {
  return await mkdtemp(path.join(folder, 'parent-'))
}

/** Only root needs copies, and only its own are trusted. */
const options = { skip: process.getuid?.() !== 0 }

test('a copy can be read and run by everybody and written by root alone', options, async () => {
  const [copy] = await copies(await parent())
  assert.equal(await readFile(path.join(copy!, 'bin/postmaster'), 'utf8'), 'program')
  for (const name of ['.', 'bin', 'bin/postgres']) {
    const { uid, mode } = await stat(path.join(copy!, name))
    assert.deepEqual([uid, mode & 0o777], [0, 0o755])
  }
})

test('processes that copy at once end with one copy and no rests', options, async () => {
  const place = await parent()
  const all = await Promise.all([copies(place), copies(place), copies(place)])
  assert.equal(new Set(all.flat()).size, 1)
  assert.equal((await readdir(place)).length, 1)
})

for (const [what, spoil] of Object.entries({
  'that lacks a file': (copy: string) => rm(path.join(copy, 'bin/postgres')),
  'that others can write to': (copy: string) => chmod(copy, 0o777),
  'that belongs to somebody else': (copy: string) => chown(copy, 65534, 65534),
}))
  test(`a copy ${what} is replaced`, options, async () => {
    const place = await parent()
    const [copy] = await copies(place)
    await spoil(copy!)
    assert.deepEqual(await copies(place), [copy])
    assert.equal(await readFile(path.join(copy!, 'bin/postgres'), 'utf8'), 'program')
    assert.deepEqual([(await stat(copy!)).uid, (await stat(copy!)).mode & 0o022], [0, 0])
  })

test('where no copy can be made the next place is taken', options, async () => {
  const place = await parent()
  const found = await copies(path.join(folder, 'missing'), place)
  assert.deepEqual(
    found.map((copy) => path.dirname(copy)),
    [place],
  )
})

test('another version gets a copy of its own', options, async () => {
  const place = await parent()
  const [copy] = await copies(place)
  await writeFile(path.join(folder, 'package/package.json'), '{"version": "2"}')
  assert.notDeepEqual(await copies(place), [copy])
})
