import { pause } from '../core/clock.ts'
import type { Pool } from '../core/db.ts'
import { Wake } from '../engine/shift.ts'
import {
  bodyOf,
  type Delivery,
  LEASE_SECONDS,
  type Outcome,
  releaseWebhook,
  renewLease,
  selectDue,
  type WebhookRef,
} from './deliveries.ts'
import { nextAttempt, readRetryAfter } from './retry.ts'
import { signedHeaders, webhookId } from './signing.ts'
import type { Post } from './transport.ts'

export interface Courier {
  pool: Pool
  nodeId: string
  /** Aborted when the process is asked to stop. */
  signal: AbortSignal
  post: Post
  write(outcome: Outcome): Promise<void>
}

/** Connections to one receiver, and to one that lately did not answer. */
const CONNECTIONS = 8
const CONNECTIONS_TO_THE_DEAD = 2

/** How many deliveries are fetched at once, and how long a fetched one may wait before it is looked at anew. */
const [FEWEST, MOST] = [16, 512]
const STALE_MS = 5000
/** Sent and not yet written, or still to be sent. */
const MOST_IN_HAND = 4 * MOST

/**
 * Sends what one webhook waits for until nothing is due any more, then gives it back. Deliveries of the same record go
 * out one after the other; a failed one waits for its retry and lets the next pass.
 */
export async function workOff(courier: Courier, webhook: WebhookRef): Promise<void> {
  const { pool, nodeId, signal } = courier
  const lane = new Lane(courier)
  let renewed = Date.now()
  let wanted = FEWEST
  let wait = 25
  const hasRoom = () => lane.unsent < wanted / 2 && lane.size < MOST_IN_HAND
  while (!signal.aborted && !lane.stopped) {
    if (Date.now() - renewed > (LEASE_SECONDS * 1000) / 3) {
      if (!(await renewLease(pool, webhook, nodeId))) break
      renewed = Date.now()
    }
    const due = hasRoom() ? await selectDue(pool, webhook, lane.inHand(), wanted) : []
    if (due.length === 0 && lane.size === 0) break
    lane.take(due)
    const began = Date.now()
    if (due.length === wanted || !hasRoom()) {
      // More is waiting: the next fetch comes before the sender has nothing to do, and is larger where that was soon.
      await lane.until(hasRoom, 1000)
      wanted = Date.now() - began < 250 ? Math.min(wanted * 2, MOST) : Math.max(wanted / 2, FEWEST)
    } else {
      wait = due.length > 0 ? 25 : Math.min(wait * 2, 1000)
      wanted = Math.max(wanted / 2, FEWEST)
      await lane.until(() => lane.size === 0, wait)
    }
  }
  await lane.finish()
  // What could not be written would be sent again at once: left to the end of the lease instead.
  if (!lane.broken) await releaseWebhook(pool, webhook, nodeId)
}

class Lane {
  /** Nothing more is sent: the receiver is gone or asks to be left alone, or the process is stopping. */
  stopped = false
  /** An outcome could not be written. */
  broken = false
  readonly #courier: Courier
  readonly #queue: { delivery: Delivery; since: number }[] = []
  /** Events in hand: queued, under way or being written. */
  readonly #inHand = new Set<number>()
  /** Records with a delivery under way, each with those that wait for it. */
  readonly #busy = new Map<string, Delivery[]>()
  readonly #progress = new Wake()
  #sending = 0
  #answering = true

  constructor(courier: Courier) {
    this.#courier = courier
  }

  get size(): number {
    return this.#inHand.size
  }

  get unsent(): number {
    return this.#queue.length + this.#sending
  }

  inHand(): number[] {
    return [...this.#inHand]
  }

  take(due: Delivery[]): void {
    for (const delivery of due) {
      this.#inHand.add(delivery.event_id)
      this.#queue.push({ delivery, since: Date.now() })
    }
    this.#pump()
  }

  /** Resolves when it is so, or after so many milliseconds. */
  async until(isSo: () => boolean, ms: number): Promise<void> {
    const end = new AbortController()
    const over = pause(ms, end.signal).then(() => true)
    while (!isSo()) if (await Promise.race([over, this.#progress.next().then(() => false)])) break
    end.abort()
  }

  /** Lets go of what is queued and waits for what is under way. */
  async finish(): Promise<void> {
    this.stopped = true
    this.#pump()
    while (this.size > 0) await this.#progress.next()
  }

  #pump(): void {
    const { aborted } = this.#courier.signal
    // All of it, so that the order stays: it is fetched anew, with the webhook as it is then.
    if (this.stopped || aborted || Date.now() - (this.#queue[0]?.since ?? Number.POSITIVE_INFINITY) > STALE_MS)
      for (const { delivery } of this.#queue.splice(0)) this.#drop(delivery)
    while (this.#sending < (this.#answering ? CONNECTIONS : CONNECTIONS_TO_THE_DEAD)) {
      const next = this.#queue.shift()
      if (!next) return
      const { delivery } = next
      const waiting = this.#busy.get(delivery.event_key)
      if (waiting) waiting.push(delivery)
      else {
        this.#busy.set(delivery.event_key, [])
        this.#start(delivery)
      }
    }
  }

  #drop(delivery: Delivery): void {
    this.#inHand.delete(delivery.event_id)
    this.#progress.call()
  }

  #start(delivery: Delivery): void {
    this.#sending++
    attempt(this.#courier, delivery)
      .then(({ outcome, answered }) => {
        this.#answering = answered
        if (outcome.gone || outcome.hold_until) this.stopped = true
        return outcome
      })
      .finally(() => {
        this.#sending--
        const next = this.#busy.get(delivery.event_key)
        this.#busy.delete(delivery.event_key)
        // The next of the same record is the first to go.
        if (next?.length) this.#queue.unshift(...next.map((each) => ({ delivery: each, since: Date.now() })))
        this.#pump()
        this.#progress.call()
      })
      .then((outcome) => this.#courier.write(outcome))
      .catch(() => {
        this.broken = this.stopped = true
      })
      .finally(() => this.#drop(delivery))
  }
}

async function attempt({ post }: Courier, delivery: Delivery): Promise<{ outcome: Outcome; answered: boolean }> {
  const { company_id, webhook_id, event_id, triggered_by, url } = delivery
  const created_at = new Date()
  const began = performance.now()
  const body = bodyOf(delivery)
  const id = webhookId(delivery.uid, webhook_id)
  const headers = signedHeaders(id, Math.floor(created_at.getTime() / 1000), body, delivery.secrets)
  const { status, body: response_body, retryAfter, error } = await post(url, headers, body)
  const now = new Date()
  const attempt_number = delivery.attempts + 1
  const hold = error === null ? null : readRetryAfter(retryAfter, now)
  // Tests and replays are sent once: whoever asked for them is watching.
  const retried = error !== null && status !== 410 && triggered_by === 'event'
  const outcome: Outcome = {
    company_id,
    webhook_id,
    event_id,
    triggered_by,
    attempt_number,
    destination_url: url,
    success: error === null,
    http_status: status,
    error_message: error,
    response_body,
    duration_ms: Math.round(performance.now() - began),
    created_at,
    next_attempt_at: retried ? (nextAttempt(attempt_number, now, hold) ?? null) : null,
    hold_until: status === 429 || status === 503 ? hold : null,
    gone: status === 410 && triggered_by === 'event',
  }
  return { outcome, answered: status !== null }
}
