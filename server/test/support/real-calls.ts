import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import sql from 'sql-template-tag'
import { WebSocket } from 'ws'
import type { Clock } from '../../src/core/clock.ts'
import type { Config } from '../../src/core/config.ts'
import type { EngineOptions } from '../../src/engine/engine.ts'
import { createProviders } from '../../src/providers/index.ts'
import type { LanguageModel } from '../../src/providers/language-model.ts'
import { startApi, type TestApi } from './api.ts'
import { eventually, startTestEngine } from './engine.ts'
import type { MailServer } from './mail-server.ts'
import { ACCOUNT, AUTH_TOKEN, type Behaviour, type Dialect, type Emulator, startTwilio } from './twilio-emulator.ts'

export const FROM = '+12125550100'

interface Options {
  clock: Clock
  behaviour(to: string): Behaviour
  records?: boolean
  mail?: MailServer
  callsPerSecond?: number
  languageModel?: LanguageModel | null
  engine?: Partial<EngineOptions>
  /** Another carrier than Twilio: how it speaks, and the settings for it. */
  carrier?: { dialect: Dialect; settings(to: { api: string; url: string }): Partial<Config> }
  /** Called with the service's database before the engine starts. */
  seed(api: TestApi): Promise<void>
}

export const twilioSettings = (to: { api: string; url: string; callsPerSecond?: number; records?: boolean }) => ({
  TWILIO_ACCOUNT_SID: ACCOUNT,
  TWILIO_AUTH_TOKEN: AUTH_TOKEN,
  TWILIO_FROM: FROM,
  TWILIO_MESSAGING_SERVICE_SID: undefined,
  TWILIO_API_BASE: to.api,
  TWILIO_CALLS_PER_SECOND: to.callsPerSecond ?? 200,
  PUBLIC_URL: to.url,
  RECORD_CALLS: to.records ?? false,
})

/** The service behind a real port, calling through an emulated Twilio. */
export async function startRealCalls(options: Options): Promise<{ api: TestApi; twilio: Emulator; url: string }> {
  const { clock, behaviour, records, mail, callsPerSecond, languageModel = null, carrier } = options
  const api = await startApi({ clock })
  const twilio = await startTwilio(clock, behaviour, carrier?.dialect)
  api.closing.push(twilio.close)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const settings = {
    ...twilioSettings({ api: twilio.url, url, callsPerSecond, records }),
    ...(carrier && { TWILIO_ACCOUNT_SID: undefined, ...carrier.settings({ api: twilio.url, url }) }),
    ...(mail && { SMTP_URL: mail.url, SMTP_FROM: 'cases@marsh.example.com' }),
  }
  const providers = createProviders(api.pool, clock, settings, languageModel)
  providers.voice.addRoutes?.(api.app)
  await api.app.listen({ port, host: '127.0.0.1' })
  await options.seed(api)
  await startTestEngine(api, clock, { providers, ...options.engine })
  return { api, twilio, url }
}

/** What becomes of the calls of a company that is seeded by then. */
export function watchCalls({ api, twilio }: { api: TestApi; twilio: Emulator }, companyId: () => number) {
  async function ended(to: string) {
    const row = await eventually(
      () =>
        api.pool.maybe<any>(sql`
          select * from calls where company_id = ${companyId()} and to_number = ${to} and state = 'ended'`),
      90,
    )
    return { row, placed: twilio.calls.filter((call) => call.to === to) }
  }
  return {
    ended,
    /** What other systems were told of a transfer. */
    async transferSteps(to: string): Promise<string[]> {
      const { row } = await ended(to)
      const entries = await api.pool.many<{ activity: string }>(sql`
        select activity from audit_log
        where company_id = ${companyId()} and record_type = 'call' and record_id = ${String(row.id)} and activity like 'transfer%'
        order by id`)
      return entries.map(({ activity }) => activity)
    },
    async unsettled(): Promise<number> {
      const { open } = await api.pool.one<{ open: number }>(sql`
        select count(*)::int as open from campaign_contacts where company_id = ${companyId()} and state <> 'settled'`)
      return open
    },
  }
}

/** What comes of opening a socket: the HTTP status of a refusal. */
export async function openSocket(address: string): Promise<'open' | number> {
  const socket = new WebSocket(address).on('error', () => {})
  const seen = await new Promise<'open' | number>((resolve) => {
    socket.on('open', () => resolve('open'))
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode!))
  })
  socket.terminate()
  return seen
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
