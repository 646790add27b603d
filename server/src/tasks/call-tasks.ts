import sql from 'sql-template-tag'
import { entryRows } from '../core/columns.ts'
import type { Database } from '../core/db.ts'

/** Something a person has to do for a case, because of what a contact said or asked for. */
export interface CallTask {
  company_id: number
  case_id: number
  client_id: number
  title: string
  body: string
}

/** Each as a task of its own with one instance, on the case. */
export async function insertCallTasks(db: Database, tasks: CallTask[]): Promise<void> {
  if (tasks.length === 0) return
  await db.run(sql`
    with wanted as (
      select * from ${entryRows(tasks, { company_id: 'bigint', case_id: 'bigint', client_id: 'bigint', title: 'text', body: 'text' })} as t
    ), written as (
      insert into tasks (company_id, title, body, response_type)
      select company_id, left(title, 255), body, 'yes_no' from wanted order by ordinality
      returning company_id, id
    ), numbered as (
      -- Ids were given in the order of the rows.
      select company_id, id, row_number() over (order by id) as ordinality from written
    )
    insert into case_tasks (company_id, task_id, case_id, client_id)
    select n.company_id, n.id, w.case_id, w.client_id from numbered n join wanted w using (ordinality)`)
}
