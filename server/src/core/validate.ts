import { distance } from 'fastest-levenshtein'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'
import type { Detail } from './errors.ts'

// The caller gets every broken rule, not the first eight.
Settings.Set({ maxErrors: 1000 })

/** The part of JSON Schema that this module reads itself. */
interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  readOnly?: boolean
}

export interface Checker<T> {
  /**
   * Makes blank optional text null (in place), then answers every broken rule; an empty list means that `value` is a
   * `T`.
   */
  check(value: unknown): Detail[]
  is(value: unknown): value is T
}

/** One validator serves every channel: strict, no coercion, unknown fields refused by name. */
export function checker<S extends TSchema>(schema: S): Checker<Static<S>> {
  const compiled = Compile(schema)
  const blank = blankToNull(schema as Schema)
  return {
    is: (value): value is Static<S> => compiled.Check(value),
    check(value) {
      blank?.(value)
      if (compiled.Check(value)) return []
      return describe(compiled.Errors(value), schema as Schema, value)
    },
  }
}

/**
 * Every string in `value` that holds NUL (PostgreSQL can't keep it) or half a surrogate pair, and every number that was
 * read as infinite (JSON would write it as null), by its path.
 */
export function unstorable(value: unknown, path = ''): Detail[] {
  return isStorable(value) ? [] : describeUnstorable(value, path)
}

/** Builds no paths: nearly every text is fine. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (value === null || typeof value !== 'object') return true
  if (Array.isArray(value)) return value.every(isStorable)
  for (const key in value) if (!isStorable(key) || !isStorable((value as Record<string, unknown>)[key])) return false
  return true
}

function describeUnstorable(value: unknown, path: string): Detail[] {
  if (typeof value === 'string') {
    if (value.includes('\0')) return [{ field: path, message: 'must not contain the NUL character' }]
    return value.isWellFormed() ? [] : [{ field: path, message: 'must be well-formed Unicode (lone surrogate)' }]
  }
  if (typeof value === 'number' && !Number.isFinite(value))
    return [{ field: path, message: 'is a number too large to be kept' }]
  if (Array.isArray(value)) return value.flatMap((each, index) => describeUnstorable(each, `${path}[${index}]`))
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, each]) => {
    const field = path ? `${path}.${key}` : key
    return [...describeUnstorable(key, field), ...describeUnstorable(each, field)]
  })
}

type Visit = (value: unknown) => void

function blankToNull(schema: Schema): Visit | undefined {
  if (schema.items) {
    const each = blankToNull(schema.items)
    if (!each) return undefined
    return (value) => {
      if (Array.isArray(value)) for (const item of value) each(item)
    }
  }
  if (!schema.properties) return undefined
  const names: string[] = []
  const nested: [string, Visit][] = []
  for (const [name, property] of Object.entries(schema.properties)) {
    if (Array.isArray(property.type) && property.type.includes('string') && property.type.includes('null'))
      names.push(name)
    const visit = blankToNull(property)
    if (visit) nested.push([name, visit])
  }
  if (names.length === 0 && nested.length === 0) return undefined
  return (value) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return
    const record = value as Record<string, unknown>
    for (const name of names) {
      const text = record[name]
      if (typeof text === 'string' && text.trim() === '') record[name] = null
    }
    for (const [name, visit] of nested) if (record[name] !== undefined) visit(record[name])
  }
}

function describe(errors: TLocalizedValidationError[], schema: Schema, value: unknown): Detail[] {
  const details = new Map<string, Detail>()
  const add = (field: string, message: string) => {
    if (!details.has(field)) details.set(field, { field, message })
  }
  for (const error of errors) {
    const at = toPath(error.instancePath)
    const params = error.params as Record<string, unknown>
    if (error.keyword === 'boolean') continue // the shadow of additionalProperties
    if (error.keyword === 'additionalProperties') {
      const known = writableNames(schemaAt(schema, error.instancePath))
      for (const name of params.additionalProperties as string[]) add(join(at, name), unknownField(name, known))
    } else if (error.keyword === 'required') {
      for (const name of params.requiredProperties as string[]) add(join(at, name), 'is required')
    } else {
      add(at || 'body', sentence(error.keyword, params, valueAt(value, error.instancePath)) ?? error.message)
    }
  }
  return [...details.values()]
}

export function unknownField(name: string, known: string[]): string {
  const near = nearest(name, known)
  return near ? `unknown field; did you mean '${near}'?` : 'unknown field'
}

/** The candidate a person most likely meant, if any is near enough. */
export function nearest(word: string, candidates: string[]): string | undefined {
  const lower = word.toLowerCase()
  const ranked = candidates
    .map((candidate) => ({ candidate, off: distance(lower, candidate.toLowerCase()) }))
    .sort((a, b) => a.off - b.off)
  const best = ranked[0]
  return best && best.off <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : undefined
}

const FORMATS: Record<string, string> = {
  date: 'a real date, YYYY-MM-DD',
  'date-time': 'an ISO 8601 date and time',
  email: 'an e-mail address',
  'hh-mm': 'a time of day, HH:mm (00:00 to 23:59)',
  timezone: 'an IANA time zone such as America/New_York',
  uri: 'an absolute URL',
}

function sentence(keyword: string, params: Record<string, unknown>, value: unknown): string | undefined {
  const limit = params.limit
  switch (keyword) {
    case 'type': {
      const types = [params.type].flat() as string[]
      const wanted = types.filter((type) => type !== 'null').map(article)
      if (value === null) return `must not be null; it must be ${wanted.join(' or ')}`
      return `must be ${wanted.join(' or ')}`
    }
    case 'enum': {
      const allowed = (params.allowedValues as unknown[]).filter((each) => each !== null)
      const near = typeof value === 'string' ? nearest(value, allowed.map(String)) : undefined
      return `must be one of ${allowed.join(', ')}${near ? `; did you mean '${near}'?` : ''}`
    }
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'pattern':
      return params.pattern === NOT_BLANK ? 'must not be blank' : undefined
    case 'format':
      return `must be ${FORMATS[params.format as string] ?? `a ${params.format}`}`
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'minimum':
      return `must be at least ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} entries`
    case 'maxItems':
      return `must have at most ${limit} entries`
    case 'minProperties':
      return 'must not be empty'
    default:
      return undefined
  }
}

export const NOT_BLANK = '\\S'

const article = (type: string) => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)

const join = (path: string, name: string) => (path ? `${path}.${name}` : name)

const segments = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

/** `/runs/0/start_time` → `runs[0].start_time` */
function toPath(pointer: string): string {
  return segments(pointer).reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : join(path, part)), '')
}

function schemaAt(schema: Schema, pointer: string): Schema | undefined {
  return segments(pointer).reduce<Schema | undefined>((at, part) => at?.items ?? at?.properties?.[part], schema)
}

function valueAt(value: unknown, pointer: string): unknown {
  return segments(pointer).reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], value)
}

function writableNames(schema: Schema | undefined): string[] {
  return Object.entries(schema?.properties ?? {})
    .filter(([, property]) => !property.readOnly)
    .map(([name]) => name)
}
