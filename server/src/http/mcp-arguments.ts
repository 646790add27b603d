import type { Tool } from '../core/tool.ts'
import { mapValues, type Schema } from './mcp-catalogue.ts'

/** Formats of our own are nothing to a reader's JSON Schema; where a pattern says as much, it stands instead. */
const OUR_FORMATS: Record<string, Schema> = { 'hh-mm': { pattern: '^\\d\\d:\\d\\d$' }, timezone: {} }

/** For the validator and the reference page. */
const UNSHOWN = new Set(['examples', 'pattern', 'title', 'additionalProperties'])

/** The arguments of tools for the catalogue: what several tools take is described where it comes first. */
export class ShownArguments {
  /** Arguments that were described, and words of long lists that were shown. */
  readonly #seen = new Set<unknown>()

  of({ name, input }: Tool): Schema {
    const schema = input as unknown as Schema
    // Only a tool without arguments has to say that it takes no others: all refuse what they don't know.
    if (Object.keys(schema.properties!).length === 0)
      return { type: 'object', properties: {}, additionalProperties: false }
    return this.#shown(schema, name.startsWith('update_'))
  }

  /** Where nothing is updated, null is no more than leaving out, so it isn't mentioned. */
  #shown(schema: Schema, updating: boolean): Schema {
    const shown: Schema = {}
    for (const [word, value] of Object.entries(schema)) {
      if (UNSHOWN.has(word) || isMatterOfCourse(word, schema)) continue
      if (word === 'type') shown.type = updating ? value : typeWithoutNull(value)
      else if (word === 'properties') shown.properties = this.#fields(schema.properties!, updating)
      else if (word === 'items') shown.items = { ...this.#shown(schema.items!, updating), description: undefined }
      else if (word === 'enum')
        shown.enum = this.#isListed(schema.enum!) ? undefined : schema.enum!.filter((each) => updating || each !== null)
      else if (word === 'format' && OUR_FORMATS[value as string]) Object.assign(shown, OUR_FORMATS[value as string])
      else shown[word] = value
    }
    return shown
  }

  /** Without the fields that are older, and those that are taken only so that a record can be sent back. */
  #fields(properties: Record<string, Schema>, updating: boolean): Record<string, Schema> {
    const taken = Object.entries(properties).filter(([, each]) => !each.readOnly && !each.deprecated)
    return mapValues(Object.fromEntries(taken), (each, name) => {
      const key = `${name} ${JSON.stringify(each)}`
      if (this.#seen.has(key)) return again(each)
      this.#seen.add(key)
      const { description, ...rest } = this.#shown(each, updating)
      return saysNoMore(name, String(description)) ? rest : { ...rest, description }
    })
  }

  /** A long list of words that stood before, but for one: the refusal of a wrong word names them. */
  #isListed(words: unknown[]): boolean {
    if (words.length < 6) return false
    const added = words.filter((word) => !this.#seen.has(word))
    for (const word of words) this.#seen.add(word)
    return added.length <= 1
  }
}

function typeWithoutNull(type: unknown): unknown {
  if (!Array.isArray(type)) return type
  const types = type.filter((each) => each !== 'null')
  return types.length === 1 ? types[0] : types
}

const again = ({ type, items }: Schema): Schema => ({ type, ...(items && { items: { type: items.type } }) })

/**
 * Bounds that only keep a value storable or a request in measure, the usual length (the instructions name it), a
 * required text or list not empty.
 */
const isMatterOfCourse = (word: string, schema: Schema) =>
  word === 'maxItems' ||
  word === 'uniqueItems' ||
  (word === 'minItems' && schema.minItems === 1) ||
  ((word === 'minimum' || word === 'maximum') && schema.maximum! > 1000) ||
  (word === 'minLength' && schema.minLength === 1) ||
  (word === 'maxLength' && (schema.maxLength === 255 || Number(schema.maxLength) >= 10_000))

/** A description that says no more than the name of the argument: `First name`, `Name of the list`, `Case id`. */
const saysNoMore = (name: string, description: string) =>
  new RegExp(name === 'id' ? '^[a-z ]+ id$' : `^(${name.replaceAll('_', ' ')}( of the [a-z ]+)?|undefined)$`, 'i').test(
    description,
  )
