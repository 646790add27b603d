import sql from 'sql-template-tag'
import { entryRows } from '../core/columns.ts'
import { notFound } from '../core/errors.ts'
import type { Context, Scope } from '../core/operation.ts'
import { type Found, findPage, type Slice } from '../core/paging.ts'
import { containing } from '../core/search.ts'
import type { ResponseType } from './answer.ts'
import type { CaseTask, Question, Task, TaskInput, TaskWithCases } from './schema.ts'

const shownStatus = (today: string) => sql`
  case when i.status in ('todo', 'in_progress') and i.due_on < ${today}::date then 'overdue' else i.status end`

/** The instances of a task on cases that are still there. */
const instances = sql`
  case_tasks i join cases k on k.company_id = i.company_id and k.id = i.case_id and k.deleted_at is null`

const counted = (today: string) => sql`
  select t.id, t.title, t.body, t.response_type, n.* from tasks t
  cross join lateral (
    select count(*) filter (where status in ('todo', 'in_progress'))::int as todo_count,
      count(*) filter (where status = 'completed')::int as completed_count,
      count(*) filter (where status = 'overdue')::int as overdue_count,
      count(*) filter (where status = 'skipped')::int as skipped_count
    from (
      select ${shownStatus(today)} as status from ${instances}
      where i.company_id = t.company_id and i.task_id = t.id
    ) each_one
  ) n`

/** Newest first. */
export async function selectTasks(
  { db, companyId, clock }: Context,
  { key = '', limit, offset }: { key?: string } & Slice,
): Promise<Found<Task>> {
  const matching = sql`t.company_id = ${companyId} and t.title ilike ${containing(key)}`
  return findPage<Task>(
    db,
    sql`tasks t where ${matching}`,
    sql`
      ${counted(dayOf(clock.now()))} where ${matching} order by t.id desc limit ${limit} offset ${offset}`,
  )
}

export function selectCountedTask({ db, companyId, clock }: Context, id: number): Promise<Task> {
  return db.one<Task>(sql`${counted(dayOf(clock.now()))} where t.company_id = ${companyId} and t.id = ${id}`)
}

/** With its 1,000 newest instances. */
export async function selectTask({ db, companyId, clock }: Context, id: number): Promise<TaskWithCases> {
  const task = await db.maybe<Omit<TaskWithCases, 'case_tasks'>>(sql`
    select id, title, body, response_type from tasks where company_id = ${companyId} and id = ${id}`)
  if (!task) notFound('task', id)
  const case_tasks = await db.many<CaseTask>(sql`
    select i.id, i.case_id, ${shownStatus(dayOf(clock.now()))} as status, i.due_on, i.answer from ${instances}
    where i.company_id = ${companyId} and i.task_id = ${id}
    order by i.id desc limit 1000`)
  return { ...task, case_tasks }
}

/** What a form asks now, in its order. */
export function selectQuestions({ db, companyId }: Scope, formId: number): Promise<Question[]> {
  return db.many<Question>(sql`
    select id, title, body, response_type, choices from tasks
    where company_id = ${companyId} and form_id = ${formId} and retired_at is null
    order by position, id`)
}

/** Answers the ids in the order of the tasks; `positions` begin after `after`. */
export async function insertTasks(
  { db, companyId }: Scope,
  formId: number | null,
  tasks: (TaskInput & { position: number })[],
): Promise<number[]> {
  const columns = { title: 'text', body: 'text', response_type: 'text', choices: 'jsonb', position: 'int' }
  const rows = await db.many<{ id: number }>(sql`
    with inserted as (
      insert into tasks (company_id, form_id, title, body, response_type, choices, position)
      select ${companyId}, ${formId}, e.title, e.body, coalesce(e.response_type, 'short_text'), e.choices, e.position
      from ${entryRows(tasks, columns)} as e order by e.ordinality
      returning id
    )
    select id from inserted order by id`)
  return rows.map(({ id }) => id)
}

