let last = 0

/** A client with nothing but the required fields. */
export const clientPayload = <T extends object>(fields?: T) => ({
  external_source: 'import',
  external_source_id: `C-${++last}`,
  first_name: 'Ana',
  last_name: 'Lee',
  ...fields,
})

/** A case with nothing but the required fields and a number of its own. */
export const casePayload = <T extends object>(fields?: T) => ({
  case_number: `2026-CV-${++last}`,
  external_source: 'import',
  external_source_id: `K-${last}`,
  status: 'active',
  type: 'civil',
  ...fields,
})

/** An agent with nothing but the required fields. */
export const agentPayload = <T extends object>(fields?: T) => ({
  name: 'Jordan',
  voice_id: 'voice_amelia',
  greeting: 'Hello {{first_name}}, this is {{agent_name}} from {{company_name}}.',
  task: 'Confirm that {{first_name}} knows of the hearing on {{court_date}}.',
  ...fields,
})

/** A run of a work week that calls all day. */
export const runPayload = <T extends object>(fields?: T) => ({
  start_date: '2026-03-02',
  end_date: '2026-03-06',
  start_time: '09:00',
  end_time: '17:00',
  ...fields,
})
