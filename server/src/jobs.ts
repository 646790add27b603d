import { deskOf } from './calls/desk.ts'
import { followLateCalls } from './calls/late.ts'
import { takeOverCalls } from './calls/take-over.ts'
import { dialDueCalls } from './campaigns/dialling.ts'
import { planCampaigns } from './campaigns/planning.ts'
import { followCampaigns } from './campaigns/progress.ts'
import type { Engine, Job } from './engine/job.ts'
import { keepHouse } from './housekeeping/keep-house.ts'
import { keepStatistics } from './housekeeping/keep-statistics.ts'
import { messageEvents } from './messages/news.ts'
import { writeScheduledMessages } from './messages/scheduled.ts'
import { sendDueMessages } from './messages/sending.ts'
import { takeOverMessages } from './messages/take-over.ts'
import { sendReports } from './reports/send.ts'
import { deliverWebhooks } from './webhooks/deliver.ts'
import { forgetEvents } from './webhooks/forget.ts'

/** Everything the service does by itself. */
export const jobs: Job[] = [
  planCampaigns,
  followCampaigns,
  dialDueCalls,
  takeOverCalls,
  followLateCalls,
  writeScheduledMessages,
  sendDueMessages,
  takeOverMessages,
  sendReports,
  deliverWebhooks,
  forgetEvents,
  keepHouse,
  keepStatistics,
]

/** What the service hears from outside. */
export async function listen(engine: Engine): Promise<void> {
  const { voice, sms, email } = engine.providers
  await Promise.all([
    voice.start(deskOf(engine).events),
    sms.start(messageEvents(engine)),
    email.start(messageEvents(engine)),
  ])
}
