import twilio from 'twilio'
import type { CallInstance } from 'twilio/lib/rest/api/v2010/account/call.js'
import type { RelayCall, RelayCalls } from '../relay/account.ts'
import { placingFailure } from './refusals.ts'

export function twilioCalls(client: twilio.Twilio): RelayCalls {
  return {
    lagMs: 0,
    async create(call) {
      try {
        const placed = await client.calls.create({
          to: call.to,
          from: call.from,
          twiml: call.twiml,
          timeout: call.ringSeconds,
          timeLimit: call.maxSeconds,
          statusCallback: call.status,
          statusCallbackMethod: 'POST',
          statusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
          machineDetection: call.leavesMessage ? 'DetectMessageEnd' : 'Enable',
          asyncAmd: 'true',
          asyncAmdStatusCallback: call.machine,
          asyncAmdStatusCallbackMethod: 'POST',
        })
        return placed.sid
      } catch (error) {
        throw placingFailure(error)
      }
    },
    async fetch(sid) {
      const found = await client.calls(sid).fetch().catch(ifMissing)
      return found && known(found)
    },
    async list(to, from) {
      return (await client.calls.list({ to, from, limit: 50 })).filter(({ dateCreated }) => dateCreated).map(known)
    },
    async hangUp(sid) {
      await client.calls(sid).update({ status: 'completed' }).catch(ifMissing)
    },
    async record(sid) {
      await client.calls(sid).recordings.create({ recordingChannels: 'dual' })
    },
    async stopRecording(sid) {
      await client.calls(sid).recordings('Twilio.CURRENT').update({ status: 'stopped' }).catch(ifMissing)
    },
  }
}

function ifMissing(error: unknown): null {
  if (error instanceof twilio.RestException && error.status === 404) return null
  throw error
}

const known = (call: CallInstance): RelayCall => ({
  sid: call.sid,
  status: call.status,
  created: call.dateCreated,
  updated: call.dateUpdated,
  started: call.startTime ?? null,
  ended: call.endTime ?? null,
  duration: Number(call.duration) || 0,
})
