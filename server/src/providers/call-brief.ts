export interface PostCallField {
  name: string
  type: 'text' | 'selector' | 'boolean' | 'number'
  description?: string | null
  choices?: string[] | null
}

/** What an agent knows about the call it makes. */
export interface CallBrief {
  company_name: string
  agent: {
    name: string
    voice_id: string
    /** `greeting`, `task` and the fields' descriptions are templates: see `render`. */
    greeting: string
    task: string
    post_call_fields: PostCallField[]
    transfer_number: string | null
    is_transfer_enabled: boolean
    /** `warm`: whoever picks up is told who is calling, and connected only when they take the call. */
    transfer_mode: 'cold' | 'warm'
    is_appointment_booking_enabled: boolean
    voicemail_action: 'hangup' | 'message'
    /** A template, too. */
    voicemail_message: string | null
  }
  client: { first_name: string; last_name: string }
  case: { type: string }
  /** The contact must be told so first. */
  recorded: boolean
  /** What the law of where the contact may be asks of the conversation. */
  law: {
    /** The opening says what the call is about. */
    says_why: boolean
    /** Nobody is recorded who does not agree. */
    all_agree_to_recording: boolean
  }
  /** When the firm takes appointments. */
  office: {
    /** From Monday to Friday; null where it has not said. */
    hours: { start_time: string; end_time: string }[] | null
    /** The IANA zone that the hours are meant in; null: the contact's. */
    timezone: string | null
    /** A day (since 1970-01-01, there) on which the firm calls nobody, either. */
    closedOn(day: number): boolean
  }
  /** Where the contact's clock may stand, the likeliest IANA zone first; never empty. */
  zones: string[]
  /** Fills a template in with the values of this contact and case. */
  render(template: string): string
}

/** What a host's agent is told. What the law asks for is in it: no vendor's default speaks first. */
export interface HostScript {
  /** The first words, to be said as they are. */
  opening: string
  /** They say that the call is recorded, and must be heard whole. */
  recorded: boolean
  instructions: string
  /** What a machine is told; null where it is hung up on. */
  voicemail: string | null
  voice_id: string
  /** Who is calling and why, for a phone that screens its calls. */
  screening: { who: string; why: string }
  /** Where a person can be reached. */
  transfer: { number: string; mode: CallBrief['agent']['transfer_mode']; whisper: string } | null
  /** To be read out of the conversation afterwards; their descriptions are filled in. */
  fields: PostCallField[]
}
