import { type Load, openLoad } from './load.ts'
import { median, number, percent } from './report.ts'
import { type Server, startServer } from './server.ts'

const CONNECTIONS = 32
const TURNS = 15
const SECONDS = 1

/** A server in a process of its own, and the load on it, which comes from this process. */
export interface Side {
  server: Server
  load: Load
}

export async function openSide(
  stack: AsyncDisposableStack,
  script: Parameters<typeof startServer>[0],
  settings: Record<string, string>,
): Promise<Side> {
  const server = await startServer(script, settings)
  stack.defer(server.stop)
  const load = await openLoad(server.url, CONNECTIONS)
  stack.defer(() => load.close())
  return { server, load }
}

interface Round {
  perSecond: number
  /** Microseconds a request, of the server's process alone. */
  cpu: number
}

export type Turn<Name extends string> = Record<Name, Round>

/** Short rounds of each in turns, so that whatever else the machine does hits all alike. The first warms up. */
export async function takeTurns<Name extends string>(
  sides: Record<Name, { side: Side; requests: Buffer[] }>,
): Promise<Turn<Name>[]> {
  const turns: Turn<Name>[] = []
  for (let n = 0; n <= TURNS; n++) {
    const turn = {} as Turn<Name>
    for (const name in sides) turn[name] = await round(sides[name])
    if (n > 0) turns.push(turn)
  }
  return turns
}

async function round({ side: { server, load }, requests }: { side: Side; requests: Buffer[] }): Promise<Round> {
  const [cpu, start] = [await server.cpu(), performance.now()]
  const sent = await load.run(requests, () => performance.now() - start > SECONDS * 1000)
  const seconds = (performance.now() - start) / 1000
  return { perSecond: sent / seconds, cpu: ((await server.cpu()) - cpu) / sent }
}

export function shown<Name extends string>(turns: Turn<Name>[], name: Name): string {
  const rate = median(turns.map((turn) => turn[name].perSecond))
  const cpu = median(turns.map((turn) => turn[name].cpu))
  return `${number(rate)}/s, ${number(cpu)} µs of its CPU`
}

export function ratio<Name extends string>(turns: Turn<Name>[], name: Name, to: Name): string {
  return percent(median(turns.map((turn) => turn[name].perSecond / turn[to].perSecond)))
}
