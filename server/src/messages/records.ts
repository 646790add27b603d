import sql from 'sql-template-tag'

/** A message as events show it. */
export const messageRecords = sql`
  select m.id, m.case_id, m.client_id, m.campaign_id, m.channel, m.status, m.body from messages m`
