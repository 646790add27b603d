import { mkdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { buildApp, buildMonitor } from './app.ts'
import { type Changed, pauseWhereChannelsChanged } from './campaigns/channels-changed.ts'
import { ensureFirstCompany, isKey } from './companies/setup.ts'
import { SERVICE } from './core/actors.ts'
import { type Config, publicUrl, readConfig, settingsTable } from './core/config.ts'
import { openPool } from './core/db.ts'
import { openLog } from './core/log.ts'
import { StartError } from './core/start-error.ts'
import { giveToOwnerOf } from './database/account.ts'
import { openDatabase } from './database/open.ts'
import { type RunningEngine, startEngine } from './engine/engine.ts'
import { openClock } from './engine/sandbox-clock.ts'
import { jobs, listen } from './jobs.ts'
import { stopServing, untilAskedToLeave } from './leaving.ts'
import { operations } from './operations.ts'
import { addPreferencePages } from './preferences/routes.ts'
import { createProviders } from './providers/index.ts'
import { languageModel } from './providers/language-model.ts'
import { tools } from './tools.ts'
import { welcome } from './welcome.ts'

async function serve(config: Config, log: Logger): Promise<void> {
  const leaving = untilAskedToLeave(log)
  await using stack = new AsyncDisposableStack()

  const database = await openDatabase(config, log)
  stack.defer(database.stop)
  database.crashed.then((reason) => fail(new Error(reason), log))

  const pool = openPool({ connectionString: database.url })
  stack.defer(pool.end)

  const clock = await openClock(pool, { start: config.SANDBOX_CLOCK, speed: config.SANDBOX_SPEED }, log)
  stack.defer(clock.stop)
  const providers = createProviders(pool, clock, config, await languageModel(config))
  const { voice, sms, email } = providers
  const sandboxed = [voice, sms, email].every(({ sandbox }) => sandbox)
  if (!sandboxed && (config.SANDBOX_CLOCK || config.SANDBOX_SPEED))
    throw new StartError('SANDBOX_CLOCK and SANDBOX_SPEED are only for the sandbox: real people live by the real clock')

  let engine: RunningEngine | undefined
  const engineReady = config.ROLE === 'api' ? undefined : () => engine?.ready() ?? false
  const allowPrivateWebhooks = config.ALLOW_PRIVATE_WEBHOOKS
  const service = { pool, clock, log, allowPrivateWebhooks }
  const app =
    config.ROLE === 'engine'
      ? buildMonitor(service, engineReady)
      : buildApp({
          service,
          operations,
          tools,
          rateLimit: config.RATE_LIMIT_PER_HOUR,
          publicUrl: config.PUBLIC_URL,
          engineReady,
        })
  // A process without an engine holds no conversations: the carrier must reach one that does.
  if (config.ROLE !== 'api') for (const each of [voice, sms, email]) each.addRoutes?.(app)
  addPreferencePages(app, pool)
  stack.defer(() => stopServing(app, engine, voice))

  // Before anybody is called: the port shows whether the same service runs already.
  const url = publicUrl(config, await listenAt(app, config))
  let changed: Changed | undefined
  if (config.ROLE !== 'api') {
    changed = await pauseWhereChannelsChanged(pool, clock, providers)
    if (changed) log.warn(changed, 'campaigns are paused where they stand: who is reached has changed')
    engine = await startEngine({
      pool,
      clock,
      log,
      providers,
      jobs,
      listen,
      alone: database.alone,
      maxConcurrentCalls: config.MAX_CONCURRENT_CALLS,
      publicUrl: url,
      allowPrivateWebhooks,
      webhookLogDays: config.WEBHOOK_LOG_DAYS,
      role: config.ROLE,
    })
  }

  // Last, so that a key which is created is also shown.
  const first = await ensureFirstCompany(pool, SERVICE, { name: config.COMPANY_NAME, apiKey: config.API_KEY })
  const foreignKey = config.API_KEY !== undefined && !(await isKey(pool, config.API_KEY))
  log.info({ url, role: config.ROLE }, 'ready')
  process.stdout.write(welcome({ config, url, first, foreignKey, providers, changed }))

  log.info(`stopping: ${await leaving}`)
}

/** Answers the port, which is another one than the setting where that is 0. */
async function listenAt(app: FastifyInstance, { HOST, PORT }: Config): Promise<number> {
  try {
    await app.listen({ host: HOST, port: PORT })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new StartError(`port ${PORT} of ${HOST} is in use by another program: stop that, or set another PORT`)
    throw new StartError(`cannot listen at port ${PORT} of ${HOST}: ${message}`)
  }
  return (app.server.address() as AddressInfo).port
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartError(
      `DATA_DIR must be a folder that this account may write to; ${folder} is none: ${(error as Error).message}`,
    )
  }
}

/** One line where a person can do something about it. */
function fail(error: unknown, log?: Logger): never {
  if (!(error instanceof StartError)) log?.fatal({ err: error }, 'the service ends')
  process.stderr.write(`docketcall: ${(error as Error).message ?? error}\n`)
  process.exit(1)
}

let log: Logger | undefined
try {
  const [argument] = process.argv.slice(2)
  if (argument === '--help') {
    process.stdout.write(`Docketcall reads its settings from the environment and from .env:\n\n${settingsTable()}\n`)
    process.exit()
  }
  if (argument) throw new StartError(`unknown argument ${argument}; --help lists the settings`)
  const config = readConfig()
  makeFolder(config.DATA_DIR)
  const logFile = path.join(config.DATA_DIR, 'docketcall.log')
  log = openLog(logFile, config.LOG_LEVEL)
  await giveToOwnerOf(config.DATA_DIR, logFile)
  process.on('uncaughtException', (error) => fail(error, log))
  await serve(config, log)
  log.info('stopped')
  process.exit()
} catch (error) {
  fail(error, log)
}
