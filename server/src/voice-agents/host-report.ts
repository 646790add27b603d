import type { CallBrief } from '../providers/call-brief.ts'
import type { HostedReport, Turn } from '../providers/voice.ts'
import { analyse, type CallOutcome, contactTurns, endReason } from './analysis.ts'
import { borneOut, fitting } from './answers.ts'
import { forbidden } from './forbidden-speech.ts'
import { refusesRecording } from './hearing.ts'
import { prompter } from './model-prompt.ts'
import { asksToBeLeftAlone, promisesNoMoreCalls } from './opt-out.ts'
import { sentences } from './wording.ts'

/**
 * Adds to our own reading of a conversation that a host held what the host makes of it. Its values count where they fit
 * and the contact's words bear them out, its words only where ours are silent; an opt-out counts whoever noticed it. What
 * its agent must not have said becomes a task.
 */
export function analyseReport(report: HostedReport, brief: CallBrief, ours = analyse(report, brief)): CallOutcome {
  const said = contactTurns(report.transcript)
  const fields = { ...ours.extracted_fields }
  for (const field of brief.agent.post_call_fields) {
    const value = fitting(field, report.extracted_fields[field.name])
    if (value !== null && borneOut(field, value, said, report.transcript)) fields[field.name] ??= value
  }
  const sentiment = report.sentiment_score
  const outcome = {
    ...ours,
    // Whether its agent came to an end is the host's to say.
    result: ours.result === 'unsuccessful' && report.successful ? ('successful' as const) : ours.result,
    summary: report.summary ?? ours.summary,
    sentiment_score: sentiment !== null && sentiment >= 0 && sentiment <= 1 ? sentiment : ours.sentiment_score,
    extracted_fields: fields,
  }
  const read = report.opted_out || optsOut(report.transcript) ? optedOut(outcome) : outcome
  return { ...read, follow_ups: [...read.follow_ups, ...slips(report, brief)] }
}

const OFFERS = /\bwould you like\b[^?]{0,60}\bto follow up\b[^?]*\?/i

/** A host's turns don't say what they ask for: the questions that it was told to ask are known by their words. */
export const withQuestions = (transcript: readonly Turn[]): Turn[] => {
  const opening = transcript.find(({ speaker }) => speaker === 'agent')
  return transcript.map((turn) => {
    if (turn === opening) return { ...turn, asks: 'identity' }
    return turn.speaker === 'agent' && OFFERS.test(turn.text) ? { ...turn, asks: 'next_step' } : turn
  })
}

/** Whether a conversation that somebody else holds must end, and be the last one. */
export const optsOut = (transcript: readonly Turn[]): boolean =>
  transcript.some(({ speaker, text }) => (speaker === 'contact' ? asksToBeLeftAlone(text) : promisesNoMoreCalls(text)))

/** How the contact refused to be recorded, if they did. */
export const recordingRefusal = (transcript: readonly Turn[]): string | undefined =>
  transcript.find(({ speaker, text }) => speaker === 'contact' && refusesRecording(text))?.text

const optedOut = (outcome: CallOutcome): CallOutcome => ({
  ...outcome,
  result: 'opted_out',
  end_reason: endReason('opted_out', outcome.disconnection_reason),
  opted_out: true,
  is_disqualified: false,
  callback_at: null,
  appointment_at: null,
  follow_ups: [],
})

/** An agent of ours is stopped before it says such a thing; of one that is not a person must hear. The first is enough. */
function slips({ transcript, disconnection_reason }: HostedReport, brief: CallBrief): string[] {
  if (disconnection_reason === 'voicemail_reached') return []
  const { told, firmsWords } = prompter(brief)
  const all = () => told({ transcript })
  // The first words are ours, as those to a machine.
  const theirs = transcript.filter(({ speaker }) => speaker === 'agent').slice(1)
  const slip = theirs.flatMap(({ text }) => sentences(text)).find((each) => forbidden(each, all, firmsWords) !== null)
  const { first_name, last_name } = brief.client
  return slip ? [`Check with ${first_name} ${last_name} what the agent said that it must not: “${slip}”.`] : []
}
