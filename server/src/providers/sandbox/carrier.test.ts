import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { cloneDatabase } from '../../../test/support/database.ts'
import { type Clock, fastClock } from '../../core/clock.ts'
import { openPool } from '../../core/db.ts'
import {
  type CallerEvent,
  type CallStatusEvent,
  type Conversation,
  ConversationLost,
  DialRefused,
  type OutgoingCall,
  type TransferEvent,
  type VoiceEvents,
  type VoiceProvider,
} from '../voice.ts'
import { sandboxCarrier } from './carrier.ts'

const pool = openPool(await cloneDatabase())
after(() => pool.end())

const START = new Date('2026-03-02T17:00:00Z')
const fast = (speed = 20_000) => fastClock(START, new Date(), speed)

/** The reserved numbers, by what they do. */
const NUMBER = {
  converted: '+12025550100',
  voicemail: '+12025550115',
  no_answer: '+12025550116',
  busy: '+12025550117',
  out_of_service: '+12025550118',
  network_failure: '+12025550119',
}

let lastId = 0
const callTo = (to: string, more: Partial<OutgoingCall> = {}): OutgoingCall => ({
  company_id: 1,
  call_id: ++lastId,
  to,
  from: null,
  attempt: 1,
  ring_seconds: 30,
  max_seconds: 600,
  place_by: Number.POSITIVE_INFINITY,
  ...more,
})

interface Heard {
  carrier: VoiceProvider
  statuses: CallStatusEvent[]
  transfers: TransferEvent[]
  /** Resolves with the last status of a call. */
  over(call: { call_id: number }): Promise<CallStatusEvent>
  names(call: { call_id: number }): string[]
}

/** Listens to a carrier; `talk` holds the conversations. */
async function listen(
  talk: (line: Conversation) => Promise<void> = greet,
  { clock = fast(), deaf = 0 }: { clock?: Clock; deaf?: number } = {},
): Promise<Heard> {
  const carrier = sandboxCarrier(pool, clock)
  const statuses: CallStatusEvent[] = []
  const transfers: TransferEvent[] = []
  const waiting = new Map<number, (event: CallStatusEvent) => void>()
  let unheard = deaf
  const events: VoiceEvents = {
    async status(event) {
      if (event.status !== 'ringing' && unheard-- > 0) throw new Error('the database is away')
      statuses.push(event)
      if (event.status !== 'ringing' && event.status !== 'answered') waiting.get(event.call_id)?.(event)
    },
    transfer: (event) => void transfers.push(event),
    machine: () => assert.fail('the sandbox tells the conversation'),
    lineEnded: () => assert.fail('the sandbox tells the conversation'),
    conversation: talk,
    overheard: () => assert.fail('the sandbox hosts no agents'),
    report: () => assert.fail('the sandbox hosts no agents'),
    brief: () => assert.fail('the sandbox hosts no agents'),
    script: () => assert.fail('the sandbox hosts no agents'),
  }
  await carrier.start(events)
  after(() => carrier.stop())
  return {
    carrier,
    statuses,
    transfers,
    over: ({ call_id }) =>
      new Promise((resolve) => {
        const known = statuses.find(
          (event) => event.call_id === call_id && !['ringing', 'answered'].includes(event.status),
        )
        if (known) resolve(known)
        else waiting.set(call_id, resolve)
      }),
    names: ({ call_id }) => statuses.filter((event) => event.call_id === call_id).map(({ status }) => status),
  }
}

/** Says hello, hears one answer, hangs up. */
async function greet(line: Conversation): Promise<void> {
  await line.say('Hello, this is an AI assistant calling from Marsh & Cole. Am I speaking with Maria López?')
  for await (const event of line.turns) {
    if (event.type === 'said') break
  }
  await line.end()
}

const stored = (call: { call_id: number }) =>
  pool.one<{
    persona: string
    placed_at: Date
    answered_at: Date | null
    ended_at: Date | null
    outcome: string | null
  }>(
    sql`select persona, placed_at, answered_at, ended_at, outcome from sandbox_calls where company_id = 1 and call_id = ${call.call_id}`,
  )

test('a call is remembered before it is said to be placed', async () => {
  const { carrier } = await listen()
  const call = callTo(NUMBER.converted)
  const { provider_call_id } = await carrier.place(call)
  assert.equal(provider_call_id, `sandbox-1-${call.call_id}`)
  assert.equal((await stored(call)).persona, 'converted')
})

