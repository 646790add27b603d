import sql from 'sql-template-tag'
import { revocationScopes } from '../compliance/revocation.ts'
import { CONTACT } from '../core/actors.ts'
import type { Database } from '../core/db.ts'
import type { Engine } from '../engine/job.ts'
import { waysOut } from '../preferences/links.ts'
import type { InboundMessage, MessageReply } from '../providers/message.ts'
import { recordChanges } from '../webhooks/record-changes.ts'
import { type Firm, isOptedOut, optIn, optOut } from './choices.ts'
import { messageChanged } from './records.ts'
import { segmentsOf } from './segments.ts'
import { forgetFailures } from './undeliverable.ts'
import { type Wish, wishOf } from './words.ts'

/** A contact whose number it is, and when the firm last reached out to it from the number that was written to. */
interface Party extends Firm {
  client_id: number
  case_id: number | null
  reached_at: Date | null
}

type Receiver = Pick<Engine, 'pool' | 'clock' | 'log' | 'publicUrl'>

/**
 * Keeps what somebody has written, on the latest case of the contact, and does what it asks for, both in one
 * transaction: from its commit on no process writes to the number. Answers what is to be replied, if anything; what is
 * told twice is answered once.
 */
export function receiver({
  pool,
  log,
  publicUrl,
}: Receiver): (message: InboundMessage) => Promise<MessageReply | null> {
  return (message) =>
    pool.transaction(async (db) => {
      const { provider, provider_message_id, from, to } = message
      // What one number writes is heard one after the other: a STOP that is said twice at once is confirmed once.
      await db.run(sql`select pg_advisory_xact_lock(hashtextextended(${`texts of ${from}`}, 0))`)
      const fresh = await db.run(sql`
        insert into inbound_texts (provider, provider_message_id) values (${provider}, ${provider_message_id})
        on conflict do nothing`)
      if (fresh === 0) return null
      const parties = await selectParties(db, from, to)
      const party = parties[0]
      if (party) await keep(db, party, message)
      else log.info({ provider_message_id }, 'a text from a number that no contact has')
      const wish: Wish = message.handled
        ? { asks: message.handled, keyword: true, also_calls: false }
        : wishOf(message.body)
      const words = wish && (await answer({ pool, publicUrl }, db, wish, message, parties))
      if (!words || message.handled) return null
      const key = party ? await keepReply(db, party, message, words) : `reply:${provider_message_id}`
      return { company_id: party?.company_id ?? 0, key, body: words }
    })
}

/** The likeliest first: whom the firm reached out to last. */
function selectParties(db: Database, from: string, to: string): Promise<Party[]> {
  return db.many<Party>(sql`
    select co.id as company_id, co.name as company_name, c.id as client_id, greatest(t.at, f.at) as reached_at,
      coalesce(case when f.at is null or t.at >= f.at then t.case_id else f.case_id end, f.case_id, n.case_id) as case_id
    from companies co
    join clients c on c.company_id = co.id and c.mobile_e164 = ${from} and c.deleted_at is null
    left join lateral (
      select m.case_id, coalesce(m.sent_at, m.created_at) as at from messages m
      where m.company_id = c.company_id and m.client_id = c.id and m.channel = 'sms' and m.direction = 'outbound'
        and m.status in ('sending', 'sent', 'delivered', 'failed') and coalesce(m.from_address, ${to}) = ${to}
      order by m.id desc limit 1) t on true
    left join lateral (
      select x.case_id, x.created_at as at from calls x
      where x.company_id = c.company_id and x.client_id = c.id and coalesce(x.from_number, ${to}) = ${to}
      order by x.id desc limit 1) f on true
    left join lateral (
      select max(l.case_id) as case_id from case_clients l
      where l.company_id = c.company_id and l.client_id = c.id) n on true
    order by reached_at desc nulls last, co.id, c.id`)
}

async function keep(db: Database, party: Party, message: InboundMessage): Promise<void> {
  const { company_id, client_id, case_id } = party
  const { provider, provider_message_id, from, to, segments, media, at } = message
  const files =
    media > 0 ? `[${media === 1 ? 'a picture or file' : `${media} pictures or files`}, kept at the carrier]` : ''
  const body = [message.body, files].filter((part) => part !== '').join('\n')
  const { id } = await db.one<{ id: number }>(sql`
    insert into messages (company_id, channel, direction, status, client_id, case_id, from_address, to_address, body, segments,
      provider, provider_message_id, origin, created_at)
    values (${company_id}, 'sms', 'inbound', 'received', ${client_id}, ${case_id}, ${from}, ${to}, ${body}, ${segments},
      ${provider}, ${provider_message_id}, ${CONTACT.channel}, ${at})
    returning id`)
  const change = messageChanged('received', { company_id, id, client_id, case_id, campaign_id: null })
  await db.run(recordChanges({ companyId: company_id, ...CONTACT }, [change]))
  await forgetFailures(db, [{ company_id, channel: 'sms', address: from }])
}

