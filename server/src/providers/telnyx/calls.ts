import { placingFailure, statusOf } from '../hosts/refusals.ts'
import type { RelayCall, RelayCalls } from '../relay/account.ts'

interface Interface {
  apiKey: string
  apiBase: string
  sid: string
  application: string
}

/** Milliseconds after which an answer is given up. */
const TIMEOUT_MS = 10_000

/** Its look-ups are "eventually consistent"; nobody says how soon. */
const LAG_MS = 60_000

/** Recordings that are kept in mind; calls in progress are far fewer. */
const MOST_RECORDINGS = 10_000

/** The REST interface of TeXML. The official SDK speaks it, too, but is 37 MB of everything else. */
export function telnyxCalls({ apiKey, apiBase, sid: account, application }: Interface): RelayCalls {
  async function ask(method: 'GET' | 'POST', path: string, body?: object): Promise<any> {
    const answer = await fetch(`${apiBase}/v2/texml/Accounts/${encodeURIComponent(account)}/Calls${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const said: any = await answer.json().catch(() => ({}))
    if (answer.ok) return said
    const { code, title, detail } = said?.errors?.[0] ?? {}
    const message = [code && `error ${code}`, detail ?? title ?? answer.statusText].filter(Boolean).join(': ')
    throw Object.assign(new Error(message), { status: answer.status })
  }

  /** By call, of those that this process began: the list of a call's recordings may lag behind. */
  const recordings = new Map<string, string>()

  const at = (sid: string) => `/${encodeURIComponent(sid)}`

  return {
    lagMs: LAG_MS,
    async create(call) {
      const placed = await ask('POST', '', {
        ApplicationSid: application,
        To: call.to,
        From: call.from,
        Texml: call.twiml,
        Timeout: call.ringSeconds,
        TimeLimit: call.maxSeconds,
        StatusCallback: call.status,
        StatusCallbackMethod: 'POST',
        StatusCallbackEvent: 'initiated ringing answered completed',
        MachineDetection: call.leavesMessage ? 'DetectMessageEnd' : 'Enable',
        DetectionMode: 'Premium',
        AsyncAmd: true,
        AsyncAmdStatusCallback: call.machine,
        AsyncAmdStatusCallbackMethod: 'POST',
        // What an agent says to a machine is for the agent to decide.
        CancelPlaybackOnMachineDetection: false,
        CancelPlaybackOnDetectMessageEnd: false,
      }).catch((error: unknown) => {
        throw placingFailure('Telnyx', error)
      })
      return placed.call_sid ?? placed.sid
    },
    async fetch(sid) {
      const found = await ask('GET', at(sid)).catch(ifMissing)
      return found && known(found)
    },
    async list(to, from) {
      const query = new URLSearchParams({ To: to, From: from, PageSize: '50' })
      const found = (await ask('GET', `?${query}`)).calls ?? []
      return found
        .map(known)
        .sort((one: RelayCall, other: RelayCall) => other.created.getTime() - one.created.getTime())
    },
    async hangUp(sid) {
      await ask('POST', at(sid), { Status: 'completed' }).catch(ifMissing)
    },
    async record(sid) {
      const begun = await ask('POST', `${at(sid)}/Recordings.json`, { RecordingChannels: 'dual', PlayBeep: false })
      recordings.set(sid, begun.sid)
      if (recordings.size > MOST_RECORDINGS) recordings.delete(recordings.keys().next().value!)
    },
    async stopRecording(sid) {
      const known = recordings.get(sid)
      for (const recording of known ? [known] : await inProgress(sid))
        await ask('POST', `${at(sid)}/Recordings/${encodeURIComponent(recording)}.json`, { Status: 'stopped' })
    },
  }

  async function inProgress(sid: string): Promise<string[]> {
    const found = await ask('GET', `${at(sid)}/Recordings.json`).catch(ifMissing)
    const all: { sid: string; status: string }[] = found?.recordings ?? []
    return all.filter(({ status }) => status === 'in-progress').map((each) => each.sid)
  }
}

function ifMissing(error: unknown): null {
  if (statusOf(error) === 404) return null
  throw error
}

const instant = (text: string | null | undefined): Date | null => (text ? new Date(text) : null)

function known(call: any): RelayCall {
  const created = instant(call.date_created ?? call.start_time) ?? new Date()
  return {
    sid: call.sid,
    status: call.status,
    created,
    updated: instant(call.date_updated) ?? created,
    started: instant(call.start_time),
    ended: instant(call.end_time),
    duration: Number(call.duration) || 0,
  }
}
