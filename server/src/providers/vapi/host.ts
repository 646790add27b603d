import type { Vapi } from '@vapi-ai/server-sdk'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { addCallbacks } from '../hosts/callbacks.ts'
import { fresh } from '../hosts/fresh.ts'
import type { Host, HostCall, HostListener } from '../hosts/host.ts'
import { type References, sameText } from '../hosts/references.ts'
import { statusOf } from '../hosts/refusals.ts'
import { DialRefused, type SoughtCall } from '../voice.ts'
import { TIMEOUT_SECONDS, type VapiAccount, vapiClient } from './account.ts'
import { assistantFor, SECRET_HEADER } from './assistant.ts'
import { heardTurn, hostCall, numberIn, readingOf, type ToldCall } from './calls.ts'

/** Real milliseconds until the account's numbers and the lending assistant are asked for again. */
const FRESH_MS = 5 * 60_000

/** Its clock and ours may differ by so much. */
const SKEW_MS = 60_000

/** Calls on a page of a look-up, and pages that are read at the most. */
const PAGE = 100
const MOST_PAGES = 50

/** Vapi's assistants, each made for one call. */
export function vapiHost(account: VapiAccount, references: References): Host<Vapi.CreateCallDto> {
  const client = fresh(() => vapiClient(account), Number.POSITIVE_INFINITY)
  const lender = fresh(async () => {
    const { assistants } = await client()
    return account.assistantId ? assistants.get({ id: account.assistantId }) : null
  }, FRESH_MS)
  const numbers = fresh(async () => {
    const listed = await (await client()).phoneNumbers.list({ limit: 1000 })
    return new Map(listed.map(({ number, id }) => [number, id]))
  }, FRESH_MS)

  async function phoneNumberId(from: string | null): Promise<string> {
    if (!from) return account.phoneNumberId
    const id = (await numbers()).get(from)
    if (!id) throw new DialRefused('dial_failed', `Vapi has no number ${from}`)
    return id
  }

  async function get(id: string): Promise<Vapi.Call | null> {
    try {
      return await (await client()).calls.get({ id })
    } catch (error) {
      if (statusOf(error) === 404) return null
      throw error
    }
  }

  /** Vapi can't search for a reference: whatever was made since is gone through, the newest first. */
  async function find(reference: string, { since }: SoughtCall): Promise<HostCall | null> {
    const { calls } = await client()
    const from = new Date((since?.getTime() ?? Date.now()) - SKEW_MS).toISOString()
    const seen = new Set<string>()
    for (let page = 0, before: string | undefined; page < MOST_PAGES; page++) {
      const listed = await calls.list({ createdAtGe: from, createdAtLe: before, limit: PAGE })
      const ours = listed.find(({ name }) => name === reference)
      if (ours) return hostCall(ours)
      const news = listed.filter(({ id }) => !seen.has(id))
      if (news.length === 0 || listed.length < PAGE) return null
      for (const { id } of news) seen.add(id)
      before = listed.at(-1)!.createdAt
    }
    throw new Error(`not among the latest ${MOST_PAGES * PAGE} calls at Vapi`)
  }

  return {
    name: 'vapi',
    calls_per_second: account.callsPerSecond,
    records: account.records,
    async prepare(call, script, reference) {
      const url = `${account.publicUrl}/providers/vapi/events/${reference}`
      const to = { url, secret: await references.secretOf(reference) }
      return {
        name: reference,
        phoneNumberId: await phoneNumberId(call.from),
        customer: { number: call.to },
        assistant: assistantFor(call, script, to, await lender()),
      }
    },
    async dial(request) {
      const placed = await (await client()).calls.create(request)
      if (!('id' in placed)) throw new Error('Vapi answered many calls for one')
      return placed.id
    },
    async get(id) {
      const call = await get(id)
      return call && hostCall(call)
    },
    find,
    async end(id) {
      const call = await get(id)
      if (!call || hostCall(call).state === 'ended') return
      if (!call.monitor?.controlUrl) throw new Error(`Vapi gives no control of the call ${id}`)
      const answer = await fetch(call.monitor.controlUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'end-call' }),
        signal: AbortSignal.timeout(TIMEOUT_SECONDS * 1000),
      })
      // It may have ended meanwhile.
      if (answer.status >= 500) throw new Error(`Vapi answered ${answer.status} when it should end the call ${id}`)
    },
    addRoutes: (app, listener) => addRoutes(app, references, listener),
  }
}

type Message = { call?: ToldCall } & (
  | (Pick<Vapi.ServerMessageStatusUpdate, 'status' | 'endedReason' | 'destination' | 'artifact'> & {
      type: 'status-update'
    })
  | (Pick<Vapi.ServerMessageTranscript, 'role' | 'transcript'> & { type: 'transcript' })
  | (Pick<
      Vapi.ServerMessageEndOfCallReport,
      'endedReason' | 'destination' | 'artifact' | 'analysis' | 'startedAt' | 'endedAt'
    > & { type: 'end-of-call-report' })
)

function addRoutes(app: FastifyInstance, references: References, listener: HostListener): void {
  const referenceOf = (request: FastifyRequest) => (request.params as { reference: string }).reference
  addCallbacks(app, {
    path: '/providers/vapi/events/:reference',
    header: SECRET_HEADER,
    isOurs: async (secret, request) => sameText(secret, await references.secretOf(referenceOf(request))),
    async hear(body, request) {
      const ref = await references.read(referenceOf(request))
      const { message } = body as { message?: Message }
      const { call } = message ?? {}
      if (!ref || !message || typeof call?.id !== 'string') return
      switch (message.type) {
        case 'transcript':
          return listener.heard(ref, {
            ...hostCall({ ...call, status: 'in-progress' }),
            transcript: heardTurn(message),
          })
        case 'status-update': {
          const { status, endedReason, destination, artifact } = message
          const told = hostCall({ ...call, status, endedReason, artifact, destination: undefined })
          await listener.changed(ref, told)
          if (status === 'forwarding')
            await listener.transfer(ref, told, { status: 'started', number: numberIn(destination) })
          return
        }
        case 'end-of-call-report': {
          const { endedReason, artifact, analysis, startedAt, endedAt, destination } = message
          const told = hostCall({
            ...call,
            status: 'ended',
            endedReason,
            artifact,
            startedAt,
            endedAt,
            analysis: undefined,
          })
          const transferred_to = numberIn(destination ?? call.destination)
          if (endedReason === 'assistant-forwarded-call')
            await listener.transfer(ref, told, { status: 'bridged', number: transferred_to })
          return listener.changed(ref, { ...told, transferred_to, reading: readingOf(analysis ?? {}) })
        }
      }
    },
  })
}
