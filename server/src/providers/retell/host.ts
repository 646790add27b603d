import type { FastifyInstance } from 'fastify'
import { type Retell, verify } from 'retell-sdk'
import type { CallCreatePhoneCallParams, PhoneCallResponse } from 'retell-sdk/resources/call'
import { addCallbacks } from '../hosts/callbacks.ts'
import { fresh } from '../hosts/fresh.ts'
import type { Host, HostCall, HostListener, TransferStep } from '../hosts/host.ts'
import type { References } from '../hosts/references.ts'
import { statusOf } from '../hosts/refusals.ts'
import { type RetellAccount, retellClient } from './account.ts'
import { hostCall, REFERENCE, requestFor, versionToCallWith } from './calls.ts'

/** Real milliseconds until the agent is looked at again, which may be edited at Retell. */
const AGENT_FRESH_MS = 5 * 60_000

/** Retell's own agents, led by our script. Retell keeps a recording of every call, so every contact is told. */
export function retellHost(account: RetellAccount, references: References): Host<CallCreatePhoneCallParams> {
  const client = retellClient(account)
  const version = fresh(() => versionToCallWith(client, account.agentId), AGENT_FRESH_MS)

  return {
    name: 'retell',
    calls_per_second: account.callsPerSecond,
    records: true,
    prepare: async (call, script, reference) => requestFor(call, script, reference, account, await version()),
    dial: async (request) => (await client.call.createPhoneCall(request)).call_id,
    get: (id) => get(client, id),
    async find(reference) {
      const { items } = await client.call.list({
        filter_criteria: { metadata: [{ type: 'string', op: 'eq', key: REFERENCE, value: reference }] },
        limit: 10,
      })
      const ours = items.find(({ metadata }) => referenceIn(metadata) === reference)
      return ours ? get(client, ours.call_id) : null
    },
    async end(id) {
      await client.call.stop(id).catch((error: unknown) => {
        // It is over, or was never known.
        if (![400, 404, 409, 422].includes(statusOf(error) ?? 0)) throw error
      })
    },
    addRoutes: (app, listener) => addRoutes(app, account, references, listener),
  }
}

async function get(client: Retell, id: string): Promise<HostCall | null> {
  try {
    return hostCall((await client.call.retrieve(id)) as PhoneCallResponse)
  } catch (error) {
    if (statusOf(error) === 404) return null
    throw error
  }
}

const referenceIn = (metadata: unknown): unknown =>
  (metadata as Record<string, unknown> | null | undefined)?.[REFERENCE]

interface Event {
  event?: string
  call?: Partial<PhoneCallResponse> & { call_id: string; transfer_destination?: unknown }
}

const TRANSFERS: Record<string, TransferStep['status']> = {
  transfer_started: 'started',
  transfer_bridged: 'bridged',
  transfer_cancelled: 'cancelled',
  transfer_ended: 'ended',
}

function addRoutes(app: FastifyInstance, { apiKey }: RetellAccount, references: References, listener: HostListener) {
  addCallbacks(app, {
    path: '/providers/retell/events',
    header: 'x-retell-signature',
    isOurs: (signature, _request, body) => verify(body, apiKey, signature),
    async hear(body) {
      const { event, call } = body as Event
      const ref = call?.call_id ? await references.read(referenceIn(call.metadata)) : null
      if (!ref || !event) return
      const told = hostCall(call!)
      const step = TRANSFERS[event]
      if (step) await listener.transfer(ref, told, { status: step, number: numberIn(call!.transfer_destination) })
      else if (event === 'transcript_updated') await listener.heard(ref, told)
      else await listener.changed(ref, told)
    },
  })
}

const numberIn = (destination: unknown): string | null =>
  typeof destination === 'string' && destination.startsWith('+') ? destination : null
