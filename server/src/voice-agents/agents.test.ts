import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { agentPayload } from '../../test/support/payloads.ts'
import { VOICE_IDS } from './voices.ts'

const api = await startApi()
const firm = await api.company()
const AGENTS = '/v1/agent_builder/campaign_agents'

const create = (fields?: object) => firm.ok(`POST ${AGENTS}`, agentPayload(fields))
const patch = (id: string, fields: object) => firm.call(`PATCH ${AGENTS}/${id}`, fields)
const config = (id: string) => firm.ok(`GET ${AGENTS}/${id}/config`)
const { id: caseType } = await api.pool.one<{ id: number }>(
  sql`select id from case_types where company_id = ${firm.id} order by id limit 1`,
)

async function refusals(route: string, body: object): Promise<string[]> {
  const answer = await firm.call(route, body)
  assert.equal(answer.status, 400, JSON.stringify(answer.body))
  return answer.body.details.map(({ field, message }: any) => `${field}: ${message}`)
}

const everything = {
  post_call_fields: [
    { name: 'incident_date', type: 'text', description: 'When did it happen to {{first_name}}?' },
    { name: 'severity', type: 'selector', choices: ['low', 'high'] },
    { name: 'has_lawyer', type: 'boolean' },
    { name: 'witnesses', type: 'number', choices: null },
  ],
  transfer_number: '+1 212-555-0101',
  is_transfer_enabled: true,
  is_appointment_booking_enabled: true,
  phone_number: '(212) 555-0100',
  phone_assignments: [{ phone_number: '+12125550102', case_type_id: caseType, direction: 'outbound' }],
}

test('create answers id, the four required fields and created_at, with 201', async () => {
  const answer = await firm.call(`POST ${AGENTS}`, agentPayload(everything))
  assert.equal(answer.status, 201)
  const { id, created_at, ...rest } = answer.body
  assert.match(id, /^agent_[0-9a-z]{26}$/)
  assert.equal(new Date(created_at).toISOString(), created_at)
  assert.deepEqual(rest, agentPayload())
})

test('config answers the defaults, and optional fields only where they are set', async () => {
  const { id } = await create()
  assert.deepEqual(await config(id), {
    id,
    ...agentPayload(),
    post_call_fields: [],
    is_transfer_enabled: false,
    is_appointment_booking_enabled: false,
  })
  const full = await create(everything)
  assert.deepEqual(await config(full.id), { id: full.id, ...agentPayload(), ...everything })
})

test('the voices exist from the start, and every one of them can be chosen', async () => {
  const { voices } = await firm.ok('GET /v1/agent_builder/voices')
  assert.ok(voices.length >= 10)
  for (const voice of voices) {
    assert.deepEqual(Object.keys(voice), ['voice_id', 'name', 'gender', 'accent'])
    assert.match(voice.voice_id, /^voice_/)
  }
  assert.equal(new Set(voices.map(({ voice_id }: any) => voice_id)).size, voices.length)
  for (const { voice_id } of voices) await create({ voice_id })
})

const rules: [string, object, string[]][] = [
  [
    'a voice that is not in the list is refused with the nearest one',
    { voice_id: 'voice_ameliea' },
    ["voice_id: no such voice: 'voice_ameliea'; did you mean 'voice_amelia'?"],
  ],
  [
    'a voice that is like none in the list is refused with the whole list',
    { voice_id: 'x' },
    [`voice_id: no such voice: 'x'; the voices are ${VOICE_IDS.join(', ')}`],
  ],
  [
    'unknown template variables are refused in greeting, task and post-call fields',
    {
      greeting: '{{frist_name}}',
      task: '{{plot}}',
      post_call_fields: [{ name: 'x', type: 'text', description: '{{oops}}' }],
    },
    [
      "greeting: unknown template variable 'frist_name'; did you mean 'first_name'?",
      "task: unknown template variable 'plot'",
      "post_call_fields[0].description: unknown template variable 'oops'",
    ],
  ],
  [
    'a selector needs choices, and nothing else has any',
    {
      post_call_fields: [
        { name: 'a', type: 'selector' },
        { name: 'b', type: 'selector', choices: [] },
        { name: 'c', type: 'number', choices: ['1'] },
      ],
    },
    [
      'post_call_fields[0].choices: is required for a selector',
      'post_call_fields[1].choices: is required for a selector',
      'post_call_fields[2].choices: must be left out: only a selector has choices',
    ],
  ],
  [
    'post-call fields have names of their own',
    {
      post_call_fields: [
        { name: 'Date', type: 'text' },
        { name: 'date', type: 'text' },
      ],
    },
    ["post_call_fields[1].name: 'date' names an earlier field"],
  ],
  [
    'every phone number must be one that can be dialled',
    {
      transfer_number: '555-0101',
      phone_number: 'reception',
      phone_assignments: [{ phone_number: '123', case_type_id: caseType, direction: 'both' }],
    },
    ['transfer_number', 'phone_number', 'phone_assignments[0].phone_number'].map(
      (field) => `${field}: must be a phone number that can be dialled, such as +1 212-555-0100`,
    ),
  ],
  [
    'a phone assignment names a case type of the company',
    {
      phone_assignments: [
        { phone_number: '+12125550102', case_type_id: caseType, direction: 'both' },
        { phone_number: '+12125550102', case_type_id: 999_999, direction: 'both' },
      ],
    },
    ['phone_assignments[1].case_type_id: no such case type: 999999'],
  ],
  [
    'transfers can be switched on only with a transfer number',
    { is_transfer_enabled: true, transfer_number: ' ' },
    ['transfer_number: is required while is_transfer_enabled is true'],
  ],
]

