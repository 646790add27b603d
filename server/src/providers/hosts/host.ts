import type { FastifyInstance } from 'fastify'
import type { HostScript } from '../call-brief.ts'
import type { CallRef, DialRefused, DisconnectionReason, OutgoingCall, SoughtCall, Turn } from '../voice.ts'

/** How a call ended: nobody was talked with, or the conversation did. */
export type Ending =
  | { status: 'busy' | 'no_answer' | 'canceled' }
  | { status: 'failed'; reason: DialRefused['reason'] }
  | { talked: DisconnectionReason }

/** A call as a host tells of it, whichever way it does. */
export type HostCall = CallFacts & ({ state: 'ringing' | 'in_progress' } | { state: 'ended'; ending: Ending })

interface CallFacts {
  provider_call_id: string
  /** E.164; empty where the host does not say. */
  to: string
  placed_at: Date | null
  answered_at: Date | null
  ended_at: Date | null
  duration_seconds: number
  transcript: Turn[]
  transferred_to: string | null
  /** The host's own reading of the conversation; null while it has none. */
  reading: Reading | null
}

export interface Reading {
  successful: boolean | null
  opted_out: boolean | null
  summary: string | null
  sentiment_score: number | null
  extracted_fields: Record<string, unknown>
}

export interface TransferStep {
  status: 'started' | 'bridged' | 'cancelled' | 'ended'
  /** null where the host does not say. */
  number: string | null
}

/** What a host's callbacks say. A rejection must be answered so that the host calls back once more. */
export interface HostListener {
  /** What is known of the call has changed. */
  changed(ref: CallRef, call: HostCall): Promise<void>
  /** Somebody has said something; `call` may hold no more than that. */
  heard(ref: CallRef, call: HostCall): Promise<void>
  transfer(ref: CallRef, call: HostCall, step: TransferStep): Promise<void>
}

/** A vendor whose agents call and talk by themselves. `Request` is what its interface takes for a call. */
export interface Host<Request> {
  readonly name: string
  readonly calls_per_second: number
  readonly records: boolean
  /** Nobody is rung by this: a failure puts the call off. */
  prepare(call: OutgoingCall, script: HostScript, reference: string): Promise<Request>
  /** Rings. Sends one request, and never a second one. Answers the host's id of the call. */
  dial(request: Request): Promise<string>
  get(providerCallId: string): Promise<HostCall | null>
  /** Finds a call by our reference. */
  find(reference: string, call: SoughtCall): Promise<HostCall | null>
  /** Ends a call, if it is not over. */
  end(providerCallId: string): Promise<void>
  addRoutes(app: FastifyInstance, listener: HostListener): void
}

/** The name under which a host is asked whether the contact wants no more calls. */
export const OPTED_OUT_FIELD = 'docketcall_opted_out'
export const OPTED_OUT_QUESTION =
  'True only if the person called asked, in whatever words, not to be called or contacted again, or said yes when asked so.'
