import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const SOURCE = path.resolve(import.meta.dirname, '../src')

/** Folders that are no features, and what each may import beside itself. */
const LAYERS: Record<string, string[]> = {
  core: [],
  compliance: ['core'],
  providers: ['core'],
  database: ['core'],
  engine: ['core', 'providers'],
  http: ['core', 'webhooks/record-changes.ts'],
}

/** What a feature may import beside other features; of the providers only their types, no particular one. */
const BELOW_FEATURES = ['core', 'compliance', 'providers', 'engine/job.ts', 'engine/shift.ts']
const PARTICULAR_PROVIDER = /^providers\/.+\//

/** What belongs to a feature alone: the ways in, which the indexes collect. */
const WAYS_IN = ['rest.ts', 'tools.ts', 'jobs.ts']

/** Files beside the folders: the indexes and the two programs made of everything. */
const INDEXES = ['operations.ts', 'tools.ts', 'jobs.ts']
const PROGRAMS = ['main.ts', 'cli.ts']

interface Import {
  from: string
  to: string
}

const imports: Import[] = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .flatMap((from) => {
    const text = readFileSync(path.join(SOURCE, from), 'utf8')
    const relative = [...text.matchAll(/from '(\.[^']+\.ts)'/g), ...text.matchAll(/import\('(\.[^']+)'\)/g)]
    return relative.map((match) => ({
      from: from.replaceAll('\\', '/'),
      to: path.posix.join(path.posix.dirname(from.replaceAll('\\', '/')), match[1]!),
    }))
  })

const folderOf = (file: string) => (file.includes('/') ? file.split('/')[0]! : '')
const covers = (allowed: string[], file: string) => allowed.some((each) => file === each || file.startsWith(`${each}/`))
const wrong = (isWrong: (each: Import) => boolean) =>
  imports
    .filter((each) => folderOf(each.from) !== folderOf(each.to) && isWrong(each))
    .map(({ from, to }) => `${from} imports ${to}`)

test('the rule sees the imports', () => {
  assert.ok(imports.some(({ from, to }) => from === 'clients/rest.ts' && to === 'core/operation.ts'))
})

test('what lies below imports only what lies below it', () => {
  assert.deepEqual(
    wrong(({ from, to }) => folderOf(from) in LAYERS && !covers(LAYERS[folderOf(from)]!, to)),
    [],
  )
})

test("a feature imports what lies below and another feature's rules, never its ways in, a channel or the database's start", () => {
  const isFeature = (file: string) => folderOf(file) !== '' && !(folderOf(file) in LAYERS)
  assert.deepEqual(
    wrong(({ from, to }) => {
      if (!isFeature(from)) return false
      if (isFeature(to)) return WAYS_IN.includes(path.posix.basename(to))
      return !covers(BELOW_FEATURES, to) || PARTICULAR_PROVIDER.test(to)
    }),
    [],
  )
})

test('only the programs import the indexes, and nobody imports a program', () => {
  assert.deepEqual(
    imports.filter(({ from, to }) => PROGRAMS.includes(to) || (INDEXES.includes(to) && !PROGRAMS.includes(from))),
    [],
  )
})
