import sql from 'sql-template-tag'
import type { Job } from '../engine/job.ts'

export const takeOverMessages: Job = {
  name: 'take over messages',
  summary: 'Sends on what a dead process was sending',
  idleMs: 3000,
  async pass({ pool, wake }) {
    // A provider knows a message by our key: where it went out already, sending it again does nothing.
    const taken = await pool.run(sql`
      update messages m set status = 'scheduled', node_id = null
      where status = 'sending' and not exists (select from engine_nodes n where n.id = m.node_id)`)
    if (taken > 0) wake('send messages')
    return 'idle'
  },
}
