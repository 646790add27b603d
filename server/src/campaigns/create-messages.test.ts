import assert from 'node:assert/strict'
import { test } from 'node:test'
import { campaignWorld } from '../../test/support/campaigns.ts'
import { runPayload } from '../../test/support/payloads.ts'

const { payload, create, refusals, messagesOf } = await campaignWorld()

test('messages are kept in their order with their runs', async () => {
  const messages = [
    { channel: 'sms', trigger: 'before_call', delay_minutes: 2, message: 'Hello {{ first_name }}' },
    { channel: 'sms', trigger: 'scheduled', time: '10:00', message: 'Every run day' },
    {
      channel: 'email',
      trigger: 'scheduled',
      date: '2026-03-04',
      time: '21:00',
      subject: '{{case_name}}',
      message: 'Once',
    },
    { channel: 'sms', trigger: 'after_failed_call', message: 'Sorry to have missed you' },
    { channel: 'email', trigger: 'after_successful_call', delay_minutes: 30, subject: 'Thank you', message: 'Bye' },
  ]
  const id = await create({
    runs: [runPayload({ messages: messages.slice(0, 3) }), runPayload({ messages: messages.slice(3) })],
  })
  const stored = await messagesOf(id)
  assert.deepEqual(
    stored.map(({ run, channel, trigger, date, time, delay_minutes, subject, message }) => [
      run,
      channel,
      trigger,
      date,
      time,
      delay_minutes,
      subject,
      message,
    ]),
    [
      [1, 'sms', 'before_call', null, null, 2, null, 'Hello {{ first_name }}'],
      [1, 'sms', 'scheduled', null, '10:00', null, null, 'Every run day'],
      [1, 'email', 'scheduled', '2026-03-04', '21:00', null, '{{case_name}}', 'Once'],
      [2, 'sms', 'after_failed_call', null, null, null, null, 'Sorry to have missed you'],
      [2, 'email', 'after_successful_call', null, null, 30, 'Thank you', 'Bye'],
    ],
  )
})

const messageRules: [string, object, string[]][] = [
  ['a scheduled message needs a time', { trigger: 'scheduled' }, ['time: is required for a scheduled message']],
  [
    'a scheduled message goes out within 08:00 to 21:00',
    { trigger: 'scheduled', time: '21:01' },
    ['time: must lie within 08:00 to 21:00'],
  ],
  [
    'a scheduled message goes out on a day of the run',
    { trigger: 'scheduled', time: '10:00', date: '2026-03-07' },
    ['date: must lie within the run (2026-03-02 to 2026-03-06)'],
  ],
  [
    'a message before a call goes out two minutes before it at least',
    { trigger: 'before_call', delay_minutes: 1 },
    ['delay_minutes: must be at least 2'],
  ],
  [
    'only a scheduled message has a date and a time',
    { trigger: 'after_failed_call', date: '2026-03-02', time: '10:00' },
    [
      'date: must be left out: only a scheduled message has one',
      'time: must be left out: only a scheduled message has one',
    ],
  ],
  [
    'an unknown template variable is refused, in the subject too',
    { trigger: 'after_failed_call', channel: 'email', subject: '{{what}}', message: '{{first_nme}}' },
    [
      "subject: unknown template variable 'what'",
      "message: unknown template variable 'first_nme'; did you mean 'first_name'?",
    ],
  ],
  [
    'an SMS has at most 1,600 characters',
    { trigger: 'after_failed_call', message: 'x'.repeat(1601) },
    ['message: must have at most 1600 characters in an SMS'],
  ],
]

for (const [promise, fields, expected] of messageRules)
  test(promise, async () => {
    const message = { channel: 'sms', message: 'Hello', ...fields }
    assert.deepEqual(
      await refusals(payload({ runs: [runPayload(), runPayload({ messages: [message] })] })),
      expected.map((each) => `runs[1].messages[0].${each}`),
    )
  })

test('a messaging-only run takes only scheduled messages', async () => {
  const run = { start_date: '2026-03-02', end_date: '2026-03-06', messaging_only: true }
  const scheduled = { channel: 'sms', trigger: 'scheduled', time: '10:00', message: 'Hello' }
  const after = { channel: 'sms', trigger: 'after_failed_call', message: 'Hello' }
  assert.deepEqual(await refusals(payload({ runs: [{ ...run, messages: [scheduled, after] }] })), [
    'runs[0].messages[1].trigger: must be scheduled: a messaging-only run makes no calls',
  ])
  await create({ agent_id: null, runs: [{ ...run, messages: [scheduled] }] })
})
