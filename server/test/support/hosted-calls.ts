import type { Clock } from '../../src/core/clock.ts'
import { readConfig } from '../../src/core/config.ts'
import type { EngineOptions } from '../../src/engine/engine.ts'
import { createProviders } from '../../src/providers/index.ts'
import { startApi, type TestApi } from './api.ts'
import { startTestEngine } from './engine.ts'
import type { HostBehaviour, HostEmulator } from './host-emulator.ts'
import { freePort } from './real-calls.ts'
import { AGENT_ID, RETELL_KEY, startRetell } from './retell-emulator.ts'
import { NUMBER_ID, startVapi, VAPI_KEY } from './vapi-emulator.ts'

export type HostName = 'vapi' | 'retell'

const START = { vapi: startVapi, retell: startRetell }

/** The settings of a service that calls through an emulated host. */
export const hostSettings = (name: HostName, hostUrl: string, publicUrl: string, more: Record<string, string> = {}) =>
  readConfig(
    {
      PUBLIC_URL: publicUrl,
      ...(name === 'vapi'
        ? {
            VAPI_API_KEY: VAPI_KEY,
            VAPI_PHONE_NUMBER_ID: NUMBER_ID,
            VAPI_API_BASE: hostUrl,
            VAPI_CALLS_PER_SECOND: '200',
          }
        : {
            RETELL_API_KEY: RETELL_KEY,
            RETELL_FROM: '+12125550100',
            RETELL_AGENT_ID: AGENT_ID,
            RETELL_API_BASE: hostUrl,
            RETELL_CALLS_PER_SECOND: '200',
          }),
      ...more,
    },
    '/nowhere',
  )

interface Options {
  name: HostName
  clock: Clock
  behaviour(to: string): HostBehaviour
  settings?: Record<string, string>
  engine?: Partial<EngineOptions>
  /** Called with the service's database before the engine starts. */
  seed(api: TestApi): Promise<void>
}

/** The service behind a real port, calling through an emulated host. */
export async function startHostedCalls(options: Options): Promise<{ api: TestApi; host: HostEmulator; url: string }> {
  const { name, clock, behaviour } = options
  const api = await startApi({ clock })
  const host = await START[name](clock, behaviour)
  api.closing.push(host.close)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const providers = createProviders(api.pool, clock, hostSettings(name, host.url, url, options.settings))
  providers.voice.addRoutes?.(api.app)
  await api.app.listen({ port, host: '127.0.0.1' })
  await options.seed(api)
  await startTestEngine(api, clock, { providers, ...options.engine })
  return { api, host, url }
}