/** Asks tasks of a case; one that is open there already stays as it is. */
export async function insertCaseTasks(
  { db, companyId }: Scope,
  taskIds: number[],
  caseId: number,
  dueOn: string | null,
): Promise<void> {
  await db.run(sql`
    insert into case_tasks (company_id, task_id, case_id, due_on)
    select ${companyId}, id, ${caseId}, ${dueOn}::date from unnest(${taskIds}::bigint[]) with ordinality as t (id, n) order by n
    on conflict (company_id, task_id, case_id) where status in ('todo', 'in_progress') do nothing`)
}

export interface AskedTask extends CaseTask {
  task_id: number
  title: string
  completed_at: Date | null
}

const asked = (today: string) => sql`
  select i.id, i.task_id, t.title, i.case_id, ${shownStatus(today)} as status, i.due_on, i.answer, i.completed_at
  from ${instances} join tasks t on t.company_id = i.company_id and t.id = i.task_id`

/** The newest instance of each of the tasks on the case, in the order of the tasks. */
export function selectAskedTasks(
  { db, companyId, clock }: Context,
  caseId: number,
  taskIds: number[],
): Promise<AskedTask[]> {
  return db.many<AskedTask>(sql`
    select distinct on (i.task_id) * from (
      ${asked(dayOf(clock.now()))} where i.company_id = ${companyId} and i.case_id = ${caseId} and i.task_id = any(${taskIds})
    ) i order by i.task_id, i.id desc`)
}

export async function selectAskedTask({ db, companyId, clock }: Context, id: number): Promise<AskedTask> {
  const found = await db.maybe<AskedTask>(
    sql`${asked(dayOf(clock.now()))} where i.company_id = ${companyId} and i.id = ${id}`,
  )
  return found ?? notFound('case task', id)
}

export const KEPT_STATUSES = ['todo', 'in_progress', 'completed', 'skipped'] as const
export type KeptStatus = (typeof KEPT_STATUSES)[number]

export interface TaskRules {
  response_type: ResponseType
  choices: string[] | null
  form_id: number | null
  status: KeptStatus
}

/**
 * How the task of an instance is answered, and where the instance stands. The instances of the same form on the same case are kept from others until
 * the end of the transaction: of two that finish the form at once, one has to see that it was the last.
 */
export async function lockInstance({ db, companyId }: Scope, id: number): Promise<TaskRules | undefined> {
  await db.run(sql`
    select from case_tasks i join tasks t on t.company_id = i.company_id and t.id = i.task_id
    join case_tasks mine on mine.company_id = ${companyId} and mine.id = ${id}
    join tasks my_task on my_task.company_id = ${companyId} and my_task.id = mine.task_id
    where i.company_id = ${companyId} and i.case_id = mine.case_id
      and (i.id = mine.id or t.form_id = my_task.form_id)
    order by i.id for no key update of i`)
  return db.maybe<TaskRules>(sql`
    select t.response_type, t.choices, t.form_id, i.status from case_tasks i
    join tasks t on t.company_id = i.company_id and t.id = i.task_id
    where i.company_id = ${companyId} and i.id = ${id}`)
}

/** `answer` undefined leaves it as it is. */
export async function updateCaseTask(
  { db, companyId, clock }: Context,
  id: number,
  status: KeptStatus,
  answer: unknown,
): Promise<void> {
  const keeps = answer === undefined
  await db.run(sql`
    update case_tasks set status = ${status},
      answer = case when ${keeps} then answer else nullif(${JSON.stringify(answer ?? null)}::jsonb, 'null') end,
      completed_at = case when ${status} <> 'completed' then null else coalesce(completed_at, ${clock.now()}) end
    where company_id = ${companyId} and id = ${id}`)
}

/** Whether everything the form has asked of the case is done or skipped, and something was done. */
export async function isFormComplete({ db, companyId }: Scope, formId: number, caseId: number): Promise<boolean> {
  const { complete } = await db.one<{ complete: boolean }>(sql`
    select coalesce(bool_and(i.status in ('completed', 'skipped')) and bool_or(i.status = 'completed'), false) as complete
    from case_tasks i join tasks t on t.company_id = i.company_id and t.id = i.task_id
    where i.company_id = ${companyId} and i.case_id = ${caseId} and t.form_id = ${formId}`)
  return complete
}

/** As the engine's clock has it, in UTC. */
export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10)
