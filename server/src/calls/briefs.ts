import sql from 'sql-template-tag'
import { ruleBooks } from '../compliance/company-rules.ts'
import { quietDays, type RuleBook } from '../compliance/law.ts'
import { localDay } from '../compliance/local-time.ts'
import { candidateZones, type Whereabouts } from '../compliance/time-zones.ts'
import { entryRows } from '../core/columns.ts'
import type { Database } from '../core/db.ts'
import { render, selectTemplateValues, type TemplateValues } from '../messages/template.ts'
import type { CallBrief } from '../providers/call-brief.ts'
import type { CallRef } from '../providers/voice.ts'

type Agent = CallBrief['agent']

interface Row extends Whereabouts, Agent {
  company_id: number
  client_id: number
  case_id: number
  company_name: string
  first_name: string
  last_name: string
  case_type: string
  office_hours: CallBrief['office']['hours']
  office_timezone: string | null
  rules_version: string | null
  purpose: string
  created_at: Date
}

/** What the agents of many calls must know, in the order of the calls. */
export async function selectBriefs(db: Database, calls: CallRef[], recorded: boolean): Promise<CallBrief[]> {
  const rows = await db.many<Row>(sql`
    select f.company_id, f.client_id, f.case_id, co.name as company_name, c.first_name, c.last_name, c.timezone, c.state,
      c.postal_code, c.mobile_e164, t.name as case_type, a.name, a.voice_id, a.greeting, a.task, a.post_call_fields,
      a.transfer_number, a.is_transfer_enabled, a.transfer_mode, a.is_appointment_booking_enabled, a.voicemail_action,
      a.voicemail_message, co.business_hours as office_hours,
      co.timezone as office_timezone, co.rules_version, p.purpose, f.created_at
    from ${entryRows(calls, { company_id: 'bigint', call_id: 'bigint' })} as w
    join calls f on f.company_id = w.company_id and f.id = w.call_id
    join companies co on co.id = f.company_id
    join clients c on c.company_id = f.company_id and c.id = f.client_id
    join cases k on k.company_id = f.company_id and k.id = f.case_id
    join case_types t on t.company_id = k.company_id and t.id = k.type_id
    join campaigns p on p.company_id = f.company_id and p.id = f.campaign_id
    join agents a on a.company_id = f.company_id and a.id = f.agent_id
    order by w.ordinality`)
  if (rows.length !== calls.length)
    throw new Error(`${calls.length - rows.length} of ${calls.length} calls are not known`)
  const values = new Map<Row, TemplateValues | undefined>()
  for (const [companyId, ofCompany] of Map.groupBy(rows, (row) => row.company_id)) {
    const occasions = ofCompany.map(({ client_id, case_id, name }) => ({ client_id, case_id, agent_name: name }))
    for (const [index, found] of (await selectTemplateValues({ db, companyId }, occasions)).entries())
      values.set(ofCompany[index]!, found)
  }
  const rulesOf = await ruleBooks(db, rows)
  return rows.map((row) => toBrief(row, rulesOf(row), values.get(row), recorded))
}

function toBrief(row: Row, rules: RuleBook, values: TemplateValues | undefined, recorded: boolean): CallBrief {
  const { company_name, first_name, last_name, case_type } = row
  const {
    name,
    voice_id,
    greeting,
    task,
    post_call_fields,
    transfer_number,
    is_transfer_enabled,
    transfer_mode,
    is_appointment_booking_enabled,
    voicemail_action,
    voicemail_message,
  } = row
  return {
    company_name,
    agent: {
      name,
      voice_id,
      greeting,
      task,
      post_call_fields,
      transfer_number,
      is_transfer_enabled,
      transfer_mode,
      is_appointment_booking_enabled,
      voicemail_action,
      voicemail_message,
    },
    client: { first_name, last_name },
    case: { type: case_type },
    recorded,
    law: lawOfTalk(row, rules),
    office: { hours: row.office_hours, timezone: row.office_timezone, closedOn: quietDays(rules) },
    zones: [...candidateZones(row).zones],
    // The case may have been deleted while the phone rang: nothing of it is said then.
    render: (template) =>
      render(template, values ?? { meta: null, company_name, agent_name: name, first_name, last_name }),
  }
}

/** Of every place where the contact may be, the strictest. */
function lawOfTalk({ purpose, created_at, ...row }: Row, rules: RuleBook): CallBrief['law'] {
  const { jurisdictions, zones } = candidateZones(row)
  const law = rules.lawFor(jurisdictions, 'call', purpose)
  const day = localDay(zones[0] ?? 'UTC', created_at.getTime())
  return {
    says_why: law.says(day).some(({ says }) => says.includes('purpose')),
    all_agree_to_recording: law.recordingConsent(day).length > 0,
  }
}
