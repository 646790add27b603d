import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { startApi } from '../../test/support/api.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'
import { Case } from '../cases/schema.ts'
import { Client } from '../clients/schema.ts'
import { brokenTemplate, findUnknownVariables, render, selectTemplateValues, VARIABLES } from './template.ts'

const api = await startApi()
const firm = await api.company('Okafor & Lee')
const scope = { db: api.pool, companyId: firm.id }

const message = (text: string) => brokenTemplate('message', text).map((detail) => detail.message)

test('blanks inside the braces are fine', () => {
  assert.equal(
    render('{{ first_name }}|{{first_name}}|{{\tfirst_name\n}}', { first_name: 'Ana', meta: null }),
    'Ana|Ana|Ana',
  )
})

test('a known but empty variable and a missing meta key become empty', () => {
  const values = { court_name: null, meta: { colour: null } }
  assert.equal(render('[{{court_name}}{{city}}{{meta.colour}}{{meta.size}}{{meta.constructor}}]', values), '[]')
})

test('meta keys may hold blanks and dots, and their values any JSON', () => {
  const meta = { 'shoe size': 42, 'a.b': true, list: [1, 'x'] }
  assert.equal(render('{{meta.shoe size}} {{ meta.a.b }} {{meta.list}}', { meta }), '42 true [1,"x"]')
})

test('an unknown variable is named once, with the one that was probably meant', () => {
  assert.deepEqual(findUnknownVariables('{{frist_name}} {{ frist_name }} {{city}} {{}} {{meta.}}'), [
    'frist_name',
    '',
    'meta.',
  ])
  assert.deepEqual(message('Hi {{frist_name}}'), ["unknown template variable 'frist_name'; did you mean 'first_name'?"])
  assert.deepEqual(message('Hi {{First_Name}}'), ["unknown template variable 'First_Name'; did you mean 'first_name'?"])
  assert.deepEqual(message('Hi {{zzz}}'), ["unknown template variable 'zzz'"])
})

test('a variable that is not closed is refused, single braces are text', () => {
  assert.deepEqual(message('Hi {{first_name}'), ['has {{ without a matching }}'])
  assert.deepEqual(message('Hi {{ {first_name} }}'), ['has {{ without a matching }}'])
  assert.deepEqual(message('{a} }} {{{first_name}}}'), [])
  assert.equal(render('{a} }} {{{first_name}}}', { first_name: 'Ana', meta: null }), '{a} }} {Ana}')
})

test('every field that holds one value is a variable, by the name the API gives it', () => {
  const single = (schema: { properties: object }) =>
    Object.entries(schema.properties).flatMap(([name, { type }]: [string, { type?: string | string[] }]) =>
      [type].flat().some((each) => each === 'array' || each === 'object') ? [] : name,
    )
  // Computed from the clients of the case: not worth a look-up per message.
  const computed = ['call_opted_out']
  const expected = [...single(Client), ...single(Case)].filter((name) => !computed.includes(name))
  const extra = ['case_name', 'company_name', 'agent_name']
  assert.deepEqual([...VARIABLES].sort(), [...new Set([...expected, ...extra])].sort())
})

test('values come from the client, the case, the company and the agent; the client wins where names meet', async () => {
  const client = await firm.ok(
    'POST /v1/clients',
    clientPayload({ external_source: 'ours', city: 'Reno', date_of_birth: '1990-02-03', meta: { colour: 'red' } }),
  )
  const court = {
    name: 'Lee v. Acme',
    court_date: '2026-03-02',
    is_obo: true,
    status: 'ACTIVE',
    client_ids: [client.id],
  }
  const about = await firm.ok('POST /v1/cases', casePayload(court))
  const [values, gone] = await selectTemplateValues(scope, [
    { client_id: client.id, case_id: about.id, agent_name: 'Robin' },
    { client_id: client.id, case_id: about.id + 1 },
  ])
  assert.equal(gone, undefined)
  const text =
    '{{id}} {{external_source}} {{first_name}} {{city}} {{date_of_birth}} {{meta.colour}} {{case_number}} {{name}} ' +
    '{{case_name}} {{court_date}} {{is_obo}} {{status}} {{type}} {{company_name}} {{agent_name}}{{jurisdiction}}'
  assert.equal(
    render(text, values!),
    `${client.id} ours Ana Reno 1990-02-03 red ${about.case_number} Lee v. Acme ` +
      'Lee v. Acme 2026-03-02 true active civil Okafor & Lee Robin',
  )
  for (const name of VARIABLES) assert.ok(name in values!, `no value is selected for ${name}`)
})

test("another company's client has no values", async () => {
  const other = await api.company('Other')
  const client = await other.ok('POST /v1/clients', clientPayload())
  const about = await firm.ok('POST /v1/cases', casePayload())
  assert.deepEqual(await selectTemplateValues(scope, [{ client_id: client.id, case_id: about.id }]), [undefined])
})

test('rendering puts each value where its name stands, as plain text, and leaves everything else alone', () => {
  const literal = fc
    .string({ unit: fc.constantFrom('a', ' ', '{', '}', '$', '&', 'é', '\n') })
    .filter((text) => !/\{\{|\{$/.test(text))
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom('{{first_name}}', '$&', '$1', '}}'),
    fc.constant(null),
    fc.boolean(),
  )
  const name = fc.constantFrom('first_name', 'city', 'meta.key', 'meta.a b')
  const blank = fc.constantFrom('', ' ', '\n\t')
  const parts = fc.array(
    fc.oneof(
      literal.map((text) => ({ text })),
      fc.record({ name, blank }),
    ),
  )
  const known = fc.record({ first_name: value, city: value, key: value, 'a b': value })
  fc.assert(
    fc.property(parts, known, (pieces, { first_name, city, ...meta }) => {
      const values: Record<string, unknown> = { first_name, city, 'meta.key': meta.key, 'meta.a b': meta['a b'] }
      const text = pieces
        .map((piece) => ('text' in piece ? piece.text : `{{${piece.blank}${piece.name}${piece.blank}}}`))
        .join('')
      const expected = pieces.map((piece) => ('text' in piece ? piece.text : `${values[piece.name] ?? ''}`)).join('')
      assert.equal(render(text, { first_name, city, meta }), expected)
      assert.deepEqual(findUnknownVariables(text), [])
    }),
    { numRuns: 500 },
  )
})
