import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import twilio from 'twilio'
import { ACCOUNT, AUTH_TOKEN } from './twilio-emulator.ts'

export interface EmulatedText {
  sid: string
  to: string
  from: string
  body: string
  status: string
  error: number | null
  direction: 'outbound-api' | 'outbound-reply'
  callback: string | null
  created: Date
}

/** What becomes of a request to send: an error of Twilio's, a 500 before or after the text was taken, or no answer. */
export type Fate =
  | { status: number; code: number }
  | 'taken, then 500'
  | '500'
  | 'taken, connection cut'
  /** Answered only when somebody calls `release`. */
  | 'taken, held'
  | 'held before it is taken'

export interface TextEmulator {
  url: string
  texts: EmulatedText[]
  /** Requests to send, by number. */
  asked: string[]
  fate: (to: string, tries: number) => Fate | undefined
  release(): void
  /** Tells the status of a text, signed; answers the HTTP status. */
  tell(text: EmulatedText, status: string, error?: number): Promise<number>
  /** A contact writes. Answers the text of the reply, if any. */
  write(service: string, from: string, body: string, fields?: Record<string, string>): Promise<string | null>
}

/** The part of Twilio that texts need: REST, and callbacks signed by Twilio's own code. Closed after the file's tests. */
export async function startTexts(number = '+12125550100'): Promise<TextEmulator> {
  const held: (() => void)[] = []
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const path = `/2010-04-01/Accounts/${ACCOUNT}/Messages.json`

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())) as Record<string, string>
    const url = new URL(request.url!, 'http://localhost')
    const expected = `Basic ${Buffer.from(`${ACCOUNT}:${AUTH_TOKEN}`).toString('base64')}`
    if (request.headers.authorization !== expected)
      return answer(response, 401, { code: 20003, message: 'No', status: 401 })
    if (url.pathname !== path) return answer(response, 404, { code: 20404, message: 'Not found', status: 404 })
    if (request.method === 'GET') {
      const found = emulator.texts.filter(({ to }) => to === url.searchParams.get('To')).reverse()
      return answer(response, 200, { messages: found.map(resource), next_page_uri: null, page: 0, page_size: 50 })
    }
    const to = form.To!
    emulator.asked.push(to)
    const fate = emulator.fate(to, emulator.asked.filter((each) => each === to).length)
    if (typeof fate === 'object') return answer(response, fate.status, { ...fate, message: 'Refused' })
    if (fate === '500') return answer(response, 500, { code: 20500, message: 'Oops', status: 500 })
    if (fate === 'held before it is taken') return void held.push(() => response.destroy())
    const text = take(to, form.From ?? number, form.Body!, 'outbound-api', form.StatusCallback ?? null)
    if (fate === 'taken, then 500') return answer(response, 500, { code: 20500, message: 'Oops', status: 500 })
    if (fate === 'taken, connection cut') return void response.destroy()
    if (fate === 'taken, held') return void held.push(() => answer(response, 201, resource(text)))
    answer(response, 201, resource(text))
  }

  function take(to: string, from: string, body: string, direction: EmulatedText['direction'], callback: string | null) {
    const sid = `SM${randomBytes(16).toString('hex')}`
    const text: EmulatedText = {
      sid,
      to,
      from,
      body,
      status: 'queued',
      error: null,
      direction,
      callback,
      created: new Date(),
    }
    emulator.texts.push(text)
    return text
  }

  async function post(url: string, fields: Record<string, string>): Promise<Response> {
    const signature = twilio.getExpectedTwilioSignature(AUTH_TOKEN, url, fields)
    return fetch(url, {
      method: 'POST',
      headers: { 'x-twilio-signature': signature, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    })
  }

  const emulator: TextEmulator = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    texts: [],
    asked: [],
    fate: () => undefined,
    release() {
      for (const go of held.splice(0)) go()
    },
    async tell(text, status, error) {
      text.status = status
      text.error = error ?? null
      const { sid, to, from } = text
      const told = {
        MessageSid: sid,
        SmsSid: sid,
        AccountSid: ACCOUNT,
        From: from,
        To: to,
        MessageStatus: status,
        SmsStatus: status,
      }
      return (await post(text.callback!, { ...told, ...(error ? { ErrorCode: String(error) } : {}) })).status
    },
    async write(service, from, body, fields = {}) {
      const sid = `SM${randomBytes(16).toString('hex')}`
      const sent = {
        MessageSid: sid,
        AccountSid: ACCOUNT,
        From: from,
        To: number,
        Body: body,
        NumMedia: '0',
        NumSegments: '1',
        ...fields,
      }
      const answered = await post(`${service}/providers/twilio/text`, sent)
      if (answered.status !== 200) throw new Error(`${answered.status}`)
      const twiml = await answered.text()
      const [, action, words] = /<Message action="([^"]+)"[^>]*>([^<]*)<\/Message>/.exec(twiml) ?? []
      if (words !== undefined) take(from, number, words, 'outbound-reply', action!.replaceAll('&amp;', '&'))
      return words ?? null
    },
  }
  return emulator
}

const resource = ({ sid, to, from, body, status, error, direction, created }: EmulatedText) => ({
  sid,
  to,
  from,
  body,
  status,
  direction,
  error_code: error,
  error_message: null,
  num_segments: String(Math.ceil(body.length / 153)),
  date_created: created.toUTCString(),
  date_sent: null,
})

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