/** Kept as sent: it leaves with our answer, past the gate. */
async function keepReply(db: Database, party: Party, message: InboundMessage, words: string): Promise<string> {
  const { company_id, client_id, case_id } = party
  const { provider, from, to, at } = message
  const { id } = await db.one<{ id: number }>(sql`
    insert into messages (company_id, channel, status, client_id, case_id, from_address, to_address, body, segments, provider,
      origin, created_at, sent_at)
    values (${company_id}, 'sms', 'sent', ${client_id}, ${case_id}, ${to}, ${from}, ${words}, ${segmentsOf(words)},
      ${provider}, 'system', ${at}, ${at})
    returning id`)
  const change = messageChanged('sent', { company_id, id, client_id, case_id, campaign_id: null })
  await db.run(recordChanges({ companyId: company_id, ...CONTACT }, [change]))
  return `message:${id}`
}

/** Does what is asked for. Answers what to reply; nothing where it was done before. */
async function answer(
  links: Pick<Engine, 'pool' | 'publicUrl'>,
  db: Database,
  wish: NonNullable<Wish>,
  message: InboundMessage,
  parties: Party[],
): Promise<string | null> {
  const { from, at, provider, provider_message_id } = message
  const evidence = { provider, provider_message_id }
  switch (wish.asks) {
    case 'help': {
      const [party, ...others] = unique(parties)
      // Where several firms share the number, nobody can tell whose choices are meant.
      const link =
        party && others.length === 0
          ? (await waysOut(links, { company_id: party.company_id, client_id: parties[0]!.client_id, message_id: 0 }))
              .preferences_url
          : null
      const choose = link ? ` Choose how we reach you: ${link}` : ''
      return `${named(parties)}: these are messages about your legal matter. Answer here and somebody will read it. Message and data rates may apply. Reply STOP to get no more.${choose}`
    }
    case 'start': {
      let lifted = false
      for (const { company_id } of unique(parties)) {
        if (!(await isOptedOut(db, company_id, 'sms', from))) continue
        await optIn(db, company_id, [{ channel: 'sms', address: from, source: 'keyword', evidence, obtained_at: at }])
        lifted = true
      }
      return lifted ? `${named(parties)}: you will get our messages again. Reply STOP to get no more.` : null
    }
    case 'stop': {
      const firms = await selectWriters(db, message, parties)
      const channelsOf = await revocationScopes(
        db,
        firms.map(({ company_id }) => company_id),
      )
      let [added, calls] = [0, wish.also_calls]
      for (const { company_id } of firms) {
        const channels = wish.also_calls ? (['sms', 'call'] as const) : channelsOf(company_id, 'sms', at)
        calls ||= channels.includes('call')
        const entries = channels.map((channel) => ({
          channel,
          address: from,
          source: 'keyword' as const,
          evidence,
          obtained_at: at,
        }))
        added += await optOut(db, company_id, entries, 'the contact asked for it by text')
      }
      if (added === 0) return null
      return `${named(firms)}: you will get no more messages${calls ? ' and no more calls' : ''} from us. Reply START to get messages again.`
    }
  }
}

/**
 * Whom a STOP is meant for: every firm that wrote to the number, or called it, from the one that was answered; where there
 * is none, those that know the number, and where nobody does, all.
 */
async function selectWriters(db: Database, { from, to }: InboundMessage, parties: Party[]): Promise<Firm[]> {
  const wrote = await db.many<Firm>(sql`
    select co.id as company_id, co.name as company_name from companies co
    where exists (
        select from messages m where m.company_id = co.id and m.to_address = ${from} and m.direction = 'outbound'
          and m.status in ('sending', 'sent', 'delivered', 'failed') and coalesce(m.from_address, ${to}) = ${to})
      or exists (
        select from calls x where x.company_id = co.id and x.to_number = ${from} and coalesce(x.from_number, ${to}) = ${to})
    order by co.id`)
  const related = unique([...parties.filter(({ reached_at }) => reached_at !== null), ...wrote])
  if (related.length > 0) return related
  if (parties.length > 0) return unique(parties)
  return await db.many<Firm>(sql`select id as company_id, name as company_name from companies order by id`)
}

const unique = (firms: Firm[]): Firm[] => [...new Map(firms.map((firm) => [firm.company_id, firm])).values()]

/** Nobody is told the names of firms that share a number but not the contact. */
function named(firms: Firm[]): string {
  const names = [...new Set(firms.map(({ company_name }) => company_name))]
  return names.length > 0 && names.length < 3 ? names.join(' and ') : 'Automatic answer'
}
