import type { Channel } from '../compliance/rule-schema.ts'
import type { Whereabouts } from '../compliance/time-zones.ts'
import type { CallbackDelay, RunMessage } from './schema.ts'

/** Why a person may not be contacted: everything that is not a matter of hours. */

export type GateRule =
  /** A fact is missing, malformed or unknown. */
  | 'facts'
  | 'campaign_status'
  | 'campaigns_disabled'
  | 'agent_missing'
  | 'not_member'
  | 'settled'
  | 'call_open'
  | 'attempts'
  | 'deleted'
  | 'deceased'
  | 'opted_out'
  /** The number or e-mail address is on the suppression list, by whichever contact. */
  | 'suppressed'
  /** Marketing without a recorded consent. */
  | 'consent_missing'
  | 'number_missing'
  | 'number_malformed'
  | 'email_missing'
  | 'email_malformed'
  /** Messages to the address have failed for a reason that lasts. */
  | 'undeliverable'
  | 'time_zone'
  | 'run'
  | 'run_hours'
  | 'legal_hours'
  | 'legal_attempts'

export interface Reason {
  rule: GateRule
  message: string
  /** When this reason ends by itself; null: never. */
  until: Date | null
  /** Nothing that the campaign could wait for lifts this reason: the contact is settled. */
  final?: true
  /** The legal rules behind it, `us-federal-hours@1`. */
  law?: string[]
}

export type Trigger = RunMessage['trigger']

/** Columns of `campaigns`, and `companies.campaigns_enabled`. */
export interface CampaignFacts {
  status: string
  agent_id: string | null
  campaigns_enabled: boolean
  callback_delays: CallbackDelay[]
  purpose: string
}

/** Columns of `clients`, and what is on record about the address (`permissionOf`). */
export interface PersonFacts extends Whereabouts {
  suppressed: boolean
  consented: boolean
  mobile: string | null
  email: string | null
  voice_calls_opted_out: boolean
  sms_opted_out: boolean
  email_opted_out: boolean
  /**
   * The latest calls to the number for other contacts, and to the contact in other campaigns; where it isn't told which
   * those are, every attempt is taken for one.
   */
  recent_others?: Date[]
  /** Any date: nobody dies and comes back. */
  date_of_death: string | null
  deleted_at: Date | null
}

/** Columns of `campaign_contacts`, and how the contact stands to the case that it is called or written to about. */
export interface StandingFacts {
  /** The case is the contact's: what is said of it is said to nobody else. */
  is_linked: boolean
  /** … and in the campaign's list now. */
  is_member: boolean
  requested_at: Date | null
  /** The column `state` (`clients` has one, too): `due`, `live` (a call is pending or under way) or `settled`. */
  standing: string
  delays_used: number
  callback_at: Date | null
}

export function reason(rule: GateRule, message: string, until: Date | null = null): Reason {
  return { rule, message, until }
}

export function final(rule: GateRule, message: string): Reason {
  return { rule, message, until: null, final: true }
}

const optOuts = {
  call: ['voice_calls_opted_out', 'calls'],
  sms: ['sms_opted_out', 'text messages'],
  email: ['email_opted_out', 'e-mail'],
} as const

/** What stands against contacting this person by this channel for this purpose at all, whoever wants to and whenever. */
export function personReasons(person: PersonFacts, channel: Channel, purpose = 'case_update'): Reason[] {
  const reasons: Reason[] = []
  if (person.deleted_at !== null)
    reasons.push(
      person.deleted_at instanceof Date
        ? final('deleted', 'the contact is deleted')
        : reason('facts', 'deleted_at is neither a time nor null'),
    )
  if (person.date_of_death !== null)
    reasons.push(
      person.date_of_death
        ? final('deceased', 'the contact is deceased')
        : reason('facts', 'date_of_death is neither a date nor null'),
    )
  const [flag, what] = optOuts[channel]
  if (person[flag] !== false)
    reasons.push(
      person[flag] === true
        ? final('opted_out', `the contact has opted out of ${what}`)
        : reason('facts', `${flag} is neither true nor false`),
    )
  reasons.push(...permissionReasons(person, channel, purpose))
  const unreachable = channel === 'email' ? emailReason(person.email) : numberReason(person)
  if (unreachable) reasons.push(unreachable)
  return reasons
}

function permissionReasons({ suppressed, consented }: PersonFacts, channel: Channel, purpose: string): Reason[] {
  const [, what] = optOuts[channel]
  const address = channel === 'email' ? 'e-mail address' : 'number'
  const reasons: Reason[] = []
  if (typeof suppressed !== 'boolean') reasons.push(reason('facts', 'suppressed is neither true nor false'))
  else if (suppressed) reasons.push(final('suppressed', `the ${address} is on the list of those who want no ${what}`))
  if (typeof consented !== 'boolean') reasons.push(reason('facts', 'consented is neither true nor false'))
  else if (purpose === 'marketing' && !consented)
    reasons.push(final('consent_missing', `no consent to ${what} for marketing is on record for the ${address}`))
  return reasons
}

