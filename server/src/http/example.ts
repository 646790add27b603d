/** The part of JSON Schema that examples are made of. */
export interface Shape {
  description?: string
  type?: string | string[]
  properties?: Record<string, Shape>
  required?: string[]
  items?: Shape
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  format?: string
  minimum?: number
  anyOf?: Shape[]
  readOnly?: boolean
}

/** Makes examples of a schema from the examples of its fields: every field in an answer, in a request what is needed. */
export function exampleOf(schema: Shape, direction: 'request' | 'answer'): unknown {
  const given = schema.examples?.[0] ?? schema.const ?? schema.default ?? schema.enum?.[0]
  if (given !== undefined) return given
  if (schema.anyOf) return exampleOf(schema.anyOf[0]!, direction)
  switch ([schema.type].flat()[0]) {
    case 'object':
      return exampleFields(schema, direction)
    case 'array':
      return schema.items ? [exampleOf(schema.items, direction)] : []
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return false
    case 'string':
      // A text without an example of its own and that may be left out is better left out.
      return [schema.type].flat().includes('null') ? null : '…'
    default:
      return null
  }
}

function exampleFields({ properties = {}, required = [] }: Shape, direction: 'request' | 'answer') {
  const shown = Object.entries(properties).filter(
    ([name, field]) =>
      direction === 'answer' || (!field.readOnly && (required.includes(name) || field.examples !== undefined)),
  )
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field, direction)]))
}
