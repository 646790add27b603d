import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { after } from 'node:test'
import { pino } from 'pino'
import sql from 'sql-template-tag'
import { realClock } from '../../src/core/clock.ts'
import type { Pool } from '../../src/core/db.ts'
import { addPreferencePages } from '../../src/preferences/routes.ts'
import { createProviders } from '../../src/providers/index.ts'
import { type Company, startApi, type TestApi } from './api.ts'
import { startTestEngine } from './engine.ts'
import { type MailServer, startMailServer } from './mail-server.ts'
import { casePayload, clientPayload } from './payloads.ts'
import { freePort } from './real-calls.ts'
import { ACCOUNT, AUTH_TOKEN } from './twilio-emulator.ts'
import { startTexts, type TextEmulator } from './twilio-texts.ts'

export const FROM = '+12125550100'

export const settingsFor = (texts: string, mail: string, url: string) => ({
  TWILIO_ACCOUNT_SID: ACCOUNT,
  TWILIO_AUTH_TOKEN: AUTH_TOKEN,
  TWILIO_FROM: FROM,
  TWILIO_MESSAGING_SERVICE_SID: undefined,
  TWILIO_API_BASE: texts,
  TWILIO_CALLS_PER_SECOND: 1,
  RECORD_CALLS: false,
  PUBLIC_URL: url,
  SMTP_URL: mail,
  SMTP_FROM: 'cases@marsh.example.com',
})

export interface World {
  api: TestApi
  url: string
  texts: TextEmulator
  mail: MailServer
  /** What the engine has logged from warnings on. */
  logged: Record<string, unknown>[]
}

/** The service behind a real port, texting through an emulated Twilio and mailing through a real SMTP server. */
export async function startRealMessages({ engine = true } = {}): Promise<World> {
  const api = await startApi()
  const [texts, mail, port] = await Promise.all([startTexts(FROM), startMailServer(), freePort()])
  const url = `http://127.0.0.1:${port}`
  const providers = createProviders(api.pool, realClock, settingsFor(texts.url, mail.url, url))
  addPreferencePages(api.app, api.pool)
  const logged: World['logged'] = []
  const log = pino({ level: 'warn' }, { write: (line) => void logged.push(JSON.parse(line)) })
  if (engine) {
    for (const each of [providers.sms, providers.email]) each.addRoutes?.(api.app)
    await api.app.listen({ port, host: '127.0.0.1' })
    await startTestEngine(api, realClock, { providers, log, publicUrl: url, alone: false })
  }
  return { api, url, texts, mail, logged }
}

/** The same engine in a process of its own, to be killed. */
export async function forkEngine({ api, texts, mail }: World): Promise<{ child: ChildProcess; url: string }> {
  const { connectionString } = api.pool.pg.options
  const child = fork(path.join(import.meta.dirname, 'real-messages-process.ts'), {
    env: { ...process.env, DATABASE_URL: connectionString, TEXTS: texts.url, MAIL: mail.url },
  })
  after(() => child.kill('SIGKILL'))
  const [url] = (await once(child, 'message')) as [string]
  return { child, url }
}

export async function person(firm: Company, fields: object) {
  const client = await firm.ok('POST /v1/clients', clientPayload(fields))
  const record = await firm.ok('POST /v1/cases', casePayload({ client_ids: [client.id] }))
  const send = (channel: 'sms' | 'email', message: string) =>
    firm.ok(`POST /v1/cases/communication/${channel}`, {
      case_id: record.id,
      client_id: client.id,
      message,
      ...(channel === 'email' ? { subject: 'Your case' } : {}),
    })
  return {
    id: client.id as number,
    case_id: record.id as number,
    text: (message: string) => send('sms', message),
    mail: (message: string) => send('email', message),
    get: () => firm.ok(`GET /v1/clients/${client.id}`),
  }
}

/** The messages of a contact, oldest first. */
export const messagesOf = (pool: Pool, clientId: number) =>
  pool.many<any>(sql`select * from messages where client_id = ${clientId} order by id`)
