/** What the service's words mean to people. */

/** How a contact's latest call went, in the groups of the progress display. */
export const REACHED = [
  'converted',
  'successful',
  'unsuccessful',
  'disqualified',
  'callback_requested',
  'transferred',
  'opted_out',
  'wrong_number',
]
export const NOT_REACHED = ['no_answer', 'busy', 'failed']

export const RESULTS: Record<string, string> = {
  converted: 'agreed to the next step',
  successful: 'talked, undecided',
  unsuccessful: 'declined or broke off',
  disqualified: 'matter is taken care of elsewhere',
  callback_requested: 'asked to be called later',
  transferred: 'put through to the office',
  opted_out: 'asked not to be called again',
  wrong_number: 'wrong number',
  voicemail: 'voicemail',
  no_answer: 'nobody picked up',
  busy: 'line busy',
  failed: 'call failed',
}

/** Rules that only put off a call. */
export const WAITING = ['campaign_status', 'run', 'run_hours', 'legal_hours', 'legal_attempts', 'call_open']

/** Why somebody is not called, by the rule that says so. */
export const REASONS: Record<string, string> = {
  opted_out: 'opted out of calls',
  deceased: 'deceased',
  deleted: 'deleted',
  number_missing: 'no number',
  number_malformed: 'number cannot be dialled',
  time_zone: 'time zone cannot be told',
  not_member: 'not in the list',
}

export const grouped = (count: number) => count.toLocaleString('en-US')

export const plural = (count: number, one: string) => `${grouped(count)} ${count === 1 ? one : `${one}s`}`
