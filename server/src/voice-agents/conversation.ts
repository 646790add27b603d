import type { CallBrief } from '../providers/call-brief.ts'
import {
  type CallerEvent,
  type Conversation,
  ConversationLost,
  type DisconnectionReason,
  type Turn,
} from '../providers/voice.ts'
import { analyse, type CallOutcome } from './analysis.ts'
import type { AgentAction, Booking, BrainFor, Happened } from './brain.ts'
import type { Held, Note } from './facts.ts'
import {
  handsOver,
  isUnmistakablyVoicemail,
  onlyScreened,
  refusesRecording,
  soundsLikeChild,
  soundsLikeLivePerson,
  soundsLikeScreening,
  soundsLikeVoicemail,
} from './hearing.ts'
import { identified } from './identity.ts'
import { openingOf, screenedOpeningOf, voicemailOf } from './opening.ts'
import { asksToBeLeftAlone } from './opt-out.ts'
import { scriptedBrain } from './script.ts'
import { cutToWhatWasHeard, writtenDown } from './transcript.ts'
import { sentences } from './wording.ts'

/** "… from Marsh & Cole, P.C.." */
const DOUBLE_STOP = /(?<!\.)\.\.(?!\.)/g

/** Seconds that a phone which screens its calls gets to ring and be answered. */
const SCREEN_SECONDS = 50

/** No brain, however talkative, keeps a person on the phone beyond so many turns. */
const MOST_TURNS = 120

/** Silences of a line that an agent holds while somebody is fetched. */
const LONGEST_HOLD = 4

/** Talks with whoever picked up until the call is over, and says what came of it, by its own rules alone. */
export const converse = async (
  line: Conversation,
  brief: CallBrief,
  brainFor: BrainFor = scriptedBrain,
): Promise<CallOutcome> => analyse(await hold(line, brief, brainFor), brief)

export interface HoldOptions {
  /** What was said before a transfer that failed: the contact is back. */
  earlier?: Held | null
  /** The contact has just asked not to be called again. */
  onOptOut?: () => void
  /** See `CallSoFar`; where it is left out, every time is free and nothing is mailed. */
  book?: (at: Date) => Promise<Booking>
}

/**
 * Talks with whoever picked up until the call is over. What the law asks for is held here and not left to the brain: the
 * firm and the AI are named first, a spoken opt-out ends the call with one sentence, a machine gets no monologue, and a
 * brain that fails leaves the contact with a decent sentence.
 *
 * A brain or a line that fails ends the call with the reason `error_unknown`.
 *
 * @throws {ConversationLost} this process has let go of the line; the call is not over and must not be settled.
 */
