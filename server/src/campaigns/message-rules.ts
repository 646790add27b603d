import type { Detail } from '../core/errors.ts'
import { brokenTemplate } from '../messages/template.ts'
import { timeRule } from './hours.ts'
import type { CreateCampaign, Run, RunMessage } from './schema.ts'

const SMS_LENGTH = 1600
/** Less and the text would not have been read when the phone rings. */
const LEAST_DELAY = 2

export function messageRules(at: string, run: Run): Detail[] {
  return (run.messages ?? []).flatMap((message, index) => {
    const here = `${at}.messages[${index}]`
    const details = message.trigger === 'scheduled' ? scheduledRules(here, message, run) : callRules(here, message, run)
    return [...details, ...textRules(here, message)]
  })
}

function scheduledRules(at: string, { date, time, delay_minutes }: RunMessage, run: Run): Detail[] {
  const details = timeRule(`${at}.time`, time)
  if (time == null) details.push({ field: `${at}.time`, message: 'is required for a scheduled message' })
  if (date != null && (date < run.start_date || date > run.end_date))
    details.push({ field: `${at}.date`, message: `must lie within the run (${run.start_date} to ${run.end_date})` })
  if (delay_minutes != null)
    details.push({ field: `${at}.delay_minutes`, message: 'must be left out of a scheduled message' })
  return details
}

function callRules(at: string, { trigger, date, time, delay_minutes }: RunMessage, run: Run): Detail[] {
  const details: Detail[] = []
  if (run.messaging_only)
    details.push({ field: `${at}.trigger`, message: 'must be scheduled: a messaging-only run makes no calls' })
  for (const [field, value] of Object.entries({ date, time }))
    if (value != null)
      details.push({ field: `${at}.${field}`, message: 'must be left out: only a scheduled message has one' })
  if (trigger === 'before_call' && (delay_minutes ?? 0) < LEAST_DELAY)
    details.push({
      field: `${at}.delay_minutes`,
      message: `${delay_minutes == null ? 'is required before a call and ' : ''}must be at least ${LEAST_DELAY}`,
    })
  return details
}

function textRules(at: string, { channel, subject, message }: RunMessage): Detail[] {
  const details = [...template(`${at}.subject`, subject), ...template(`${at}.message`, message)]
  if (channel === 'email' && subject == null)
    details.push({ field: `${at}.subject`, message: 'is required for an e-mail' })
  if (channel === 'sms' && subject != null)
    details.push({ field: `${at}.subject`, message: 'must be left out: an SMS has no subject' })
  if (channel === 'sms' && message.length > SMS_LENGTH)
    details.push({ field: `${at}.message`, message: `must have at most ${SMS_LENGTH} characters in an SMS` })
  return details
}

const OLDER = [
  ['send_sms_before_call', 'sms_before_call_text'],
  ['send_sms_after_successful_call', 'sms_after_successful_call_text'],
  ['send_sms_after_failed_call', 'sms_after_failed_call_text'],
] as const

/** The older SMS fields, which are also taken beside `runs`. */
export function olderMessageRules(input: CreateCampaign): Detail[] {
  const makesCalls = !input.runs || input.runs.some(({ messaging_only }) => !messaging_only)
  return OLDER.filter(([flag]) => input[flag]).flatMap(([flag, text]) => {
    const details = template(text, input[text])
    if (input[text] == null) details.push({ field: text, message: `is required while ${flag} is true` })
    if (!makesCalls) details.push({ field: flag, message: 'needs a run that makes calls' })
    return details
  })
}

const template = (field: string, text: string | null | undefined): Detail[] => (text ? brokenTemplate(field, text) : [])
