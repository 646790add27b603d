import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Company, startApi } from '../../test/support/api.ts'

const api = await startApi()

const CLIENTS = 4
const CASES = 3

/** A firm that begins as every other: clients, and cases linked to some of them. Ids are known by their place. */
async function firmWithRecords() {
  const firm = await api.company()
  const clients: number[] = []
  const cases: number[] = []
  for (let n = 0; n < CLIENTS; n++) {
    const name = { external_source: 'import', external_source_id: `${n}`, first_name: `C${n}`, last_name: 'Lee' }
    clients.push((await firm.ok('POST /v1/clients', { ...name, voice_calls_opted_out: n === 0 })).id)
  }
  for (let n = 0; n < CASES; n++) {
    const required = { external_source: 'import', external_source_id: `${n}`, status: 'open', type: 'civil' }
    const links = { opt_out_voice_calls: n === 0, client_ids: [clients[n]] }
    cases.push((await firm.ok('POST /v1/cases', { case_number: `old ${n}`, ...required, ...links })).id)
  }
  return { firm, clients, cases }
}

/** Everything the firm has, with ids replaced by places. */
async function everything(firm: Company, clients: number[], cases: number[]) {
  const place = (ids: number[]) => (id: number) => ids.indexOf(id)
  return {
    clients: await Promise.all(
      clients.map(async (id) => {
        const client = await firm.ok(`GET /v1/clients/${id}`)
        return { ...client, id: place(clients)(id), case_ids: client.case_ids.map(place(cases)).sort() }
      }),
    ),
    cases: await Promise.all(
      cases.map(async (id) => {
        const found = await firm.ok(`GET /v1/cases/${id}`)
        return { ...found, id: place(cases)(id), client_ids: found.client_ids.map(place(clients)).sort() }
      }),
    ),
  }
}

/** Sometimes left out, sometimes null. */
const optional = <T>(value: fc.Arbitrary<T>) => fc.oneof(value, fc.constant(null), fc.constant(undefined))
const places = (count: number) => fc.array(fc.nat({ max: count - 1 }), { maxLength: 3 })
const text = fc.string({ unit: fc.constantFrom('a', ' ', 'é', '"', '\\', "'", '😀', '\n'), maxLength: 5 })
const json = fc.dictionary(fc.constantFrom('a', 'b', 'é'), fc.oneof(fc.integer(), text, fc.constant(null)))
const date = fc.constantFrom('2026-01-31', '2026-03-02')
/** Entries that each name another record, or none: which one is their place in the list when it is old. */
const entriesOf = <T>(entry: fc.Arbitrary<T>) =>
  fc.array(fc.record({ entry, old: fc.boolean() }), { minLength: 1, maxLength: 6 })

const caseEntry = fc.record({
  external_source: fc.constantFrom('manual', 'clio'),
  external_source_data: optional(json),
  name: optional(text),
  description: optional(text),
  status: fc.constantFrom('open', 'CLOSED'),
  type: fc.constantFrom('civil', 'Family'),
  is_obo: optional(fc.boolean()),
  court_date: optional(date),
  opt_out_voice_calls: optional(fc.boolean()),
  client_places: optional(places(CLIENTS)),
})

test('a bulk upsert of cases saves the same records as the same entries written singly', async () => {
  await fc.assert(
    fc.asyncProperty(entriesOf(caseEntry), async (entries) => {
      const [one, other] = [await firmWithRecords(), await firmWithRecords()]
      const payloads = ({ clients, cases }: typeof one) =>
        entries.map(({ entry: { client_places, ...fields }, old }, index) => ({
          ...fields,
          case_number: `new ${index}`,
          external_source_id: `${index}`,
          client_ids: client_places?.map((place) => clients[place]!),
          ...(old && index < CASES ? { id: cases[index]! } : {}),
        }))
      for (const { id, ...payload } of payloads(one)) {
        const saved = await one.firm.ok(id ? `PUT /v1/cases/${id}` : 'POST /v1/cases', payload)
        if (!id) one.cases.push(saved.id)
      }
      const { cases } = await other.firm.ok('POST /v1/cases/bulk', { cases: payloads(other) })
      for (const { id } of cases) if (!other.cases.includes(id)) other.cases.push(id)
      assert.deepEqual(
        await everything(other.firm, other.clients, other.cases),
        await everything(one.firm, one.clients, one.cases),
      )
    }),
    { numRuns: 25 },
  )
})

const clientEntry = fc.record(
  {
    email: optional(fc.constantFrom('a@example.com', ' ')),
    mobile: optional(fc.constantFrom('(212) 555-0123', '12', '+44 20 7946 0018')),
    city: optional(text),
    date_of_birth: optional(date),
    meta: optional(json),
    // true spreads in bulk and only there.
    voice_calls_opted_out: optional(fc.constant(false)),
    sms_opted_out: optional(fc.boolean()),
    case_places: optional(places(CASES)),
  },
  { requiredKeys: [] },
)

test('a bulk upsert of clients saves the same records as the same entries written singly', async () => {
  await fc.assert(
    fc.asyncProperty(entriesOf(clientEntry), async (entries) => {
      const [one, other] = [await firmWithRecords(), await firmWithRecords()]
      const payloads = ({ clients, cases }: typeof one) =>
        entries.map(({ entry: { case_places, ...fields }, old }, index) => ({
          ...fields,
          external_source: 'bulk',
          external_source_id: `${index}`,
          first_name: `N${index}`,
          last_name: 'Lee',
          case_ids: case_places === null ? null : case_places?.map((place) => cases[place]!),
          ...(old && index < CLIENTS ? { id: clients[index]! } : {}),
        }))
      for (const { id, ...payload } of payloads(one)) {
        const saved = await one.firm.ok(id ? `PUT /v1/clients/${id}` : 'POST /v1/clients', payload)
        if (!id) one.clients.push(saved.id)
      }
      const { failed, clients } = await other.firm.ok('POST /v1/clients/bulk', { clients: payloads(other) })
      assert.deepEqual(failed, [])
      for (const { id } of clients) if (!other.clients.includes(id)) other.clients.push(id)
      assert.deepEqual(
        await everything(other.firm, other.clients, other.cases),
        await everything(one.firm, one.clients, one.cases),
      )
    }),
    { numRuns: 25 },
  )
})
