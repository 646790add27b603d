import { coalesce } from '../core/coalesce.ts'
import type { Engine, Job } from '../engine/job.ts'
import { claimWebhooks, type Outcome, type WebhookRef, writeOutcomes } from './deliveries.ts'
import { disableWebhooks } from './disable.ts'
import { type Courier, workOff } from './lane.ts'
import { openTransport } from './transport.ts'

/** Webhooks that one process works on at once. */
const MOST_LANES = 2000

export const deliverWebhooks: Job = {
  name: 'deliver webhooks',
  summary: 'Takes webhooks with due deliveries and sends what they wait for, each in a lane of its own',
  idleMs: 50,
  async pass(engine) {
    const courier = courierOf(engine)
    const taken = await claimWebhooks(engine.pool, engine.nodeId, MOST_LANES - courier.lanes)
    for (const webhook of taken) {
      courier.lanes++
      const lane = workOff(courier, webhook).catch((error: unknown) => {
        engine.log.error({ err: error, ...webhook }, 'the deliveries of a webhook stopped; they are taken up again')
      })
      engine.inHand(lane.finally(() => courier.lanes--))
    }
    return 'idle'
  },
}

interface CourierWithLanes extends Courier {
  lanes: number
}

const couriers = new WeakMap<Engine, CourierWithLanes>()

/** Everything of a process that its lanes share: connections, and what writes their outcomes. */
function courierOf(engine: Engine): CourierWithLanes {
  const courier = couriers.get(engine) ?? openCourier(engine)
  couriers.set(engine, courier)
  return courier
}

function openCourier(engine: Engine): CourierWithLanes {
  const { pool, nodeId, signal, log, allowPrivateWebhooks } = engine
  const write = coalesce<Outcome, void>(
    async (outcomes) => {
      // In a transaction because that is tried again where it meets a webhook that is being changed.
      const exhausted = await pool.transaction((db) => writeOutcomes(db, outcomes))
      const off = [
        ...outcomes.filter(({ gone }) => gone).map((outcome) => because(outcome, 'the receiver answered 410 Gone')),
        ...exhausted.map((webhook) => because(webhook, 'every delivery of the last 5 days failed')),
      ]
      for (const each of off) {
        log.warn(each, 'webhook switched off')
        await disableWebhooks(pool, [each])
      }
      return outcomes.map(() => undefined)
    },
    { max: 500 },
  )
  return { pool, nodeId, signal, post: openTransport({ allowPrivate: allowPrivateWebhooks }), write, lanes: 0 }
}

const because = ({ company_id, webhook_id }: WebhookRef, reason: string) => ({ company_id, webhook_id, reason })
