import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../../test/support/api.ts'
import { clientPayload } from '../../test/support/payloads.ts'

const api = await startApi()
const firm = await api.company()
let last = 400

const number = () => `+1212555${String(++last).padStart(4, '0')}`
const nowhere = { state: null, postal_code: null }
const add = async (fields: object): Promise<number> => (await firm.ok('POST /v1/clients', clientPayload(fields))).id

/** By which rules (gate and law) a client is refused, and when next. */
async function asked(client_id: number, at: string, channel = 'call') {
  const { reasons, next_at, allowed, rule_versions } = await firm.tool('explain_contact', { client_id, channel, at })
  assert.equal(allowed, reasons.length === 0)
  assert.ok(rule_versions.length > 0)
  return { rules: reasons.map(({ rule }: any) => rule).join(), law: reasons.flatMap(({ law }: any) => law), next_at }
}

// A Tuesday, 13:00 in New York.
const NOON = '2026-03-03T18:00:00Z'

for (const [who, fields, at, rules, next_at] of [
  ['somebody without a phone', { mobile: null, state: 'NY' }, NOON, 'number_missing', null],
  ['a number that is none', { mobile: '12345', state: 'NY' }, NOON, 'number_malformed', null],
  ['a British number by day', { mobile: '+442071838750', ...nowhere }, NOON, '', null],
  [
    'a British number at night',
    { mobile: '+442071838750', ...nowhere },
    '2026-03-03T23:00:00Z',
    'legal_hours',
    '2026-03-04T08:00:00.000Z',
  ],
  [
    'a British number in New York',
    { mobile: '+442071838750', state: 'NY', postal_code: '10007' },
    '2026-03-03T23:00:00Z',
    '',
    null,
  ],
  ['an Australian number', { mobile: '+61291234567', ...nowhere }, NOON, 'legal_hours', '2026-03-04T01:30:00.000Z'],
  [
    'a toll-free number, who may be in Alaska',
    { mobile: '+18005550101', ...nowhere },
    NOON,
    'legal_hours',
    '2026-03-03T20:00:00.000Z',
  ],
  ['a soldier abroad', { mobile: number(), state: 'AE', postal_code: '09012' }, NOON, 'time_zone', null],
  [
    'a New York number in Los Angeles at 7:30 there',
    { mobile: number(), state: 'CA', postal_code: '90012' },
    '2026-03-03T15:30:00Z',
    'legal_hours',
    '2026-03-03T16:00:00.000Z',
  ],
  [
    'a New York number that keeps the time of Chicago, on a Sunday',
    { mobile: number(), ...nowhere, timezone: 'America/Chicago' },
    '2026-03-01T18:00:00Z',
    'legal_hours',
    '2026-03-02T16:00:00.000Z',
  ],
  [
    'the night of March on which an hour is missing',
    { mobile: number(), state: 'NY' },
    '2026-03-08T07:30:00Z',
    'legal_hours',
    '2026-03-08T12:00:00.000Z',
  ],
  [
    'a minute before eight, after the night of November that has one more',
    { mobile: number(), state: 'NY' },
    '2026-11-01T12:59:00Z',
    'legal_hours',
    '2026-11-01T13:00:00.000Z',
  ],
  ['eight, after that night', { mobile: number(), state: 'NY' }, '2026-11-01T13:00:00Z', '', null],
  ['a time before there was any law', { mobile: number(), state: 'NY' }, '1980-03-03T18:00:00Z', 'legal_hours', null],
  ['somebody who has died', { mobile: number(), state: 'NY', date_of_death: '2025-01-01' }, NOON, 'deceased', null],
] as [string, object, string, string, string | null][])
  test(`${who}: ${rules || 'may be called'}${next_at ? ` until ${next_at}` : ''}`, async () => {
    const answer = await asked(await add(fields), at)
    assert.deepEqual([answer.rules, answer.next_at], [rules, next_at])
  })

test('a deleted or erased contact is answered for no more, and whoever comes back with the number is not called', async () => {
  for (const force of [false, true]) {
    const mobile = number()
    const id = await add({ mobile, state: 'NY', voice_calls_opted_out: true })
    await firm.ok('POST /v1/clients/bulk_delete', { client_ids: [id], force })
    const { error } = await firm.refusal('explain_contact', { client_id: id, channel: 'call' })
    assert.equal(error, 'not found')
    assert.equal((await asked(await add({ mobile, state: 'NY' }), NOON)).rules, 'suppressed')
  }
})

test('of two who share a number, the flag of one stops the one, what was said on the line stops both', async () => {
  const mobile = number()
  const [ana, ben] = [
    await add({ mobile, state: 'NY', voice_calls_opted_out: true }),
    await add({ mobile, state: 'NY' }),
  ]
  assert.equal((await asked(ana, NOON)).rules, 'opted_out,suppressed')
  assert.equal((await asked(ben, NOON)).rules, '')
  await firm.tool('record_permission', { kind: 'suppression', addresses: [mobile], channel: 'call', words: 'Stop.' })
  assert.equal((await asked(ben, NOON)).rules, 'opted_out,suppressed')
})

test('a number that moves takes what was said on it along, and leaves the flag with its person', async () => {
  const [said, flagged, other] = [number(), number(), number()]
  await firm.tool('record_permission', { kind: 'suppression', addresses: [said], channel: 'call', words: 'Stop.' })
  const ana = await add({ mobile: flagged, state: 'NY', voice_calls_opted_out: true })
  await firm.tool('update_client', { id: ana, mobile: other })
  assert.equal((await asked(ana, NOON)).rules, 'opted_out')
  const ben = await add({ mobile: flagged, state: 'NY' })
  assert.equal((await asked(ben, NOON)).rules, '')
  await firm.tool('update_client', { id: ben, mobile: said })
  assert.equal((await asked(ben, NOON)).rules, 'suppressed')
  await firm.ok('POST /v1/clients/bulk_delete', { client_ids: [ana], force: true })
  for (const mobile of [flagged, other])
    assert.equal((await asked(await add({ mobile, state: 'NY' }), NOON)).rules, 'suppressed')
})
