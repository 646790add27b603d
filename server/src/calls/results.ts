/** How a call can end: the vocabulary of the engine, the analysis, the statistics and the CRM. */

interface ResultFacts {
  label: string
  description: string
  /** A person was reached and the conversation was completed. */
  success: boolean
  /** The attempt is repeated by the campaign's callback_delays. */
  retried: boolean
  /** Says something about the telephone network only, nothing about the person. */
  technical: boolean
}

const facts = {
  converted: {
    label: 'Converted',
    description: 'The contact agreed to what the agent asked for',
    success: true,
    retried: false,
    technical: false,
  },
  successful: {
    label: 'Successful',
    description: 'A person was reached and the conversation was completed',
    success: true,
    retried: false,
    technical: false,
  },
  unsuccessful: {
    label: 'Unsuccessful',
    description: 'A person was reached, but the conversation broke off before its purpose was met',
    success: false,
    retried: false,
    technical: false,
  },
  disqualified: {
    label: 'Disqualified',
    description: 'The conversation showed that the contact does not qualify',
    success: true,
    retried: false,
    technical: false,
  },
  callback_requested: {
    label: 'Callback requested',
    description: 'The contact asked to be called again at another time',
    success: true,
    retried: false,
    technical: false,
  },
  transferred: {
    label: 'Transferred',
    description: 'The contact was put through to a person',
    success: true,
    retried: false,
    technical: false,
  },
  voicemail: {
    label: 'Voicemail',
    description: 'An answering machine picked up',
    success: false,
    retried: true,
    technical: false,
  },
  no_answer: {
    label: 'No answer',
    description: 'Nobody picked up',
    success: false,
    retried: true,
    technical: false,
  },
  busy: { label: 'Busy', description: 'The line was busy', success: false, retried: true, technical: true },
  failed: {
    label: 'Failed',
    description: 'The call could not be completed for a technical reason',
    success: false,
    retried: true,
    technical: true,
  },
  opted_out: {
    label: 'Opted out',
    description: 'The contact asked not to be called again',
    success: false,
    retried: false,
    technical: false,
  },
  wrong_number: {
    label: 'Wrong number',
    description: 'The number belongs to somebody else',
    success: false,
    retried: false,
    technical: false,
  },
} as const satisfies Record<string, ResultFacts>

export type CallResult = keyof typeof facts

export const callResults: Record<CallResult, ResultFacts> = facts

export const CALL_RESULTS = Object.keys(facts) as CallResult[]

export const isSuccess = (result: CallResult): boolean => callResults[result].success

export const isRetried = (result: CallResult): boolean => callResults[result].retried
