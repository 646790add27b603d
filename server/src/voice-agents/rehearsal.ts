import sql from 'sql-template-tag'
import { quietDays, shippedRules } from '../compliance/law.ts'
import type { Scope } from '../core/operation.ts'
import { render } from '../messages/template.ts'
import type { CallBrief } from '../providers/call-brief.ts'
import type { CallerEvent, Conversation } from '../providers/voice.ts'
import { selectAgent } from './queries.ts'

/** A contact and a case that nobody has, for agents to practise on. */
const SAMPLE = {
  meta: null,
  first_name: 'Maria',
  last_name: 'Lopez',
  city: 'Albany',
  state: 'NY',
  case_number: 'REHEARSAL-1',
  case_name: 'Lopez v. Example',
  name: 'Lopez v. Example',
  court_name: 'Albany County Court',
  status: 'active',
  type: 'personal injury',
  court_date: '2030-03-12',
}

/** What an agent would know in a call to the sample contact. */
export async function rehearsalBrief(scope: Scope, agentId: string): Promise<CallBrief> {
  const agent = await selectAgent(scope, agentId)
  const company = await scope.db.one<Pick<CallBrief['office'], 'hours' | 'timezone'> & { name: string }>(sql`
    select name, business_hours as hours, timezone from companies where id = ${scope.companyId}`)
  const values = { ...SAMPLE, company_name: company.name, agent_name: agent.name }
  return {
    company_name: company.name,
    agent: {
      ...agent,
      transfer_number: agent.transfer_number ?? null,
      voicemail_message: agent.voicemail_message ?? null,
    },
    client: SAMPLE,
    case: { type: SAMPLE.type },
    recorded: false,
    law: { says_why: false, all_agree_to_recording: false },
    office: { hours: company.hours, timezone: company.timezone, closedOn: quietDays(shippedRules) },
    zones: ['America/New_York'],
    render: (template) => render(template, values),
  }
}

export interface RehearsalLine extends Conversation {
  readonly heard: readonly string[]
  readonly transferredTo: string | null
}

/**
 * A line without a telephone. `answer` is asked for what the contact does, with what the agent has said since; null hangs
 * up.
 */
export function rehearsalLine(
  answer: (heard: string) => Promise<CallerEvent | null>,
  onToken: (token: string) => void = () => {},
): RehearsalLine {
  const begun = new Date()
  const heard: string[] = []
  let unanswered: string[] = []
  let over = false
  let transferredTo: string | null = null

  async function* turns(): AsyncGenerator<CallerEvent> {
    while (!over) {
      const said = unanswered.join(' ')
      unanswered = []
      const event = await answer(said)
      if (over) return
      yield event ?? { type: 'ended', reason: 'user_hangup' }
      if (event === null) over = true
    }
  }

  return {
    company_id: 0,
    call_id: 0,
    answered_at: begun,
    heard,
    get transferredTo() {
      return transferredTo
    },
    elapsed: () => (Date.now() - begun.getTime()) / 1000,
    turns: turns(),
    async say(words) {
      let whole = ''
      for await (const token of typeof words === 'string' ? [words] : words) {
        whole += token
        onToken(token)
      }
      if (whole === '') return
      onToken('\n')
      heard.push(whole)
      unanswered.push(whole)
    },
    async transfer(number) {
      transferredTo = number
      return 'bridged'
    },
    async end() {
      over = true
    },
  }
}
