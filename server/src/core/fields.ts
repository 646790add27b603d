import Type, { type Static, type TSchema, type TUnsafe } from 'typebox'
import Format from 'typebox/format'
import { NOT_BLANK } from './validate.ts'

/** The vocabulary of the schemas: JSON Schema 2020-12, one error per broken field. */

Format.Set('hh-mm', (text) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text))
Format.Set('timezone', isTimezone)
// PostgreSQL knows no year 0.
Format.Set('date', (text) => Format.IsDate(text) && !text.startsWith('0000'))

const knownZones = new Map<string, boolean>()

function isTimezone(name: string): boolean {
  let known = knownZones.get(name)
  if (known === undefined) {
    try {
      // Offsets such as "+05:00" are no zones: they know no daylight saving.
      known = /^[A-Za-z]/.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
    } catch {
      known = false
    }
    // Bounded: the names come from callers.
    if (knownZones.size < 2000) knownZones.set(name, known)
  }
  return known
}

interface Options {
  description?: string
  examples?: unknown[]
  default?: unknown
  [keyword: string]: unknown
}

type Optional<S extends TSchema> = ReturnType<typeof Type.Optional<S>>

const nullable = <T>(type: string, options: Options): Optional<TUnsafe<T | null>> =>
  Type.Optional(Type.Unsafe<T | null>({ type: [type, 'null'], ...options }))

export const Id = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description, examples: [42] })

export const Ids = (description: string, options: Options = {}) => Type.Array(Id('An id'), { description, ...options })

/** A required text: at least one character that is not blank. */
export const Text = (maxLength: number, description: string, options: Options = {}) =>
  Type.String({ minLength: 1, maxLength, pattern: NOT_BLANK, description, ...options })

/** An optional text; blank text becomes null before it is checked. */
export const OptionalText = (maxLength: number, description: string, options: Options = {}) =>
  nullable<string>('string', { maxLength, description, ...options })

export const OptionalDate = (description: string) =>
  nullable<string>('string', { format: 'date', description, examples: ['2026-03-02'] })

export const OptionalTime = (description: string) =>
  nullable<string>('string', { format: 'hh-mm', description, examples: ['09:30'] })

export const OptionalBoolean = (description: string, options: Options = {}) =>
  nullable<boolean>('boolean', { description, ...options })

export const OptionalInteger = (description: string, options: Options = {}) =>
  nullable<number>('integer', { description, ...options })

export const OptionalId = (description: string) =>
  nullable<number>('integer', { minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description, examples: [42] })

export const OptionalObject = (description: string) =>
  nullable<Record<string, unknown>>('object', { additionalProperties: true, description })

export const OptionalArray = <S extends TSchema>(items: S, description: string, options: Options = {}) =>
  Type.Optional(Type.Unsafe<Static<S>[] | null>({ type: ['array', 'null'], items, description, ...options }))

/** The given object schema, or null. */
export const OptionalFields = <S extends TSchema>(fields: S, description: string) =>
  Type.Optional(Type.Unsafe<Static<S> | null>({ ...fields, type: ['object', 'null'], description }))

/** One of the given words. */
export const Choice = <const T extends readonly string[]>(words: T, description: string, options: Options = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: words, description, ...options })

export const OptionalChoice = <const T extends readonly string[]>(words: T, description: string) =>
  Type.Optional(Type.Unsafe<T[number] | null>({ type: ['string', 'null'], enum: [...words, null], description }))

/** A field of the answer that a caller may send back and that is then ignored. */
export const ResponseOnly = (description: string) =>
  Type.Optional(Type.Unsafe<unknown>({ readOnly: true, description }))

/** Marks the given optional fields as older than what stands for them now. */
export const deprecated = <P extends Record<string, TSchema>>(properties: P): P =>
  // A copy of a schema is no longer marked as optional.
  mapFields(properties, (field) => Type.Optional({ ...field, deprecated: true }))

/** Optional fields without their descriptions, where the names say enough. */
export const undescribed = <P extends Record<string, TSchema>>(properties: P): P =>
  mapFields(properties, (field) => Type.Optional({ ...field, description: undefined }))

const mapFields = <P extends Record<string, TSchema>>(properties: P, change: (field: TSchema) => TSchema): P =>
  Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, change(field)])) as P

/** A field that an answer always carries and that may be null. */
export const Nullable = <T>(type: string, description?: string, options: Options = {}) =>
  Type.Unsafe<T | null>({ type: [type, 'null'], description, ...options })

/** A moment, on the wire as ISO 8601 text. */
export const Instant = (description?: string) =>
  Type.Unsafe<Date>({ type: 'string', format: 'date-time', description, examples: ['2026-03-02T14:30:00.000Z'] })

export const Flag = (description: string) => Type.Boolean({ description })

/** An object that takes the given fields and no others. */
export const Fields = <P extends Record<string, TSchema>>(properties: P, options: Options = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

export type { Static }
