import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { FastifyInstance } from 'fastify'

/** An HTTP server in a process of its own. */
export interface Server {
  url: string
  /** Microseconds of CPU that it has used so far. */
  cpu(): Promise<number>
  stop(): Promise<void>
}

/** Starts `script`, which calls `serve`. */
export async function startServer(
  script: 'service.ts' | 'bare.ts' | 'echo.ts',
  settings: Record<string, string>,
): Promise<Server> {
  const child = fork(new URL(script, import.meta.url), { env: { ...process.env, ...settings } })
  const answer = async () => (await once(child, 'message'))[0]
  const url = (await answer()) as string
  return {
    url,
    async cpu() {
      child.send('cpu')
      return (await answer()) as number
    },
    async stop() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

/** Listens on a free port, tells it to the parent, and ends with it. */
export async function serve(app: FastifyInstance, pool: { end(): Promise<void> }): Promise<void> {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send!(user + system)
  })
  process.once('disconnect', async () => {
    await app.close()
    await pool.end()
  })
  process.send!(await app.listen({ host: '127.0.0.1', port: 0 }))
}
