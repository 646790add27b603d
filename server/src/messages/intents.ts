import sql from 'sql-template-tag'
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

/** `taken`: this process was thought dead, and another one has the message. */
type Answer = 'go' | 'opted_out' | 'taken'

const writers = new WeakMap<Engine, (intended: Intended) => Promise<Answer>>()

/** Writes intents before anything leaves the house, and says whether it may. */
export function intentWriter(engine: Engine): (intended: Intended) => Promise<Answer> {
  const write = writers.get(engine) ?? openWriter(engine)
  writers.set(engine, write)
  return write
}

function openWriter({ pool, nodeId }: Engine) {
  return coalesce<Intended, Answer>(async (intended) => {
    const wanted = sql`not case m.channel when 'sms' then c.sms_opted_out else c.email_opted_out end and c.deleted_at is null`
    const rows = await pool.many<{ company_id: number; id: number; wanted: boolean }>(sql`
      update messages m set intent = case when ${wanted} then i.intent end
      from ${entryRows(intended, { company_id: 'bigint', id: 'bigint', intent: 'jsonb' })} as i, clients c
      where m.company_id = i.company_id and m.id = i.id and m.status = 'sending' and m.node_id = ${nodeId}
        and c.company_id = m.company_id and c.id = m.client_id
      returning m.company_id, m.id, ${wanted} as wanted`)
    const answers = new Map(
      rows.map((row) => [`${row.company_id} ${row.id}`, row.wanted ? 'go' : 'opted_out'] as const),
    )
    return intended.map(({ company_id, id }) => answers.get(`${company_id} ${id}`) ?? 'taken')
  })
}
