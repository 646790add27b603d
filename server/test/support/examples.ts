import { agentPayload, casePayload, clientPayload, runPayload } from './payloads.ts'
import type { World } from './world.ts'

export interface Example {
  /** The path with its ids. */
  path: string
  body?: Record<string, unknown>
}

/**
 * One good request for every operation, by its route: what holds for all operations is tested with these. Calling one
 * again makes another request of the same kind. Every id goes through `names`, so that it can be replaced.
 */
export const examples: Record<string, (world: World) => Promise<Example>> = {
  'POST /v1/clients': async (world) => ({
    path: '/v1/clients',
    body: clientPayload({ meta: { tier: 'gold' }, case_ids: [world.names('case', await world.case())] }),
  }),
  'GET /v1/clients/:id': async (world) => {
    const { client } = await world.linkedCase()
    return { path: `/v1/clients/${world.names('client', client, 'subject')}` }
  },
  'PUT /v1/clients/:id': async (world) => ({
    path: `/v1/clients/${world.names('client', await world.client(), 'subject')}`,
    body: clientPayload({ city: 'Reno', case_ids: [world.names('case', await world.case())] }),
  }),
  'DELETE /v1/clients/:id': async (world) => ({
    path: `/v1/clients/${world.names('client', await world.client(), 'subject')}`,
  }),
  'POST /v1/clients/bulk': async (world) => ({
    path: '/v1/clients/bulk',
    body: {
      clients: [
        clientPayload(),
        { id: world.names('client', await world.client(), 'ignored'), city: 'Reno' },
        clientPayload({ case_ids: [world.names('case', await world.case(), 'ignored')] }),
        { first_name: 'Nobody' },
      ],
    },
  }),
  'POST /v1/clients/bulk_delete': async (world) => ({
    path: '/v1/clients/bulk_delete',
    body: { client_ids: [world.names('client', await world.client(), 'ignored'), await world.client()] },
  }),

  'POST /v1/cases': async (world) => ({
    path: '/v1/cases',
    body: casePayload({
      external_source_data: { matter: 7 },
      court_date: '2026-04-01',
      client_ids: [world.names('client', await world.client())],
    }),
  }),
  'GET /v1/cases/:id': async (world) => {
    const { record } = await world.linkedCase()
    return { path: `/v1/cases/${world.names('case', record, 'subject')}` }
  },
  'PUT /v1/cases/:id': async (world) => ({
    path: `/v1/cases/${world.names('case', await world.case(), 'subject')}`,
    body: casePayload({ client_ids: [world.names('client', await world.client())] }),
  }),
  'DELETE /v1/cases/:id': async (world) => ({
    path: `/v1/cases/${world.names('case', await world.case(), 'subject')}`,
  }),
  'POST /v1/cases/bulk': async (world) => ({
    path: '/v1/cases/bulk',
    body: {
      cases: [
        casePayload({ client_ids: [world.names('client', await world.client())] }),
        casePayload({ id: world.names('case', await world.case()), status: 'closed' }),
      ],
    },
  }),
  'POST /v1/cases/bulk_delete': async (world) => ({
    path: '/v1/cases/bulk_delete',
    body: { ids: [world.names('case', await world.case(), 'ignored'), await world.case()], with_clients: true },
  }),
  'POST /v1/cases/communication/sms': async (world) => {
    const { client, record } = await world.linkedCase()
    return {
      path: '/v1/cases/communication/sms',
      body: {
        case_id: world.names('case', record, 'subject'),
        client_id: world.names('client', client, 'subject'),
        message: 'Hello {{first_name}}',
      },
    }
  },
  'POST /v1/cases/communication/email': async (world) => {
    const { client, record } = await world.linkedCase()
    return {
      path: '/v1/cases/communication/email',
      body: {
        case_id: world.names('case', record, 'subject'),
        client_id: world.names('client', client, 'subject'),
        subject: 'About {{case_name}}',
        message: 'Hello {{first_name}}',
      },
    }
  },

  'GET /v1/case_lists': async (world) => {
    await world.list({ name: 'Shown', filter: { case_type_ids: [await world.caseType()] } })
    return { path: '/v1/case_lists?key=shown&page=1&page_size=10&hide_empty=false' }
  },
  'POST /v1/case_lists': async (world) => ({
    path: '/v1/case_lists',
    body: {
      name: 'Open',
      filter: {
        case_type_ids: [world.names('case type', await world.caseType())],
        status_ids: [world.names('case status', await world.caseStatus())],
      },
      include_ids: [world.names('case', await world.case())],
      exclude_ids: [world.names('case', await world.case(), 'ignored')],
    },
  }),
  'POST /v1/case_lists/bulk': async (world) => ({
    path: '/v1/case_lists/bulk',
    body: {
      lists: [
        { name: 'New', include_ids: [world.names('case', await world.case())] },
        { id: world.names('list', await world.list()), description: 'Changed' },
      ],
    },
  }),
  'PATCH /v1/case_lists/:id/attach': async (world) => ({
    path: `/v1/case_lists/${world.names('list', await world.list(), 'subject')}/attach`,
    body: {
      filter: { case_type_ids: [world.names('case type', await world.caseType())] },
      include_ids: [world.names('case', await world.case())],
      exclude_ids: [world.names('case', await world.case(), 'ignored')],
    },
  }),
  'PATCH /v1/case_lists/:id/detach': async (world) => {
    const record = await world.case()
    const list = await world.list({ include_ids: [record] })
    return {
      path: `/v1/case_lists/${world.names('list', list, 'subject')}/detach`,
      body: { include_ids: [world.names('case', record, 'ignored')] },
    }
  },
  'POST /v1/case_lists/:id/clients/append': async (world) => {
    const { client } = await world.linkedCase()
    return {
      path: `/v1/case_lists/${world.names('list', await world.list(), 'subject')}/clients/append`,
      body: { client_ids: [world.names('client', client)] },
    }
  },
  'POST /v1/case_lists/:id/clients/remove': async (world) => {
    const { client, record } = await world.linkedCase()
    const list = await world.list({ include_ids: [record] })
    return {
      path: `/v1/case_lists/${world.names('list', list, 'subject')}/clients/remove`,
      body: { client_ids: [world.names('client', client, 'ignored')] },
    }
  },
  'POST /v1/case_lists/:id/duplicate': async (world) => ({
    path: `/v1/case_lists/${world.names('list', await world.list(), 'subject')}/duplicate`,
    body: {},
  }),
  'POST /v1/case_lists/bulk_delete': async (world) => ({
    path: '/v1/case_lists/bulk_delete',
    body: { ids: [world.names('list', await world.list(), 'ignored'), await world.list()] },
  }),

  'POST /v1/campaigns': async (world) => ({
    path: '/v1/campaigns',
    body: {
      name: 'Reminders',
      agent_id: world.names('agent', await world.agent()),
      case_list_id: world.names('list', await world.list()),
      runs: [runPayload({ client_run_id: 'first' })],
      report_schedule: {
        name: 'Every evening',
        run_client_ids: ['first'],
        frequency: 'daily',
        time: '23:00',
        recipients: ['reports@example.com'],
        filters: { case_type_ids: [world.names('case type', await world.caseType())] },
      },
    },
  }),
  'GET /v1/campaigns': async (world) => {
    await world.campaign()
    return { path: '/v1/campaigns?key=campaign' }
  },
  'GET /v1/campaigns/settings': async () => ({ path: '/v1/campaigns/settings' }),

  'POST /v1/calls': async (world) => {
    const { record } = await world.linkedCase()
    return {
      path: '/v1/calls',
      body: {
        campaign_id: world.names('campaign', await world.campaign(), 'subject'),
        case_id: world.names('case', record, 'subject'),
      },
    }
  },

  'POST /v1/agent_builder/campaign_agents': async (world) => {
    const case_type_id = world.names('case type', await world.caseType())
    const phone_assignments = [{ phone_number: '+12125550100', case_type_id, direction: 'both' }]
    return {
      path: '/v1/agent_builder/campaign_agents',
      body: agentPayload({ phone_assignments, name: `Agent ${Math.random()}` }),
    }
  },
  'PATCH /v1/agent_builder/campaign_agents/:agent_id': async (world) => ({
    path: `/v1/agent_builder/campaign_agents/${world.names('agent', await world.agent(), 'subject')}`,
    body: { name: 'Casey', post_call_fields: [{ name: 'date', type: 'text' }] },
  }),
  'GET /v1/agent_builder/campaign_agents/:agent_id/config': async (world) => ({
    path: `/v1/agent_builder/campaign_agents/${world.names('agent', await world.agent(), 'subject')}/config`,
  }),
  'DELETE /v1/agent_builder/campaign_agents/:agent_id': async (world) => ({
    path: `/v1/agent_builder/campaign_agents/${world.names('agent', await world.agent(), 'subject')}`,
  }),
  'GET /v1/agent_builder/voices': async () => ({ path: '/v1/agent_builder/voices' }),

  'GET /v1/crm_integrations': async () => ({ path: '/v1/crm_integrations' }),
  'GET /v1/crm_mappings/fields': async () => ({ path: '/v1/crm_mappings/fields' }),
  'POST /v1/crm_mappings/fields': async () => ({
    path: '/v1/crm_mappings/fields',
    body: { mappings: [{ kayse_field: 'case_status', crm_field: `status_${Math.random()}` }] },
  }),
  'GET /v1/crm_mappings/outcome_types': async () => ({ path: '/v1/crm_mappings/outcome_types' }),

  'GET /v1/metadata/objects': async () => ({ path: '/v1/metadata/objects' }),
}