for (const [promise, fields, expected] of rules)
  test(promise, async () => {
    assert.deepEqual(await refusals(`POST ${AGENTS}`, agentPayload(fields)), expected)
    const { id } = await create()
    assert.deepEqual(await refusals(`PATCH ${AGENTS}/${id}`, fields), expected, 'on change as on creation')
  })

test("another company's case type is unknown", async () => {
  const other = await api.company()
  const [{ id }] = (await api.pool.many<any>(
    sql`select id from case_types where company_id = ${other.id} limit 1`,
  )) as any
  const assignment = { phone_number: '+12125550102', case_type_id: id, direction: 'both' }
  assert.deepEqual(await refusals(`POST ${AGENTS}`, agentPayload({ phone_assignments: [assignment] })), [
    `phone_assignments[0].case_type_id: no such case type: ${id}`,
  ])
})

test('PATCH takes every create field and answers id, the changed fields and updated_at', async () => {
  const { id } = await create()
  const changes = { name: 'Casey', voice_id: 'voice_oliver', greeting: 'Hi', task: 'Listen', ...everything }
  const { status, body } = await patch(id, changes)
  assert.equal(status, 200)
  const { updated_at, ...rest } = body
  assert.equal(new Date(updated_at).toISOString(), updated_at)
  assert.deepEqual(rest, { id, ...changes })
  const { body: one } = await patch(id, { name: 'Robin' })
  assert.deepEqual(Object.keys(one).sort(), ['id', 'name', 'updated_at'])
  assert.deepEqual(await config(id), { id, ...changes, name: 'Robin' })
})

test('PATCH clears optional fields with null and refuses null for required ones', async () => {
  const { id } = await create(everything)
  await firm.ok(`PATCH ${AGENTS}/${id}`, {
    post_call_fields: null,
    transfer_number: null,
    is_transfer_enabled: null,
    is_appointment_booking_enabled: null,
    phone_number: null,
    phone_assignments: null,
  })
  assert.deepEqual(await config(id), {
    id,
    ...agentPayload(),
    post_call_fields: [],
    is_transfer_enabled: false,
    is_appointment_booking_enabled: false,
  })
  assert.deepEqual(await refusals(`PATCH ${AGENTS}/${id}`, { name: null, task: '' }), [
    'name: must not be null; it must be a string',
    'task: must not be empty',
  ])
})

test('PATCH refuses an empty body, and one that holds nothing but what only answers carry', async () => {
  const { id } = await create()
  for (const body of [{}, { id, created_at: '2026-03-02T00:00:00Z' }])
    assert.deepEqual(await refusals(`PATCH ${AGENTS}/${id}`, body), ['body: must name at least one field to change'])
})

test('a transfer number can not be taken away while transfers are on', async () => {
  const { id } = await create(everything)
  assert.deepEqual(await refusals(`PATCH ${AGENTS}/${id}`, { transfer_number: null }), [
    'transfer_number: is required while is_transfer_enabled is true',
  ])
})

test('a deleted agent is gone for every operation, and 204 has no body', async () => {
  const { id } = await create()
  const answer = await firm.call(`DELETE ${AGENTS}/${id}`)
  assert.equal(answer.status, 204)
  assert.equal(answer.body, undefined)
  assert.equal((await firm.call(`GET ${AGENTS}/${id}/config`)).status, 404)
  assert.equal((await patch(id, { name: 'Back' })).status, 404)
  assert.equal((await firm.call(`DELETE ${AGENTS}/${id}`)).status, 404)
})

test('creation, change and deletion are in the audit log; a change of nothing is not', async () => {
  const { id } = await create()
  await patch(id, { name: 'Casey' })
  await patch(id, { name: 'Casey' })
  await firm.call(`DELETE ${AGENTS}/${id}`)
  const entries = await api.pool.many(sql`
    select activity, changes from audit_log
    where company_id = ${firm.id} and record_type = 'agent' and record_id = ${id} order by id`)
  assert.deepEqual(entries, [
    { activity: 'agent_created', changes: null },
    { activity: 'agent_updated', changes: { name: { from: 'Jordan', to: 'Casey' } } },
    { activity: 'agent_deleted', changes: null },
  ])
})
