import Type from 'typebox'
import { refuseAll } from '../core/errors.ts'
import { Choice, Fields, OptionalObject, Text } from '../core/fields.ts'
import { tool } from '../core/tool.ts'
import { brokenEvidence } from './consent-evidence.ts'
import { consentAddresses, optOutAddresses } from './opt-out.ts'
import { PERMISSION_CHANNELS } from './permissions.ts'
import { PURPOSES } from './rule-schema.ts'
import { readAddress } from './suppression-list.ts'

/** One tool for both: the catalogue is read as a whole, again and again. The command line imports and exports files. */
export const recordPermission = tool({
  name: 'record_permission',
  title: 'Record consents and opt-outs',
  description:
    'By number or e-mail address, client or not. consent: they agreed to be contacted; marketing needs it, and it lifts earlier opt-outs. suppression: nobody is contacted there any more.',
  idempotent: true,
  input: Fields({
    kind: Choice(['consent', 'suppression'], 'Kind'),
    addresses: Type.Array(Text(255, 'Address'), { minItems: 1, maxItems: 5000 }),
    channel: Choice(PERMISSION_CHANNELS, 'Channel'),
    purpose: Type.Optional(Choice([...PURPOSES, 'all'], 'all when left out')),
    words: Text(10_000, 'What exactly they agreed to or asked for'),
    obtained_at: Type.Optional(Type.String({ format: 'date-time' })),
    evidence: OptionalObject('form_version, box (ticked, pre_ticked, none), ip, user_agent, url, proof, signature'),
  }),
  output: Type.Object({ recorded: Type.Integer(), unreadable: Type.Array(Type.String()) }),
  async run(ctx, { kind, addresses, channel, purpose = 'all', words, obtained_at, evidence }) {
    refuseAll(brokenEvidence(kind, evidence ?? {}))
    // The engine's clock may run ahead or behind in the sandbox.
    if (obtained_at && Date.parse(obtained_at) > Math.max(Date.now(), ctx.clock.now().getTime()))
      refuseAll([{ field: 'obtained_at', message: 'must not lie ahead' }])
    const read = addresses.map((text) => ({ text, address: readAddress(text, channel) }))
    const entries = [...new Set(read.flatMap(({ address }) => address ?? []))].map((address) => ({
      address,
      channel,
      purpose,
      source: 'person' as const,
      // With the offset that the caller gave: the time that it was there.
      evidence: { ...evidence, words, ...(obtained_at && { obtained_at }) },
      obtained_at: obtained_at ? new Date(obtained_at) : null,
    }))
    const record = kind === 'consent' ? consentAddresses : optOutAddresses
    const { added, changes } = await record(ctx, entries, ctx.channel)
    if (added > 0)
      ctx.record({
        activity: `${kind}_recorded`,
        record_type: 'company',
        record_id: ctx.companyId,
        // Addresses stay out of the log, which outlives them.
        changes: { [kind]: { from: null, to: { channel, purpose, addresses: added } } },
      })
    ctx.record(...changes)
    return { recorded: added, unreadable: read.flatMap(({ text, address }) => (address ? [] : [text])) }
  },
})
