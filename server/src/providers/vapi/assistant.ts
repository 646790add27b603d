import type { Vapi } from '@vapi-ai/server-sdk'
import type { HostScript, PostCallField } from '../call-brief.ts'
import { OPTED_OUT_FIELD, OPTED_OUT_QUESTION } from '../hosts/host.ts'
import type { OutgoingCall } from '../voice.ts'
import { voiceOf } from './voices.ts'

/** Where to, and with which secret, Vapi tells of one call. */
export interface CallbackAddress {
  url: string
  secret: string
}

export const SECRET_HEADER = 'x-vapi-secret'

/** Whoever wants another one names an assistant of theirs. */
const MODEL = { provider: 'openai', model: 'gpt-4.1-mini', temperature: 0.3 } as const

/** What an assistant of the firm's lends; all that is said and done is ours. */
const LENT = [
  'transcriber',
  'backgroundSound',
  'backgroundSpeechDenoisingPlan',
  'startSpeakingPlan',
  'stopSpeakingPlan',
  'credentialIds',
  'compliancePlan',
] as const satisfies (keyof Vapi.Assistant & keyof Vapi.CreateAssistantDto)[]

/** An assistant for one call, so that no setting at Vapi can change what it says first or may not do. */
export function assistantFor(
  call: Pick<OutgoingCall, 'ring_seconds' | 'max_seconds'>,
  script: HostScript,
  to: CallbackAddress,
  lender: Vapi.Assistant | null,
): Vapi.CreateAssistantDto {
  const lent = Object.fromEntries(LENT.map((name) => [name, lender?.[name]]))
  return {
    ...lent,
    voice: (lender?.voice as Vapi.CreateAssistantDto['voice']) ?? {
      provider: 'azure',
      voiceId: voiceOf(script.voice_id),
    },
    model: modelFor(script, lender),
    firstMessage: script.opening,
    firstMessageMode: 'assistant-speaks-first',
    firstMessageInterruptionsEnabled: !script.recorded,
    voicemailDetection: { provider: 'vapi', type: 'audio' },
    // Without one it hangs up on a machine.
    ...(script.voicemail ? { voicemailMessage: script.voicemail } : {}),
    maxDurationSeconds: call.max_seconds,
    transportConfigurations: [{ provider: 'twilio', timeout: call.ring_seconds }],
    server: {
      url: to.url,
      headers: { [SECRET_HEADER]: to.secret },
      backoffPlan: { type: 'exponential' as never, maxRetries: 5, baseDelaySeconds: 2 },
    },
    serverMessages: ['status-update', 'transcript[transcriptType="final"]', 'end-of-call-report'],
    clientMessages: [],
    artifactPlan: { recordingEnabled: script.recorded },
    monitorPlan: { listenEnabled: false, controlEnabled: true },
    analysisPlan: {
      summaryPlan: { enabled: true },
      successEvaluationPlan: { enabled: true, rubric: 'PassFail' },
      structuredDataPlan: { enabled: true, schema: schemaOf(script.fields) },
    },
  }
}

function modelFor(
  { instructions, transfer }: HostScript,
  lender: Vapi.Assistant | null,
): Vapi.CreateAssistantDto['model'] {
  const lent = lender?.model as Vapi.CreateAssistantDtoModel.Openai | undefined
  const tools: Vapi.OpenAiModelToolsItem[] = [{ type: 'endCall' }]
  if (transfer) tools.push({ type: 'transferCall', destinations: [destination(transfer)] })
  const theirs = (lent?.tools ?? []).filter(({ type }) => type !== 'endCall' && type !== 'transferCall')
  return {
    ...(lent ?? MODEL),
    messages: [...(lent?.messages ?? []), { role: 'system', content: instructions }],
    tools: [...theirs, ...tools],
  }
}

/** Warm: the contact waits until a person has heard who is on the line, and is back with the agent where nobody is. */
function destination({ number, mode, whisper }: NonNullable<HostScript['transfer']>) {
  const plan: Vapi.TransferPlan =
    mode === 'cold'
      ? { mode: 'blind-transfer' }
      : {
          mode: 'warm-transfer-experimental',
          message: whisper,
          fallbackPlan: {
            message: "I'm sorry, nobody is free to take your call at the moment. A colleague will call you back.",
            endCallEnabled: false,
          },
        }
  return { type: 'number' as const, number, transferPlan: plan }
}

function schemaOf(fields: PostCallField[]): Vapi.JsonSchema {
  const properties: Record<string, Vapi.JsonSchema> = {
    [OPTED_OUT_FIELD]: { type: 'boolean', description: OPTED_OUT_QUESTION },
  }
  for (const { name, type, description, choices } of fields) {
    properties[name] = {
      type: type === 'boolean' || type === 'number' ? type : 'string',
      description: `${description ?? name}. Leave it out where the contact did not say so.`,
      ...(type === 'selector' && choices ? { enum: choices } : {}),
    }
  }
  return { type: 'object', properties }
}
