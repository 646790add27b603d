import Type, { type Static, type TObject } from 'typebox'

export const MetadataObject = Type.Object({
  name: Type.String({ description: 'Name of the object', examples: ['clients'] }),
  fields: Type.Array(
    Type.Object({
      name: Type.String({ description: 'Name of the field', examples: ['first_name'] }),
      type: Type.String({
        description: 'string, uint, int, number, bool, date, time, object or array',
        examples: ['string'],
      }),
      required: Type.Boolean({ description: 'Required on create', examples: [true] }),
      description: Type.String({ description: 'What it is', examples: ['First name'] }),
    }),
    { description: 'Fields of the answer and of the create operation' },
  ),
})
export type MetadataObject = Static<typeof MetadataObject>

/** The part of JSON Schema that is read here. */
interface Property {
  type?: string | string[]
  format?: string
  minimum?: number
  description?: string
  readOnly?: boolean
}

/** What the schemas of the record and of its create operation say together: the answered fields first. */
export function describeObject(name: string, record: TObject, create: TObject): MetadataObject {
  const answered = record.properties as Record<string, Property>
  const taken = create.properties as Record<string, Property>
  const required = new Set(create.required)
  const names = [...new Set([...Object.keys(answered), ...Object.keys(taken)])]
  return {
    name,
    fields: names.map((field) => {
      const property = taken[field] && !taken[field].readOnly ? taken[field] : (answered[field] ?? taken[field]!)
      return {
        name: field,
        type: typeName(property),
        required: required.has(field),
        description: property.description ?? '',
      }
    }),
  }
}

function typeName({ type, format, minimum }: Property): string {
  const [base] = [type].flat().filter((each) => each !== 'null')
  if (base === 'string') return format === 'date' ? 'date' : format === 'hh-mm' ? 'time' : 'string'
  if (base === 'integer') return minimum !== undefined && minimum >= 0 ? 'uint' : 'int'
  return base === 'boolean' ? 'bool' : (base ?? 'object')
}
