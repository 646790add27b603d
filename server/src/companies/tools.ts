import Type from 'typebox'
import { Fields, Instant, Nullable } from '../core/fields.ts'
import { tool } from '../core/tool.ts'
import { selectAdmins } from './admins.ts'
import { selectKeys } from './queries.ts'

const Admin = Type.Object({ id: Type.Integer(), name: Type.String(), email: Type.String(), role: Type.String() })

export const listCompanyAdmins = tool({
  name: 'list_company_admins',
  title: 'List company administrators',
  description: 'The people of the firm who administer this account.',
  readOnly: true,
  input: Fields({}),
  output: Type.Object({ items: Type.Array(Admin) }),
  run: async (ctx) => ({ items: await selectAdmins(ctx) }),
})

const Key = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  enabled: Type.Boolean(),
  created_at: Instant(),
  last_used_at: Nullable<Date>('string', undefined, { format: 'date-time' }),
})

export const listApiKeys = tool({
  name: 'list_api_keys',
  title: 'List API keys',
  description: "Names and ids of the firm's API keys, for api_key_id of a webhook; never the keys themselves.",
  readOnly: true,
  input: Fields({}),
  output: Type.Object({ items: Type.Array(Key) }),
  async run(ctx) {
    const keys = await selectKeys(ctx)
    return { items: keys.map(({ key_id, prefix: _, ...key }) => ({ id: key_id, ...key })) }
  },
})
