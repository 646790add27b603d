import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { eventually } from '../support/engine.ts'
import { startRealMessages } from '../support/real-messages.ts'
import { seedCampaign } from '../support/seed.ts'

const world = await startRealMessages()
const { mail } = world
const { pool } = world.api
const { companyId, campaignId } = await seedCampaign(pool, { contacts: 1 })

/** A report that is due now, and how its run stands. */
async function due(recipients: string[]) {
  const { id } = await pool.one<{ id: number }>(sql`
    insert into report_schedules (company_id, campaign_id, name, frequency, time, recipients, due_at)
    values (${companyId}, ${campaignId}, 'Daily', 'daily', '08:00', ${recipients}, now()) returning id`)
  const run = () => pool.maybe<any>(sql`select * from report_runs where report_schedule_id = ${id}`)
  const becomes = (holds: (run: any) => boolean) =>
    eventually(async () => {
      const found = await run()
      return found && holds(found) ? found : undefined
    })
  return { becomes, now: () => pool.run(sql`update report_runs set retry_at = now() where report_schedule_id = ${id}`) }
}

const receivedBy = (to: string) => mail.received.filter(({ to_address }) => to_address === to)

test('a report that the mail server puts off is tried later, after longer and longer, by whom it was put off alone', async () => {
  mail.recipient = (to, tries) => (to.startsWith('grey') && tries < 6 ? { code: 451, words: '4.7.1 later' } : undefined)
  const { becomes, now } = await due(['grey@example.com', 'dana@example.com', 'grey2@example.com'])
  const waits: number[] = []
  for (const tries of [1, 2, 3, 4, 5]) {
    const run = await becomes(({ put_off }) => put_off === tries)
    assert.equal(run.status, 'running')
    assert.deepEqual([run.outcomes, run.attempted], [{ 'dana@example.com': null }, ['dana@example.com']])
    waits.push((run.retry_at.getTime() - Date.now()) / 60_000)
    await now()
  }
  assert.deepEqual(waits.map(Math.round), [5, 5, 5, 8, 16])
  const run = await becomes(({ status }) => status === 'sent')
  assert.deepEqual([run.error, run.put_off], [null, 5])
  for (const to of ['grey@example.com', 'grey2@example.com', 'dana@example.com']) {
    const [report, ...others] = receivedBy(to)
    assert.equal(others.length, 0)
    assert.match(report!.attachments[0]!.filename!, /^Daily-.*\.csv$/)
    assert.ok(!report!.headers.some(({ key }) => key === 'list-unsubscribe'))
  }
})

test('after a day of that it is given up, and says so', async () => {
  mail.recipient = () => ({ code: 451, words: '4.7.1 later' })
  const { becomes, now } = await due(['never@example.com'])
  await becomes(({ put_off }) => put_off === 1)
  await pool.run(sql`update report_runs set put_off = 28 where status = 'running'`)
  await now()
  const run = await becomes(({ status }) => status === 'failed')
  assert.match(run.error, /^never@example\.com: given up after a day: .*4\.7\.1 later/)
})

test('a recipient whom the server refuses gets none, and the others get theirs', async () => {
  mail.recipient = (to) => (to === 'gone@example.com' ? { code: 550, words: '5.1.1 no such mailbox' } : undefined)
  const { becomes } = await due(['gone@example.com', 'lee@example.com'])
  const run = await becomes(({ status }) => status === 'sent')
  assert.match(run.error, /^gone@example\.com: .*5\.1\.1/)
  assert.equal(receivedBy('lee@example.com').length, 1)
})

test('where the line is cut before the answer, the report is not sent again', async () => {
  mail.recipient = () => undefined
  mail.contents = (to) => (to === 'cut@example.com' ? 'cut' : undefined)
  const { becomes } = await due(['cut@example.com'])
  await becomes(({ status }) => status === 'failed')
  assert.equal(receivedBy('cut@example.com').length, 1)
})
