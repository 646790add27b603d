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