test('a call that is answered rings, is answered, holds a conversation and completes, in that order', async () => {
  const { carrier, over, statuses, names } = await listen()
  const call = callTo(NUMBER.converted)
  await carrier.place(call)
  const last = await over(call)
  assert.deepEqual(names(call), ['ringing', 'answered', 'completed'])
  const sequence = statuses.filter(({ call_id }) => call_id === call.call_id).map((event) => event.sequence)
  assert.deepEqual(sequence, [0, 1, 2])
  const row = await stored(call)
  assert.equal(row.outcome, 'completed')
  assert.ok(row.placed_at < row.answered_at! && row.answered_at! < row.ended_at!)
  assert.ok(last.status === 'completed' && last.duration_seconds > 3)
  // The line was in use for as long as the words took, on the carrier's own clock.
  assert.ok(row.ended_at!.getTime() - row.answered_at!.getTime() >= (last.duration_seconds - 1) * 1000)
})

for (const outcome of ['busy', 'no_answer'] as const) {
  test(`a number that is ${outcome} says so and is never answered`, async () => {
    const { carrier, over, names } = await listen()
    const call = callTo(NUMBER[outcome])
    await carrier.place(call)
    await over(call)
    assert.deepEqual(names(call), ['ringing', outcome])
    const row = await stored(call)
    assert.deepEqual([row.outcome, row.answered_at], [outcome, null])
  })
}

test('nobody answers a phone that rings for too short', async () => {
  const { carrier, over } = await listen()
  const call = callTo(NUMBER.voicemail, { ring_seconds: 5 })
  await carrier.place(call)
  assert.equal((await over(call)).status, 'no_answer')
})

test('a network failure comes back as a status, a dead number as a refusal; neither is placed again', async () => {
  const { carrier, over } = await listen()
  const failing = callTo(NUMBER.network_failure)
  await carrier.place(failing)
  assert.deepEqual(await over(failing).then((event) => event.status === 'failed' && event.reason), 'dial_failed')
  const dead = callTo(NUMBER.out_of_service)
  await assert.rejects(
    carrier.place(dead),
    (error) => error instanceof DialRefused && error.reason === 'invalid_destination',
  )
  await assert.rejects(carrier.place(dead), DialRefused)
  assert.deepEqual(await carrier.lookup(dead).then((known) => [known?.status, known?.reason]), [
    'failed',
    'invalid_destination',
  ])
})

test('placing a call twice rings once', async () => {
  const { carrier, over, names } = await listen()
  const call = callTo(NUMBER.converted)
  const ids = await Promise.all([carrier.place(call), carrier.place(call)])
  await over(call)
  assert.deepEqual(await carrier.place(call), ids[0])
  await new Promise((resolve) => setTimeout(resolve, 30))
  assert.deepEqual(names(call), ['ringing', 'answered', 'completed'])
})

test('calls of other companies with the same id are other calls', async () => {
  const { carrier } = await listen()
  const call = callTo(NUMBER.converted)
  await carrier.place(call)
  assert.equal(await carrier.lookup({ company_id: 2, call_id: call.call_id }), null)
})

