import sql from 'sql-template-tag'
import type { Engine } from '../engine/job.ts'
import type { CallBrief } from '../providers/call-brief.ts'
import type { CallRef, HostedCallRef, HostedReport, Turn } from '../providers/voice.ts'
import { analyseReport, optsOut, recordingRefusal, withQuestions } from '../voice-agents/host-report.ts'
import type { Mind } from '../voice-agents/mind.ts'
import { noteOptOut } from './opt-out.ts'
import type { CallEnd } from './settle.ts'

/** How long a host's agent may say goodbye to somebody who wants no more calls: seconds of the engine's clock. */
const FAREWELL_SECONDS = 9

interface Doing {
  mind: Mind
  brief(call: CallRef): Promise<CallBrief>
  ended(end: CallEnd): Promise<void>
}

/** The calls of a host: others hold the conversation, and tell of it. */
export function hostedCalls(engine: Engine, { mind, brief, ended }: Doing) {
  const { pool, clock, log, signal } = engine
  const leaving = new Set<number>()

  /**
   * An opt-out is written before anything else. The call ends within seconds, whatever the host's agent wants; so does one
   * that must not be recorded, for a host records all of it or nothing.
   */
  async function overheard(call: HostedCallRef, transcript: readonly Turn[]): Promise<void> {
    if (optsOut(transcript)) await noteOptOut(engine, call)
    else if (!recordingRefusal(transcript) || !mayRefuse(await brief(call))) return
    if (leaving.has(call.call_id)) return
    leaving.add(call.call_id)
    engine.inHand(hangUpSoon(call)).catch((error: unknown) => {
      log.error({ err: error, call_id: call.call_id }, 'a call that must not go on could not be hung up')
    })
  }

  async function hangUpSoon(call: HostedCallRef): Promise<void> {
    try {
      await clock.sleep(FAREWELL_SECONDS * 1000, signal)
      await engine.providers.voice.hangUp(call)
    } finally {
      leaving.delete(call.call_id)
    }
  }

  async function report(report: HostedReport): Promise<void> {
    if (report.opted_out || optsOut(report.transcript)) await noteOptOut(engine, report)
    if (!(await isOpen(report))) return
    const known = await brief(report)
    const refusal = mayRefuse(known) ? recordingRefusal(report.transcript) : undefined
    // They have been promised that a person will be in touch.
    const notes = refusal ? [{ type: 'person' as const, quote: refusal }] : []
    const held = { ...report, transcript: withQuestions(report.transcript), notes }
    const outcome = analyseReport(report, known, await mind.analyse(held, known))
    const { company_id, call_id, answered_at, duration_seconds } = report
    const ended_at = new Date(answered_at.getTime() + duration_seconds * 1000)
    await ended({ company_id, call_id, ...outcome, answered_at, ended_at })
  }

  /** Reports come twice, and of calls that were struck off. */
  async function isOpen({ company_id, call_id, provider_call_id }: HostedCallRef): Promise<boolean> {
    const found = await pool.maybe(sql`
      select from calls where company_id = ${company_id} and id = ${call_id} and state <> 'ended'
        and provider_call_id = ${provider_call_id}`)
    return found !== undefined
  }

  return { overheard, report }
}

const mayRefuse = ({ recorded, law }: CallBrief): boolean => recorded && law.all_agree_to_recording
