import Type from 'typebox'
import { pauseCampaignsOfAgent } from '../campaigns/status.ts'
import { changedFields } from '../core/change.ts'
import { badRequest } from '../core/errors.ts'
import { Fields } from '../core/fields.ts'
import { operation } from '../core/operation.ts'
import { deleteAgent, selectAgent, updateAgent } from './queries.ts'
import { applied, check, saveNewAgent } from './save.ts'
import { AgentConfig, AgentId, CreateAgent, CreatedAgent, PatchAgent, PatchedAgent } from './schema.ts'
import { Voice, voices } from './voices.ts'

const tag = 'Voice agents'

export const createAgent = operation({
  rest: 'POST /v1/agent_builder/campaign_agents',
  tag,
  summary: 'Create a voice agent',
  input: CreateAgent,
  output: CreatedAgent,
  status: 201,
  async run(ctx, input) {
    const { id, name, voice_id, greeting, task, created_at } = await saveNewAgent(ctx, input)
    return { id, name, voice_id, greeting, task, created_at }
  },
})

export const patchAgent = operation({
  rest: 'PATCH /v1/agent_builder/campaign_agents/:agent_id',
  tag,
  summary: 'Change a voice agent',
  description: 'Takes every field of the create operation. Fields that are left out stay as they are.',
  input: PatchAgent,
  output: PatchedAgent,
  async run(ctx, { agent_id, id: _id, created_at: _c, updated_at: _u, ...given }) {
    if (Object.keys(given).length === 0)
      badRequest('body: must name at least one field to change', [
        { field: 'body', message: 'must name at least one field to change' },
      ])
    const before = await selectAgent(ctx, agent_id, 'update')
    const agent = { id: agent_id, ...applied(before, given) }
    await check(ctx, given, agent)
    const { updated_at, ...after } = await updateAgent(ctx, agent)
    const changes = changedFields(before, after)
    if (changes) ctx.record({ activity: 'agent_updated', record_type: 'agent', record_id: agent_id, changes })
    const sent = Object.fromEntries(Object.entries(after).filter(([field]) => field in given))
    return { ...sent, id: agent_id, updated_at }
  },
})

export const getAgentConfig = operation({
  rest: 'GET /v1/agent_builder/campaign_agents/:agent_id/config',
  tag,
  summary: 'Read the configuration of a voice agent',
  input: Fields({ agent_id: AgentId }),
  output: AgentConfig,
  async run(ctx, { agent_id }) {
    const {
      transfer_number,
      phone_number,
      phone_assignments,
      voicemail_action,
      voicemail_message,
      transfer_mode,
      ...agent
    } = await selectAgent(ctx, agent_id)
    return {
      ...agent,
      ...(transfer_number && { transfer_number }),
      ...(phone_number && { phone_number }),
      ...(phone_assignments.length > 0 && { phone_assignments }),
      ...(voicemail_action !== 'hangup' && { voicemail_action }),
      ...(voicemail_message && { voicemail_message }),
      ...(transfer_mode !== 'cold' && { transfer_mode }),
    }
  },
})

export const removeAgent = operation({
  rest: 'DELETE /v1/agent_builder/campaign_agents/:agent_id',
  tag,
  summary: 'Delete a voice agent',
  description: 'Campaigns that use it are paused, with the reason.',
  input: Fields({ agent_id: AgentId }),
  status: 204,
  async run(ctx, { agent_id }) {
    const { name } = await selectAgent(ctx, agent_id, 'update')
    await deleteAgent(ctx, agent_id)
    ctx.record({ activity: 'agent_deleted', record_type: 'agent', record_id: agent_id })
    await pauseCampaignsOfAgent(ctx, agent_id, `its voice agent '${name}' was deleted`)
  },
})

export const listVoices = operation({
  rest: 'GET /v1/agent_builder/voices',
  tag,
  summary: 'List the voices',
  input: Fields({}),
  output: Type.Object({ voices: Type.Array(Voice, { description: 'The voices' }) }),
  run: async () => ({ voices }),
})
