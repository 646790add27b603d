import sql from 'sql-template-tag'
import type { Company, TestApi } from './api.ts'
import { agentPayload, casePayload, clientPayload, runPayload } from './payloads.ts'

const once = <T>(make: () => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

type Made<T> = () => Promise<T>

export interface ToolWorld {
  newCase: Made<number>
  client: Made<number>
  case: Made<number>
  caseList: Made<number>
  agent: Made<string>
  campaignPayload: Made<object>
  campaign: Made<number>
  call: Made<number>
  form: Made<number>
  task: Made<number>
  caseTask: Made<number>
  note: Made<string>
  attachment: Made<string>
  caseType: Made<number>
  caseStatus: Made<number>
  webhook: Made<number>
  newWebhook: Made<number>
  webhookLog: Made<number>
  apiKey: Made<number>
}

/** One record of every noun, made through the front door when it is first needed. */
export function toolWorld(api: TestApi, firm: Company): ToolWorld {
  const first = async (query: ReturnType<typeof sql>) => (await api.pool.one<{ id: number }>(query)).id
  const newClient = async (): Promise<number> => {
    const reachable = { mobile: '+1 212-555-0123', email: 'ana@example.com', state: 'NY', postal_code: '10007' }
    return (await firm.ok('POST /v1/clients', clientPayload(reachable))).id
  }
  const newCase = async (): Promise<number> =>
    (await firm.ok('POST /v1/cases', casePayload({ client_ids: [await newClient()] }))).id
  const world: ToolWorld = {
    newCase,
    client: once(newClient),
    case: once(async () => {
      const id = await newCase()
      await firm.tool('set_case_clients', { case_id: id, client_ids: [await world.client()] })
      return id
    }),
    caseList: once(async (): Promise<number> => {
      const include_ids = [await world.case()]
      return (await firm.ok('POST /v1/case_lists', { name: 'A list', include_ids })).id
    }),
    agent: once(async (): Promise<string> => {
      return (await firm.ok('POST /v1/agent_builder/campaign_agents', agentPayload())).id
    }),
    campaignPayload: async () => ({
      name: 'A campaign',
      agent_id: await world.agent(),
      case_list_id: await world.caseList(),
      runs: [runPayload({ end_date: '2099-12-31' })],
    }),
    campaign: once(async (): Promise<number> => {
      return (await firm.ok('POST /v1/campaigns', await world.campaignPayload())).id
    }),
    /** As the engine leaves it behind. */
    call: once(async () => {
      const [campaign, client, kase, agent] = await Promise.all([
        world.campaign(),
        world.client(),
        world.case(),
        world.agent(),
      ])
      const transcript = JSON.stringify([{ speaker: 'agent', text: 'Hello', at: 0 }])
      return first(sql`
        insert into calls (company_id, campaign_id, client_id, case_id, agent_id, attempt, state, provider, to_number, decision,
          created_at, start_time, ended_at, duration_seconds, result, sentiment_score, summary, transcript, extracted_fields)
        values (${firm.id}, ${campaign}, ${client}, ${kase}, ${agent}, 1, 'ended', 'sandbox', '+12125550123', '{}', now(), now(),
          now(), 75, 'successful', 0.7, 'Said hello.', ${transcript}, '{"injured": true}') returning id`)
    }),
    form: once(async (): Promise<number> => {
      return (await firm.tool('create_form', { name: 'A form', tasks: [{ title: 'A question' }] })).id
    }),
    task: once(async (): Promise<number> => (await firm.tool('create_task', { title: 'A task' })).id),
    caseTask: once(async (): Promise<number> => {
      return (await firm.tool('create_task', { title: 'Another task', case_id: await world.case() })).case_task_id
    }),
    note: once(async (): Promise<string> => {
      const case_id = await world.case()
      await firm.tool('create_note', { type: 'case', reference_id: case_id, body: 'A note' })
      return (await firm.tool('list_notes', { case_id })).notes[0].ulid
    }),
    attachment: once(async (): Promise<string> => {
      return (await firm.tool('create_attachment', { file_name: 'a.txt', content_base64: 'YQ==' })).ulid
    }),
    caseType: once(() => first(sql`select min(id) as id from case_types where company_id = ${firm.id}`)),
    caseStatus: once(() => first(sql`select min(id) as id from case_statuses where company_id = ${firm.id}`)),
    newWebhook: async () => (await firm.tool('create_webhook', { name: 'A receiver', url: 'https://8.8.8.8/hook' })).id,
    webhook: once(() => world.newWebhook()),
    /** As a failed delivery leaves it behind. */
    webhookLog: once(async () => {
      const webhook = await world.webhook()
      return first(sql`
        with event as (
          insert into events (company_id, type, event_key, data) values (${firm.id}, 'ping', 'webhook:1', '{}') returning id
        )
        insert into webhook_attempts (company_id, webhook_id, event_id, destination_url, triggered_by, attempt_number,
          http_status, duration_ms, success, error_message, response_body, created_at)
        select ${firm.id}, ${webhook}, id, 'https://8.8.8.8/hook', 'event', 1, 500, 12, false, 'HTTP 500', 'Oh', now() from event
        returning id`)
    }),
    apiKey: once(() => first(sql`select min(id) as id from api_keys where company_id = ${firm.id}`)),
  }
  return world
}
