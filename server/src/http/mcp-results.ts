import type { Tool } from '../core/tool.ts'
import { mapValues, type Schema } from './mcp-catalogue.ts'

/** What every paged list answers beside its records; the instructions say so. */
const ENVELOPE = new Set(['current_page', 'total_pages', 'total_records'])

/**
 * The results of tools for the catalogue: a record that several tools answer is shown with its types by the one that
 * gets it, to which the others point; everything else is shown by its names.
 */
export class ShownResults {
  /** By each of its fields: the tool that gets a record. */
  readonly #homes = new Map<Schema, Tool>()
  readonly #pointedTo = new Set<Tool>()

  constructor(tools: Tool[]) {
    for (const tool of tools.filter(({ name }) => name.startsWith('get_')))
      for (const field of fieldsOf(tool)) if (!this.#homes.has(field)) this.#homes.set(field, tool)
    for (const tool of tools) this.#named(schemaOf(tool), tool)
  }

  of(tool: Tool): Schema {
    return this.#pointedTo.has(tool) ? typed(schemaOf(tool)) : this.#named(schemaOf(tool), tool)
  }

  /** Every field by its name, and with its type where it may be absent. */
  #named(schema: Schema, tool: Tool): Schema {
    const { type, properties, required = [], items, $defs } = schema
    if (items) return { type, items: this.#named(items, tool) }
    if (!properties) return schema.$ref ? schema : { type }
    const home = this.#homeOf(Object.values(properties))
    if (home && home !== tool) {
      this.#pointedTo.add(home)
      return { type, description: `as ${home.name}` }
    }
    const nested = Object.entries(properties).filter(
      ([name, each]) => !required.includes(name) || hasFields(each) || hasFields(each.items),
    )
    const inside = (each: Schema) => this.#named(each, tool)
    return {
      type,
      required: required.filter((name) => !ENVELOPE.has(name)),
      ...(nested.length > 0 && { properties: mapValues(Object.fromEntries(nested), inside) }),
      ...($defs && { $defs: mapValues($defs, inside) }),
    }
  }

  /** The tool that gets the record of exactly these fields. */
  #homeOf(fields: Schema[]): Tool | undefined {
    const home = this.#homes.get(fields[0]!)
    const whole = home && fieldsOf(home).length === fields.length
    return whole && fields.every((field) => this.#homes.get(field) === home) ? home : undefined
  }
}

const schemaOf = ({ output }: Tool) => output as unknown as Schema

const fieldsOf = (tool: Tool) => Object.values(schemaOf(tool).properties!)

const hasFields = (schema: Schema | undefined) => Boolean(schema?.properties || schema?.$ref)

const UNSHOWN = new Set(['examples', 'required', 'title', 'minimum', 'maximum', 'description'])

function typed(schema: Schema): Schema {
  const shown: Schema = {}
  for (const [word, value] of Object.entries(schema)) {
    // A long list of words stands where it is taken.
    if (UNSHOWN.has(word) || (word === 'enum' && schema.enum!.length >= 10)) continue
    if (word === 'properties') shown.properties = mapValues(schema.properties!, typed)
    else shown[word] = word === 'items' ? typed(schema.items!) : value
  }
  return shown
}
