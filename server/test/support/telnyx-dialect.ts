import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { type Dialect, type EmulatedCall, FINAL } from './twilio-emulator.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')

export const API_KEY = 'KEY0123456789ABCDEF_emulated'
/** As the portal shows it: the last 32 bytes of the standard form. */
export const PUBLIC_KEY = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
export const ACCOUNT_SID = randomUUID()
export const APPLICATION = '2054839265483212345'

/** Headers as Telnyx sends them with a body, at a moment. */
export function signed(body: string, at = Date.now(), key = privateKey): Record<string, string> {
  const sent = String(Math.floor(at / 1000))
  return {
    'telnyx-timestamp': sent,
    'telnyx-signature-ed25519': sign(null, Buffer.from(`${sent}|${body}`), key).toString('base64'),
  }
}

/** Telnyx's TeXML: bearer keys, JSON, ids of its own, and a signature over the body alone. */
export const telnyxDialect: Dialect = {
  account: ACCOUNT_SID,
  newSid: () => `v3:${randomUUID()}`,
  read({ method, url, headers }, body) {
    const { pathname, searchParams } = new URL(url!, 'http://localhost')
    if (headers.authorization !== `Bearer ${API_KEY}`) return null
    const base = `/v2/texml/Accounts/${ACCOUNT_SID}/Calls`
    const said = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>)
    if (pathname === base && method === 'GET') return { what: 'list', form: Object.fromEntries(searchParams) }
    if (pathname === base) {
      const form = Object.fromEntries(Object.entries(said).map(([name, value]) => [name, String(value)]))
      return form.ApplicationSid === APPLICATION ? { what: 'create', form: { ...form, Twiml: form.Texml! } } : null
    }
    const [, id, sub, recording] =
      new RegExp(`^${base}/([^/]+)(/Recordings(?:/(\\w+))?\\.json)?$`).exec(decodeURIComponent(pathname)) ?? []
    if (!id) return null
    if (recording) return said.Status === 'stopped' ? { what: 'stop recording', sid: id, recording } : null
    if (sub) return { what: method === 'POST' ? 'record' : 'recordings', sid: id }
    return { what: method === 'POST' && said.Status === 'completed' ? 'update' : 'fetch', sid: id }
  },
  error: (status) => ({ errors: [{ code: '10000', title: 'No', detail: `Answered with ${status}` }] }),
  // A call that was just asked for is told of by another name than one that is looked up.
  resource: (call) => ({ ...resource(call), call_sid: call.sid }),
  sign: (_url, body) => signed(body),
  signUpgrade: () => ({}),
  // Nothing is documented of what it tells of the end of a session.
  session: ({ SessionId }) => ({ SessionId: SessionId! }),
  // "Eventually" is not said to be when.
  lagMs: 40_000,
  tellsSpeakers: false,
}

const resource = (call: EmulatedCall) => ({
  sid: call.sid,
  account_sid: ACCOUNT_SID,
  to: call.to,
  from: call.from,
  status: call.status === 'queued' ? 'ringing' : call.status,
  duration: FINAL.has(call.status) ? String(call.duration) : '0',
  date_created: call.created.toUTCString(),
  date_updated: (call.ended ?? call.created).toUTCString(),
  start_time: call.created.toUTCString(),
  end_time: call.ended?.toUTCString(),
})
