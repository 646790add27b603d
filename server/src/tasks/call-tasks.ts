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
  /** YYYY-MM-DD */
  due_on?: string
  /** The appointment that it is about; it then knows its task. */
  appointment_id?: number
}

const columns = {
  company_id: 'bigint',
  case_id: 'bigint',
  client_id: 'bigint',
  title: 'text',
  body: 'text',
  due_on: 'date',
  appointment_id: 'bigint',
}

/** Each as a task of its own with one instance, on the case. */
export async function insertCallTasks(db: Database, tasks: CallTask[]): Promise<void> {
  if (tasks.length === 0) return
  await db.run(sql`
    with wanted as (
      select * from ${entryRows(tasks, columns)} as t
    ), written as (
      insert into tasks (company_id, title, body, response_type)
      select company_id, left(title, 255), body, 'yes_no' from wanted order by ordinality
      returning company_id, id
    ), numbered as (
      -- Ids were given in the order of the rows.
      select company_id, id, row_number() over (order by id) as ordinality from written
    ), asked as (
      insert into case_tasks (company_id, task_id, case_id, client_id, due_on)
      select n.company_id, n.id, w.case_id, w.client_id, w.due_on from numbered n join wanted w using (ordinality)
      returning company_id, id, task_id
    )
    update appointments a set case_task_id = k.id
    from asked k join numbered n on n.id = k.task_id join wanted w using (ordinality)
    where a.company_id = k.company_id and a.id = w.appointment_id`)
}
