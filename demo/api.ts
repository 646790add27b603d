import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

/** The service's public interface, as any integration sees it. */
export interface Api {
  get<T>(path: string): Promise<T>
  /** Done once, however often it is asked for: the Idempotency-Key follows from what is sent. */
  post<T>(path: string, body: object): Promise<T>
  /** A tool of the interface for assistants. */
  tool<T>(name: string, args: object): Promise<T>
  /** The engine's time: in the sandbox it runs faster than the real one. */
  clock(): Promise<Date>
}

export class Refused extends Error {
  readonly details: { field: string; message: string }[]

  constructor(what: string, { message, details = [] }: { message: string; details?: Refused['details'] }) {
    super(`${what}: ${message}`)
    this.details = details
  }
}

/** How long a service that can't be reached is waited for. */
const PATIENCE_MS = 10_000

export function openApi(url: string, apiKey: string, demoId: string): Api {
  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const end = Date.now() + PATIENCE_MS
    for (;;) {
      try {
        const answer = await fetch(`${url}${path}`, init)
        if (answer.status !== 503 || Date.now() > end) return answer
      } catch (error) {
        if (Date.now() > end) throw error
      }
      await pause(200)
    }
  }

  async function rest<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
    const text = body && JSON.stringify(body)
    const sent = text && {
      'Content-Type': 'application/json',
      'Idempotency-Key': createHash('sha256').update(`${demoId} ${path} ${text}`).digest('hex'),
    }
    const answer = await ask(path, { method, body: text, headers: { 'X-API-KEY': apiKey, ...sent } })
    const read = (await answer.json()) as any
    if (!answer.ok) throw new Refused(`${method} ${path}`, read)
    return read
  }

  return {
    get: (path) => rest('GET', path),
    post: (path, body) => rest('POST', path, body),
    async tool(name, args) {
      const answer = await ask('/v1/mcp', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
      })
      const { result, error } = (await answer.json()) as any
      if (error) throw new Refused(name, error)
      const read = JSON.parse(result.content[0].text)
      if (result.isError) throw new Refused(name, read)
      return read
    },
    async clock() {
      const metrics = await (await ask('/metrics')).text()
      return new Date(Number(/^docketcall_clock_seconds (\S+)$/m.exec(metrics)![1]) * 1000)
    },
  }
}
