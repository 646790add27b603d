import type { Shape } from './example.ts'

type Schema = Shape & { title?: string }

/** Schemas with a title are described once, under that name, and referred to from everywhere else. */
export class Components {
  readonly schemas: Record<string, unknown> = {}
  readonly #texts = new Map<string, string>()

  /** The schema with every titled part of it, itself included, replaced by a reference. */
  of(schema: Schema): unknown {
    const { title } = schema
    if (!title) return this.#inside(schema)
    const text = JSON.stringify(schema)
    const known = this.#texts.get(title)
    if (known !== undefined && known !== text) throw new Error(`two different schemas are called ${title}`)
    if (known === undefined) {
      this.#texts.set(title, text)
      this.schemas[title] = this.#inside(schema)
    }
    return { $ref: `#/components/schemas/${title}` }
  }

  #inside(schema: Schema): unknown {
    const { title: _, properties, items, anyOf, ...rest } = schema
    return {
      ...rest,
      // An empty schema there only says that entries are checked one by one.
      ...(anyOf && { anyOf: anyOf.filter((each) => Object.keys(each).length > 0).map((each) => this.of(each)) }),
      ...(items && { items: this.of(items) }),
      ...(properties && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, this.of(field)])),
      }),
    }
  }
}