/** E.164: in North America neither area code nor exchange begins with 0 or 1, and N11 is a service, no area. */
const DIALABLE = /^\+(?:1[2-9](?!11)\d\d[2-9]\d{6}|[2-9]\d{6,14})$/

function numberReason({ mobile, mobile_e164 }: PersonFacts): Reason | undefined {
  if (typeof mobile_e164 === 'string' && DIALABLE.test(mobile_e164)) return undefined
  if (mobile_e164 == null && (mobile == null || mobile === ''))
    return final('number_missing', 'the contact has no mobile number')
  return final('number_malformed', 'the mobile number is none that could be dialled')
}

function emailReason(email: unknown): Reason | undefined {
  if (email == null || email === '') return final('email_missing', 'the contact has no e-mail address')
  if (typeof email === 'string' && /^[^\s@]+@[^\s@]+$/.test(email)) return undefined
  return final('email_malformed', 'the e-mail address is malformed')
}

/** `begins`: when a campaign that waits for its first run will have begun for the contact. */
export function campaignReasons(
  campaign: CampaignFacts,
  channel: Channel,
  trigger: Trigger | undefined,
  begins: Date | null,
): Reason[] {
  const reasons: Reason[] = []
  const status = statusReason(campaign.status, isAfterCall(channel, trigger), begins)
  if (status) reasons.push(status)
  if (campaign.campaigns_enabled !== true)
    reasons.push(
      campaign.campaigns_enabled === false
        ? reason('campaigns_disabled', 'campaigns are switched off for the company')
        : reason('facts', 'campaigns_enabled is neither true nor false'),
    )
  if (channel === 'call' && (typeof campaign.agent_id !== 'string' || campaign.agent_id === ''))
    reasons.push(reason('agent_missing', 'the campaign has no voice agent'))
  return reasons
}

function statusReason(status: unknown, afterCall: boolean, begins: Date | null): Reason | undefined {
  switch (status) {
    case 'active':
      return undefined
    case 'scheduled':
      return reason('campaign_status', 'the campaign has not begun', begins)
    case 'paused':
    case 'draft':
      return reason('campaign_status', `the campaign is ${status === 'draft' ? 'a draft' : status}`)
    case 'completed':
      // The message after the campaign's last call still goes out.
      return afterCall ? undefined : final('campaign_status', 'the campaign is completed')
    default:
      return reason('facts', 'the status of the campaign is unknown')
  }
}

/** A message about a call that has been made goes to whoever was called. */
export const isAfterCall = (channel: Channel, trigger: Trigger | undefined): boolean =>
  channel !== 'call' && (trigger === 'after_successful_call' || trigger === 'after_failed_call')

/** Where the contact stands in the campaign. */
export function standingReasons(
  contact: Partial<StandingFacts>,
  campaign: CampaignFacts,
  channel: Channel,
  trigger: Trigger | undefined,
): Reason[] {
  const reasons: Reason[] = []
  if (typeof contact.is_linked !== 'boolean') reasons.push(reason('facts', 'is_linked is neither true nor false'))
  else if (!contact.is_linked) reasons.push(final('not_member', 'the case is no longer one of the contact'))
  if (isAfterCall(channel, trigger)) return reasons
  const { is_member, requested_at, standing, delays_used, callback_at } = contact
  const aboutCall = channel === 'call' || trigger === 'before_call'
  if (typeof is_member !== 'boolean') reasons.push(reason('facts', 'is_member is neither true nor false'))
  if (!isTimeOrNull(requested_at)) reasons.push(reason('facts', 'requested_at is neither a time nor null'))
  if (is_member === false && contact.is_linked !== false && !(aboutCall && requested_at instanceof Date))
    reasons.push(final('not_member', "the contact is not in the campaign's list"))
  if (!aboutCall) return reasons
  if (standing === 'settled') reasons.push(final('settled', 'the contact is settled in this campaign'))
  else if (standing === 'live') {
    if (channel === 'call') reasons.push(reason('call_open', 'another call to the contact is pending or under way'))
  } else if (standing !== 'due') reasons.push(reason('facts', 'the state of the contact is unknown'))
  if (channel !== 'call') return reasons
  if (!isTimeOrNull(callback_at)) reasons.push(reason('facts', 'callback_at is neither a time nor null'))
  if (!Array.isArray(campaign.callback_delays) || !Number.isInteger(delays_used) || (delays_used as number) < 0)
    reasons.push(reason('facts', 'delays_used or callback_delays is malformed'))
  // A callback that the contact asked for uses up no delay.
  else if ((delays_used as number) > campaign.callback_delays.length && !callback_at)
    reasons.push(final('attempts', 'every attempt that the campaign allows has been made'))
  return reasons
}

const isTimeOrNull = (value: unknown): boolean =>
  value === null || (value instanceof Date && !Number.isNaN(value.getTime()))
