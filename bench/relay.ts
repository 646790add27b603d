/**
 * Simultaneous conversations over ConversationRelay in one process: the time from a `prompt` frame to our first `text`
 * frame, less the model's own, and the memory of a conversation. The callers and the model are processes of their own.
 * The model takes a fixed time for its first word, so that what is left is ours and the loopback's. A caller speaks
 * every four to twelve seconds, as people do on the phone.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import sql from 'sql-template-tag'
import { buildMonitor } from '../server/src/app.ts'
import { pause, realClock } from '../server/src/core/clock.ts'
import { openPool } from '../server/src/core/db.ts'
import { startEngine } from '../server/src/engine/engine.ts'
import { listen } from '../server/src/jobs.ts'
import { createProviders } from '../server/src/providers/index.ts'
import { languageModel } from '../server/src/providers/language-model.ts'
import { seedCampaign } from '../server/test/support/seed.ts'
import { ACCOUNT, AUTH_TOKEN } from '../server/test/support/twilio-emulator.ts'
import { benchDatabase } from './database.ts'
import { number, report } from './report.ts'

const CONVERSATIONS = 500
const TURNS = 5
const CALLER_PROCESSES = 2
const MODEL_MS = 300

const database = await benchDatabase()
const pool = openPool({ ...database.config, max: 10 })
const log = pino({ level: 'warn' })
const model = fork(new URL('relay-model.ts', import.meta.url), [String(MODEL_MS)])
const [modelPort] = await once(model, 'message')

const app = buildMonitor({ pool, clock: realClock, log })
// The signature is over the public address, whatever the port listened at.
const publicUrl = 'http://relay.example.com'
const settings = {
  TWILIO_ACCOUNT_SID: ACCOUNT,
  TWILIO_AUTH_TOKEN: AUTH_TOKEN,
  TWILIO_FROM: '+12125550100',
  TWILIO_MESSAGING_SERVICE_SID: undefined,
  TWILIO_API_BASE: 'http://127.0.0.1:9',
  TWILIO_CALLS_PER_SECOND: 1,
  PUBLIC_URL: publicUrl,
  RECORD_CALLS: false,
}
const thinking = await languageModel({
  LANGUAGE_MODEL: 'openai-compatible',
  LANGUAGE_MODEL_NAME: 'bench',
  LANGUAGE_MODEL_BASE_URL: `http://127.0.0.1:${modelPort}/v1`,
  LANGUAGE_MODEL_API_KEY: undefined,
})
const providers = createProviders(pool, realClock, settings, thinking)
providers.voice.addRoutes?.(app)
await app.listen({ port: 0, host: '127.0.0.1' })
const { port } = app.server.address() as AddressInfo

const { companyId, campaignId } = await seedCampaign(pool, { contacts: CONVERSATIONS })
const calls = await pool.many<{ id: number }>(sql`
  insert into calls (company_id, campaign_id, client_id, case_id, agent_id, attempt, state, provider, provider_call_id,
    to_number, decision, created_at, start_time)
  select c.company_id, ${campaignId}, c.id, l.case_id, ${`agent_${companyId}`}, 1, 'live', 'twilio', 'CA' || c.id,
    c.mobile_e164, '{}', now(), now()
  from clients c join case_clients l on l.company_id = c.company_id and l.client_id = c.id
  where c.company_id = ${companyId} returning id`)
const engine = await startEngine({
  pool,
  clock: realClock,
  log,
  providers,
  jobs: [],
  listen,
  alone: true,
  maxConcurrentCalls: CONVERSATIONS,
  publicUrl,
})

globalThis.gc?.()
const memoryBefore = process.memoryUsage().rss
const [began, cpu] = [performance.now(), process.cpuUsage()]
const each = Math.ceil(calls.length / CALLER_PROCESSES)
const waits: number[] = []
const callers = Array.from({ length: CALLER_PROCESSES }, async (_, index) => {
  const mine = calls.slice(index * each, (index + 1) * each).map(({ id }) => id)
  const options = { url: `ws://127.0.0.1:${port}`, signedUrl: publicUrl.replace('http', 'ws'), token: AUTH_TOKEN }
  const caller = fork(new URL('relay-callers.ts', import.meta.url), [
    JSON.stringify({ ...options, calls: mine, company: companyId, turns: TURNS }),
  ])
  caller.on('message', (more) => waits.push(...(more as number[])))
  await once(caller, 'exit')
})
await pause(15_000)
const memory = process.memoryUsage().rss - memoryBefore
const { user, system } = process.cpuUsage(cpu)
const busy = (user + system) / 1000 / (performance.now() - began)
await Promise.all(callers)

const ours = waits.map((wait) => wait - MODEL_MS).sort((a, b) => a - b)
const at = (share: number) => ours[Math.min(ours.length - 1, Math.floor(ours.length * share))]!
report([
  {
    what: `${CONVERSATIONS} relay conversations: prompt to first text, less the model`,
    service: `p50 ${number(at(0.5), 1)} ms, p99 ${number(at(0.99), 1)} ms, ${ours.length} turns`,
    aim: 'p99 < 25 ms',
  },
  {
    what: `${CONVERSATIONS} relay conversations: memory and CPU`,
    service: `${number(memory / 1024 / CONVERSATIONS)} KB each, ${number(busy * 100)} % of a core`,
  },
])

await engine.stop(0)
await app.close()
await pool.end()
model.kill()
await database.stop()
