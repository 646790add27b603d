import sql from 'sql-template-tag'
import { permissionOf } from '../compliance/permissions.ts'
import { coalesce } from '../core/coalesce.ts'
import { entryRows } from '../core/columns.ts'
import type { Engine } from '../engine/job.ts'

/** The final words of a message that is about to be handed to a provider, by the real clock. */
export interface Intent {
  provider: string
  to: string
  subject: string | null
  body: string
  at: Date
}

interface Intended {
  company_id: number
  id: number
  intent: Intent
}

/**
 * `unwanted`: something came since the gate allowed it (an opt-out, a pause, another address): it is asked again. `taken`:
 * this process was thought dead, and another one has the message.
 */
type Answer = 'go' | 'unwanted' | 'taken'

const address = sql`case m.channel when 'email' then c.email else c.mobile_e164 end`
const permission = permissionOf({
  channel: sql`m.channel`,
  address,
  purpose: sql`coalesce(p.purpose, 'case_update')`,
})

const writers = new WeakMap<Engine, (intended: Intended) => Promise<Answer>>()

/** Writes intents before anything leaves the house, and says whether it may. */
export function intentWriter(engine: Engine): (intended: Intended) => Promise<Answer> {
  const write = writers.get(engine) ?? openWriter(engine)
  writers.set(engine, write)
  return write
}

function openWriter({ pool, nodeId }: Engine) {
  return coalesce<Intended, Answer>(async (intended) => {
    const rows = await pool.many<{ company_id: number; id: number; wanted: boolean }>(sql`
      with looked as (
        select m.company_id, m.id, i.intent, c.deleted_at is null and ${address} = i.intent ->> 'to' and not suppressed
          and not case m.channel when 'sms' then c.sms_opted_out else c.email_opted_out end
          and (m.manual or m.appointment_id is not null or (p.status <> 'paused' and co.campaigns_enabled)) as wanted
        from ${entryRows(intended, { company_id: 'bigint', id: 'bigint', intent: 'jsonb' })} as i
        join messages m on m.company_id = i.company_id and m.id = i.id
        join companies co on co.id = m.company_id
        join clients c on c.company_id = m.company_id and c.id = m.client_id
        left join campaigns p on p.company_id = m.company_id and p.id = m.campaign_id
        cross join lateral (select ${permission.columns} from (select) one ${permission.join}) permitted
      )
      update messages m set intent = case when l.wanted then l.intent end
      from looked l
      where m.company_id = l.company_id and m.id = l.id and m.status = 'sending' and m.node_id = ${nodeId}
      returning m.company_id, m.id, coalesce(l.wanted, false) as wanted`)
    const answers = new Map(rows.map((row) => [`${row.company_id} ${row.id}`, row.wanted ? 'go' : 'unwanted'] as const))
    return intended.map(({ company_id, id }) => answers.get(`${company_id} ${id}`) ?? 'taken')
  })
}
