import sql from 'sql-template-tag'
import type { Engine, Job } from '../engine/job.ts'
import type { MessageProvider, MessageRef } from '../providers/message.ts'
import type { Intent } from './intents.ts'
import { messageEvents } from './news.ts'
import { type Outcome, outcomeWriter } from './outcomes.ts'

const BATCH = 50

/** A request that was under way may be worked on a moment longer than anybody waits for its answer. */
const MAY_STILL_ARRIVE_MS = 60_000
const ASK_AGAIN_MS = 10_000

const UNKNOWN =
  'it is not known whether this message was sent: the connection was lost or the service ended while it was handed over, so it was not sent again'

/** Nobody has them in hand: their process died, or could not tell what became of them. */
const left = sql`m.status = 'sending' and not exists (select from engine_nodes n where n.id = m.node_id)`

export const takeOverMessages: Job = {
  name: 'take over messages',
  summary: 'Sends on what a dead process had not begun to send, and finds out what became of the rest',
  idleMs: 3000,
  async pass(engine) {
    const { pool, wake } = engine
    // Without an intent nothing has left the house, or it went to a provider that knows our keys: what went out there
    // already does not go out again.
    const taken = await pool.run(sql`
      update messages m set status = 'scheduled', node_id = null where ${left} and m.intent is null`)
    if (taken > 0) wake('send messages')
    for (const message of await selectDoubtful(engine)) await engine.inHand(settle(engine, message))
    return 'idle'
  },
}

interface Doubtful {
  company_id: number
  id: number
  channel: 'sms' | 'email'
  node_id: string | null
  intent: Omit<Intent, 'at'> & { at: string }
  /** The provider's ids of other messages to the address. */
  others: string[]
}

/** Marked with when to ask next, so that one that stays unclear does not keep the others. */
function selectDoubtful({ pool, clock }: Engine): Promise<Doubtful[]> {
  const now = clock.now()
  return pool.many<Doubtful>(sql`
    with asked as (
      update messages m set due_at = ${new Date(now.getTime() + ASK_AGAIN_MS)}
      where (m.company_id, m.id) in (
        select m.company_id, m.id from messages m
        where ${left} and m.intent is not null and m.due_at <= ${now}
        order by m.due_at limit ${BATCH} for update skip locked)
      returning m.company_id, m.id, m.channel, m.node_id, m.intent
    )
    select a.*, array(
      select o.provider_message_id from companies co
      join messages o on o.company_id = co.id and o.to_address = a.intent ->> 'to'
      where o.provider_message_id is not null order by o.created_at desc limit 200) as others
    from asked a`)
}

async function settle(engine: Engine, { company_id, id, channel, node_id, intent, others }: Doubtful): Promise<void> {
  const { clock, log } = engine
  const provider = engine.providers[channel] as MessageProvider<MessageRef>
  const { to, subject, body } = intent
  const since = new Date(intent.at)
  const ref = { company_id, key: `message:${id}` }
  const outcome = { company_id, id, channel, node_id, provider: intent.provider, to_address: to, subject, body }
  const write = (rest: Pick<Outcome, 'status'> & Partial<Outcome>) => outcomeWriter(engine)({ ...outcome, ...rest })

  // Those that the settings no longer name can't be asked.
  const known =
    provider.name === intent.provider
      ? await provider.lookup({ ...ref, to, body, since, others }).catch((error: unknown) => {
          log.warn({ err: error, message_id: id }, 'the provider does not say what became of a message')
          return undefined
        })
      : 'unclear'
  if (known === undefined) return
  if (known === 'unclear') return write({ status: 'failed', error: UNKNOWN, given_up: true })
  if (known === null) {
    if (Date.now() < since.getTime() + MAY_STILL_ARRIVE_MS) return
    // It was never there, and nothing is under way any more: this is the first time that it is sent.
    return write({ status: 'scheduled', subject: null, body: null, due_at: clock.now() })
  }
  const { provider_message_id, status, reason, error } = known
  await write({ status: 'sent', provider_message_id, sent_at: clock.now() })
  if (status === 'delivered' || status === 'failed')
    await messageEvents(engine).status({ ...ref, provider_message_id, status, reason, error, at: clock.now() })
}
