import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../../test/support/api.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'

const api = await startApi()
const firm = await api.company()
const objects = await firm.ok('GET /v1/metadata/objects')
const fieldsOf = (name: string): any[] => objects.find((object: any) => object.name === name).fields
const typesOf = (name: string) => Object.fromEntries(fieldsOf(name).map((field) => [field.name, field.type]))
const requiredOf = (name: string) => fieldsOf(name).flatMap((field) => (field.required ? field.name : []))

test('cases, clients and case lists are described, one object each', () => {
  assert.deepEqual(
    objects.map(({ name }: any) => name),
    ['cases', 'clients', 'case_lists'],
  )
})

test('required is what create requires', () => {
  assert.deepEqual(requiredOf('clients'), ['external_source', 'external_source_id', 'first_name', 'last_name'])
  assert.deepEqual(requiredOf('cases'), ['case_number', 'external_source', 'external_source_id', 'status', 'type'])
  assert.deepEqual(requiredOf('case_lists'), ['name'])
})

test('types are told by short names', () => {
  const { id, first_name, date_of_birth, meta, voice_calls_opted_out, case_ids, update_origin } = typesOf('clients')
  assert.deepEqual(
    [id, first_name, date_of_birth, meta, voice_calls_opted_out, case_ids, update_origin],
    ['uint', 'string', 'date', 'object', 'bool', 'array', 'string'],
  )
  assert.equal(typesOf('case_lists').case_count, 'uint')
})

test('every field that a record answers is described, in words', async () => {
  const client = await firm.ok('POST /v1/clients', clientPayload())
  const record = await firm.ok('POST /v1/cases', casePayload())
  const list = await firm.ok('POST /v1/case_lists', { name: 'All' })
  for (const [name, answered] of Object.entries({ clients: client, cases: record, case_lists: list }))
    for (const field of Object.keys(answered)) assert.ok(field in typesOf(name), `${name}.${field}`)
  for (const { name, fields } of objects)
    for (const field of fields) assert.ok(field.description.length > 2, `${name}.${field.name}`)
})

test('the listing has a tag, and whoever has it already is told so without the body', async () => {
  const first = await firm.call('GET /v1/metadata/objects')
  const tag = first.headers.etag as string
  assert.match(tag, /^"[\w-]+"$/)
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const again = await firm.call('GET /v1/metadata/objects', undefined, { 'if-none-match': known })
    assert.equal(again.status, 304, known)
    assert.equal(again.body, undefined)
    assert.equal(again.headers.etag, tag)
  }
  const other = await firm.call('GET /v1/metadata/objects', undefined, { 'if-none-match': '"other"' })
  assert.equal(other.status, 200)
})