export async function hold(
  line: Conversation,
  brief: CallBrief,
  brainFor: BrainFor,
  { earlier, onOptOut, book = async () => ({ outcome: 'booked', mail: false }) }: HoldOptions = {},
): Promise<Held> {
  const transcript: Turn[] = earlier ? [...earlier.transcript] : []
  const notes: Note[] = earlier?.notes ? [...earlier.notes] : []
  const answeredAt = earlier?.answered_at ?? line.answered_at
  const brain = brainFor(brief)
  const message = voicemailOf(brief)
  const events = line.turns[Symbol.asyncIterator]()
  let transferredTo: string | null = null
  let silences = 0
  let contactTurns = transcript.filter(({ speaker }) => speaker === 'contact').length
  /** A machine is talking, and the agent waits for its beep; or somebody fetches another person. */
  let awaits: 'beep' | 'person' | null = null
  /** Machine detection has spoken before anything was heard. */
  let detected = false
  /** When a phone that screens its calls was told who is calling; null otherwise, and as soon as somebody picks up. */
  let screenedAt: number | null = null
  /** They were told of the recording and did not want it, perhaps before a transfer that failed. */
  let offRecord = transcript.some(
    ({ speaker, text }) => speaker === 'contact' && brief.recorded && refusesRecording(text),
  )

  const elapsed = () => (line.answered_at.getTime() - answeredAt.getTime()) / 1000 + line.elapsed()
  const at = () => Math.round(elapsed() * 10) / 10
  const now = () => new Date(answeredAt.getTime() + elapsed() * 1000)

  async function say(words: string | AsyncIterable<string>, asks?: string, whole?: 'whole') {
    const turn: Turn = { speaker: 'agent', text: '', at: at(), ...(asks ? { asks } : {}) }
    transcript.push(turn)
    if (typeof words === 'string') {
      turn.text = words.replace(DOUBLE_STOP, '.')
      await line.say(turn.text, whole)
    } else {
      // The turn grows with what is handed over: where the line breaks, it holds what was said until then.
      await line.say(writtenDown(words, turn))
    }
  }

  /** Answers how the call ended, or null while it goes on. */
  async function act(happened: Happened): Promise<DisconnectionReason | null> {
    for await (const action of brain.respond(happened, { transcript, now: now(), book })) {
      const ended = await carryOut(action)
      if (ended) return ended
    }
    return null
  }

  async function carryOut(action: AgentAction): Promise<DisconnectionReason | null> {
    switch (action.do) {
      case 'say':
        await say(action.words, action.asks)
        return null
      case 'transfer': {
        const number = brief.agent.is_transfer_enabled ? brief.agent.transfer_number : null
        if (number && (await line.transfer(number)) !== 'failed') {
          transferredTo = number
          return 'call_transfer'
        }
        return act({ type: 'transfer_failed' })
      }
      case 'note':
        notes.push(action.note)
        return null
      case 'opt_out':
        return letGo()
      case 'end':
        await line.end()
        return 'agent_hangup'
    }
  }

  async function letGo(): Promise<DisconnectionReason> {
    noteOptOut()
    await say(
      `I understand. I'm taking you off our calling list now, and ${brief.company_name} will not call you again. Goodbye.`,
    )
    await line.end()
    return 'agent_hangup'
  }

  /** It holds whatever its words are taken for later. */
  function noteOptOut() {
    onOptOut?.()
    notes.push({ type: 'opt_out', quote: transcript.findLast(({ speaker }) => speaker === 'contact')?.text ?? '' })
  }

  async function follow(event: CallerEvent): Promise<DisconnectionReason | null> {
    switch (event.type) {
      case 'said':
        silences = 0
        contactTurns++
        transcript.push({ speaker: 'contact', text: event.text, at: at() })
        return hear(event)
      case 'machine':
        // A late verdict is wrong about somebody who has been talking with us.
        if (screenedAt !== null || (contactTurns > 1 && awaits !== 'beep')) return null
        // Its words may turn out to be those of a phone that screens its calls.
        if (contactTurns > 0 || message) return hangUpOnMachine()
        detected = true
        return null
      case 'interrupted':
        cutToWhatWasHeard(transcript, event.heard)
        return null
      case 'dtmf':
        return act(event)
      case 'silence':
        if (awaits === 'beep' || detected) return hangUpOnMachine()
        if (screenedAt !== null) return at() - screenedAt < SCREEN_SECONDS ? null : hangUp('inactivity')
        if (awaits === 'person' && silences++ < LONGEST_HOLD) return null
        if (silences++ > 0) return takeLeave("I can't hear you, so I'll end the call here. Goodbye.", 'inactivity')
        await askAgain()
        return null
      case 'ended':
        return detected ? 'voicemail_reached' : event.reason
    }
  }

  const stillScreened = () =>
    onlyScreened(transcript.filter(({ speaker }) => speaker === 'contact').map(({ text }) => text))

  /** The phone rings only after a short, plain answer. */
  async function introduce(): Promise<null> {
    detected = false
    screenedAt ??= at()
    await say(screenedOpeningOf(brief))
    return null
  }

  async function hear(event: CallerEvent & { type: 'said' }): Promise<DisconnectionReason | null> {
    const { text } = event
    if (asksToBeLeftAlone(text)) return letGo()
    // A greeting goes on for some sentences; whoever picks up after all says hello.
    if (awaits === 'beep' && !soundsLikeLivePerson(text)) return null
    if (soundsLikeScreening(text) && stillScreened()) return introduce()
    if (screenedAt !== null && stillScreened()) return null
    if (contactTurns <= 2 || screenedAt !== null ? soundsLikeVoicemail(text) : isUnmistakablyVoicemail(text)) {
      if (!message) return hangUpOnMachine()
      awaits = 'beep'
      return null
    }
    if (detected) return hangUpOnMachine()
    if (awaits !== null || screenedAt !== null) {
      awaits = screenedAt = null
      return greet()
    }
    if (soundsLikeChild(text) && !identified(brief, transcript))
      return takeLeave("Thank you. I'll call again another time. Goodbye.", 'agent_hangup')
    if (handsOver(text)) {
      awaits = 'person'
      await say("Thank you, I'll hold.")
      return null
    }
    if (brief.recorded && refusesRecording(text)) return goOffRecord(text)
    if (brief.recorded && !offRecord) line.record?.()
    if (transcript.length > MOST_TURNS)
      return takeLeave('Thank you for your time. I have to end the call here. Goodbye.', 'max_duration_reached')
    return act(event)
  }

  /** The question that was asked is asked again: what they said was no answer to it. */
  async function goOffRecord(quote: string): Promise<DisconnectionReason | null> {
    const last = transcript.findLast(({ speaker }) => speaker === 'agent')
    const question = sentences(last?.text ?? '').findLast((each) => each.endsWith('?')) ?? 'Shall we go on?'
    if (offRecord || ((await line.stopRecording?.()) ?? false)) {
      offRecord = true
      await say(`All right, this call is not being recorded. ${question}`, last?.asks)
      return null
    }
    if (!brief.law.all_agree_to_recording) {
      await say(`I'm sorry, I can't switch the recording off. ${question}`, last?.asks)
      return null
    }
    notes.push({ type: 'person', quote })
    return takeLeave(
      `I understand. I can't switch the recording off, so I'll end the call here, and a colleague at ${brief.company_name} will be in touch. Goodbye.`,
      'agent_hangup',
    )
  }

  /** A mere "yes" to "are you there?" must not be taken for one to the question before it. */
  async function askAgain() {
    const asks = transcript.findLast(({ speaker }) => speaker === 'agent')?.asks
    const { first_name, last_name } = brief.client
    await say(
      `Hello? Are you still there?${asks === 'identity' ? ` Am I speaking with ${first_name} ${last_name}?` : ''}`,
      asks,
    )
  }

  async function hangUpOnMachine(): Promise<DisconnectionReason> {
    if (message) await say(message, undefined, 'whole')
    return hangUp('voicemail_reached')
  }

  async function hangUp(reason: DisconnectionReason): Promise<DisconnectionReason> {
    await line.end()
    return reason
  }

  async function takeLeave(words: string, reason: DisconnectionReason): Promise<DisconnectionReason> {
    await say(words)
    return hangUp(reason)
  }

  async function talk(): Promise<DisconnectionReason> {
    let ended = earlier ? await act({ type: 'transfer_failed' }) : await greet()
    while (!ended) {
      const { done, value } = await events.next()
      if (done) return 'agent_hangup' // from outside: the engine hung up
      ended = await follow(value)
    }
    await hearTheRest()
    return ended
  }

  /** What was said into the agent's last words. Nothing is answered any more, but an opt-out counts. */
  async function hearTheRest() {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      const { value } = next
      if (value.type === 'interrupted') cutToWhatWasHeard(transcript, value.heard)
      if (value.type !== 'said') continue
      transcript.push({ speaker: 'contact', text: value.text, at: at() })
      if (asksToBeLeftAlone(value.text)) noteOptOut()
    }
  }

  async function greet(): Promise<null> {
    await say(openingOf(brief), 'identity', brief.recorded ? 'whole' : undefined)
    return null
  }

  let reason: DisconnectionReason
  try {
    reason = await talk()
  } catch (error) {
    if (error instanceof ConversationLost) throw error
    reason = 'error_unknown'
    // Where it is the line that failed, there is nobody left to say it to.
    await takeLeave("I'm sorry, something has gone wrong on our side. We'll get back to you. Goodbye.", reason)
      .then(hearTheRest)
      .catch(() => {})
  }
  return {
    answered_at: answeredAt,
    duration_seconds: Math.round(elapsed()),
    disconnection_reason: reason,
    transcript: transcript.filter(({ text }) => text !== ''),
    transferred_to: transferredTo,
    notes,
  }
}
