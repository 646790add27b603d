import Type from 'typebox'
import { Fields } from '../core/fields.ts'
import { tool } from '../core/tool.ts'
import { saveNewAgent } from './save.ts'
import { CreateAgent } from './schema.ts'

const { name, voice_id, greeting, task, post_call_fields, transfer_number, is_transfer_enabled } =
  CreateAgent.properties

export const createVoiceAgent = tool({
  name: 'create_voice_agent',
  title: 'Create a voice agent',
  description:
    'Creates the AI agent that speaks in the calls of a campaign. describe_schema lists the voices, and the agents there are.',
  input: Fields({ name, voice_id, greeting, task, post_call_fields, transfer_number, is_transfer_enabled }),
  output: Type.Object({ id: Type.String(), name: Type.String() }),
  async run(ctx, input) {
    const agent = await saveNewAgent(ctx, input)
    return { id: agent.id, name: agent.name }
  },
})
