import sql from 'sql-template-tag'
import type { Clock } from '../core/clock.ts'
import { entryRows } from '../core/columns.ts'
import type { Database, Pool } from '../core/db.ts'
import type { Providers } from '../providers/index.ts'
import { pauseAll } from './pause-all.ts'

type Channel = 'voice' | 'sms' | 'email'

const WORDS: Record<Channel, string> = { voice: 'calls', sms: 'texts', email: 'mail' }

/** What a start found changed, in the words of the welcome. */
export interface Changed {
  reason: string
  campaigns: number
}

/**
 * Where a channel has left the sandbox since the last start, or gone back to it, no campaign goes on by itself: what is
 * kept of its contacts was said by people who were played, or will be. Messages that wait for a channel which is real
 * now were meant for the sandbox and are given up.
 */
export async function pauseWhereChannelsChanged(
  pool: Pool,
  clock: Clock,
  { voice, sms, email }: Pick<Providers, Channel>,
): Promise<Changed | undefined> {
  const now = Object.entries({ voice, sms, email }).map(([channel, { sandbox }]) => ({ channel, sandbox }))
  return await pool.transaction(async (db) => {
    const changed = await db.many<{ channel: Channel; sandbox: boolean }>(sql`
      update channels c set sandbox = n.sandbox from ${entryRows(now, { channel: 'text', sandbox: 'boolean' })} as n
      where c.channel = n.channel and c.sandbox <> n.sandbox
      returning c.channel, c.sandbox`)
    const left = named(changed.filter(({ sandbox }) => !sandbox))
    const back = named(changed.filter(({ sandbox }) => sandbox))
    if (left)
      await giveUpMessages(
        db,
        changed.filter(({ sandbox }) => !sandbox).map(({ channel }) => channel),
      )
    const facts = [
      ...(left ? [`from this start on real people get ${left}, which were the sandbox's before`] : []),
      ...(back ? [`from this start on the sandbox plays ${back}: nobody gets them`] : []),
    ]
    if (facts.length === 0) return undefined
    const reason = facts.join('; ')
    const campaigns = await pauseAll(db, `${reason}. Look at its contacts, then resume it`, clock)
    return campaigns > 0 ? { reason, campaigns } : undefined
  })
}

const named = (channels: { channel: Channel }[]) =>
  (['voice', 'sms', 'email'] as const)
    .filter((each) => channels.some(({ channel }) => channel === each))
    .map((each) => WORDS[each])
    .join(', ')
    .replace(/, ([^,]*)$/, ' and $1')

async function giveUpMessages(db: Database, channels: Channel[]): Promise<void> {
  await db.run(sql`
    update messages set status = 'skipped', error = 'it was written while the sandbox played this channel'
    where (status = 'scheduled' or (status = 'sending' and intent is null)) and direction = 'outbound'
      and channel = any(${channels}::text[])`)
}