test('lookup follows a call from ringing to its end', async () => {
  let now = START
  const held: { name: string; go: () => void }[] = []
  // A clock that stands still until it is moved.
  const clock: Clock = {
    speed: 1,
    now: () => now,
    sleep: (ms) => new Promise((resolve) => held.push({ name: `${ms}`, go: resolve })),
  }
  const forward = (seconds: number) => {
    now = new Date(now.getTime() + seconds * 1000)
    for (const { go } of held.splice(0)) go()
  }
  const { carrier, over } = await listen(greet, { clock })
  const call = callTo(NUMBER.converted)
  await carrier.place(call)
  assert.equal((await carrier.lookup(call))?.status, 'ringing')
  forward(20)
  assert.equal((await carrier.lookup(call))?.status, 'in_progress')
  const last = over(call)
  while (held.length === 0) await new Promise((resolve) => setImmediate(resolve))
  for (let n = 0; n < 5; n++) {
    forward(60)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  assert.equal((await last).status, 'completed')
  const known = await carrier.lookup(call)
  assert.equal(known?.status, 'completed')
  assert.ok(known?.ended_at)
})

test('a call whose process died is taken over: the same talk is held from its start, and nobody is rung again', async () => {
  const talks: string[][] = []
  const talk = async (line: Conversation) => {
    const said: string[] = []
    talks.push(said)
    for (const question of [
      'Am I speaking with Maria?',
      'Could you tell me the date of the accident?',
      'Is now a good time?',
    ]) {
      await line.say(question)
      const { value } = (await line.turns[Symbol.asyncIterator]().next()) as { value?: CallerEvent }
      if (value?.type === 'said') said.push(value.text)
    }
    await line.end()
  }
  const dying = await listen((line) => talk(line).then(() => {}), { clock: fast(500) })
  const call = callTo(NUMBER.converted)
  await dying.carrier.place(call)
  while (talks.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  await dying.carrier.stop()
  assert.deepEqual(dying.names(call), ['ringing', 'answered'])
  assert.equal((await stored(call)).ended_at, null)

  const heir = await listen(talk)
  assert.ok(await heir.carrier.resume(call))
  await heir.over(call)
  const whole = talks.at(-1)!
  assert.equal(whole.length, 3)
  assert.deepEqual(whole.slice(0, talks[0]!.length), talks[0])
  assert.equal((await stored(call)).outcome, 'completed')
  assert.equal(
    (await pool.one<{ n: number }>(sql`select count(*)::int as n from sandbox_calls where call_id = ${call.call_id}`))
      .n,
    1,
  )
})

test('taking over a call that has ended delivers its end once more', async () => {
  const first = await listen()
  const calls = [NUMBER.converted, NUMBER.busy, NUMBER.no_answer].map((to) => callTo(to))
  for (const call of calls) {
    await first.carrier.place(call)
    await first.over(call)
  }
  const dead = callTo(NUMBER.out_of_service)
  await assert.rejects(first.carrier.place(dead))
  const before = await Promise.all(calls.map(stored))

  const second = await listen()
  for (const call of [...calls, dead]) await second.carrier.resume(call)
  const ends = await Promise.all([...calls, dead].map(second.over))
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['completed', 'busy', 'no_answer', 'failed'],
  )
  assert.deepEqual(await Promise.all(calls.map(stored)), before)
  assert.deepEqual(
    ends.slice(0, 3).map(({ at }) => at),
    before.map(({ ended_at }) => ended_at),
  )
})

test('a call that the carrier never heard of can be neither looked up nor taken over', async () => {
  const { carrier } = await listen()
  const never = { company_id: 1, call_id: 999_999 }
  assert.deepEqual([await carrier.lookup(never), await carrier.resume(never)], [null, null])
})

test('taking over a call that is in hand here changes nothing', async () => {
  const { carrier, over, names } = await listen(greet, { clock: fast(200) })
  const call = callTo(NUMBER.converted)
  await carrier.place(call)
  await Promise.all([carrier.resume(call), carrier.resume(call)])
  await over(call)
  assert.deepEqual(names(call), ['ringing', 'answered', 'completed'])
})

test('hanging up stops the ringing, or ends the talk', async () => {
  const ringing = await listen(greet, { clock: fast(10) })
  const call = callTo(NUMBER.no_answer)
  await ringing.carrier.place(call)
  await ringing.carrier.hangUp(call)
  assert.equal((await ringing.over(call)).status, 'canceled')

  const heard: (string | undefined)[] = []
  const talking = await listen(async (line) => {
    await line.say('Am I speaking with Maria?')
    await talking.carrier.hangUp(line)
    for await (const event of line.turns) heard.push(event.type)
  })
  const other = callTo(NUMBER.converted)
  await talking.carrier.place(other)
  assert.equal((await talking.over(other)).status, 'completed')
  assert.deepEqual(heard, [])
})

test('a call placed elsewhere can be hung up from here', async () => {
  const elsewhere = await listen(greet, { clock: fast(10) })
  const call = callTo(NUMBER.no_answer)
  await elsewhere.carrier.place(call)
  const here = await listen(greet, { clock: fast(10) })
  await here.carrier.hangUp(call)
  assert.equal((await here.carrier.lookup(call))?.status, 'canceled')
})

test('a transfer is told from its start to its end, and the call lasts as long as they talk', async () => {
  const { carrier, over, transfers } = await listen(async (line) => {
    assert.equal(await line.transfer('+12125550101'), 'bridged')
  })
  const call = callTo(NUMBER.converted)
  await carrier.place(call)
  const last = await over(call)
  assert.deepEqual(
    transfers.map(({ status, number }) => [status, number]),
    [
      ['started', '+12125550101'],
      ['bridged', '+12125550101'],
      ['ended', '+12125550101'],
    ],
  )
  assert.ok(last.status === 'completed' && last.duration_seconds >= 60)
})

test('a transfer to somebody who does not answer is cancelled and the contact is back', async () => {
  const said: CallerEvent[] = []
  const { carrier, over, transfers } = await listen(async (line) => {
    assert.equal(await line.transfer(NUMBER.no_answer), 'failed')
    await line.say('Nobody is free. Is now a good time?')
    for await (const event of line.turns) {
      said.push(event)
      break
    }
  })
  const call = callTo(NUMBER.converted)
  await carrier.place(call)
  await over(call)
  assert.deepEqual(
    transfers.map(({ status }) => status),
    ['started', 'cancelled'],
  )
  assert.equal(said[0]?.type, 'said')
})

test('a conversation is cut off at its longest time', async () => {
  const heard: CallerEvent[] = []
  const { carrier, over } = await listen(async (line) => {
    for await (const event of line.turns) {
      heard.push(event)
      await line.say('Could you tell me a little more about that, if you have the time?')
    }
  })
  const call = callTo(NUMBER.converted, { max_seconds: 60 })
  await carrier.place(call)
  const last = await over(call)
  assert.deepEqual(heard.at(-1), { type: 'ended', reason: 'max_duration_reached' })
  assert.ok(last.status === 'completed' && last.duration_seconds === 60)
})

test('a listener that fails is called back until it hears; one that fails in a conversation ends the call', async () => {
  const { carrier, over, statuses } = await listen(() => Promise.reject(new Error('no brief')), { deaf: 1 })
  const call = callTo(NUMBER.converted)
  await carrier.place(call)
  assert.equal((await over(call)).status, 'completed')
  assert.deepEqual(
    statuses.map(({ sequence }) => sequence),
    [0, 1, 2],
  )
})

test('a process that stops lets go of its conversations and says nothing of their end', async () => {
  let failure: unknown
  const { carrier, names } = await listen(
    async (line) => {
      await line.say('Am I speaking with Maria?')
      setImmediate(() => void carrier.stop())
      try {
        for await (const _ of line.turns) await line.say('And then?')
      } catch (error) {
        failure = error
        throw error
      }
    },
    { clock: fast(200) },
  )
  const call = callTo(NUMBER.converted)
  await carrier.place(call)
  while (!failure) await new Promise((resolve) => setTimeout(resolve, 1))
  assert.ok(failure instanceof ConversationLost)
  await carrier.stop()
  assert.deepEqual(names(call), ['ringing', 'answered'])
  await assert.rejects(carrier.place(callTo(NUMBER.converted)), /stopped/)
})

test('a thousand calls placed at once are written in a few statements, each once, and all end', async () => {
  let statements = 0
  const many: typeof pool.many = (query) => {
    statements++
    return pool.many(query)
  }
  const carrier = sandboxCarrier({ ...pool, many }, fast(100_000))
  const ended = new Set<number>()
  let refused = 0
  await carrier.start({
    status: ({ status, call_id }) => {
      if (status !== 'ringing' && status !== 'answered') ended.add(call_id)
    },
    transfer: () => {},
    machine: () => {},
    lineEnded: () => {},
    conversation: greet,
    overheard: () => {},
    report: () => {},
    brief: () => assert.fail(),
    script: () => assert.fail(),
  })
  after(() => carrier.stop())
  const calls = Array.from({ length: 1000 }, (_, n) => callTo(`+1${203 + (n % 700)}5550${100 + (n % 100)}`))
  await Promise.all(
    calls.map((call) =>
      carrier.place(call).catch((error) => {
        assert.ok(error instanceof DialRefused)
        refused++
        ended.add(call.call_id)
      }),
    ),
  )
  assert.ok(statements <= 3, `${statements} statements`)
  while (ended.size < calls.length) await new Promise((resolve) => setTimeout(resolve, 5))
  const [{ open, all } = { open: -1, all: -1 }] = await pool.many<{ open: number; all: number }>(sql`
    select count(*) filter (where ended_at is null)::int as open, count(*)::int as all from sandbox_calls
    where call_id >= ${calls[0]!.call_id}`)
  assert.deepEqual([open, all], [0, 1000])
  assert.ok(refused > 0 && refused < 40)
})
