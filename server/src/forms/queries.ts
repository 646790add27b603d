import sql from 'sql-template-tag'
import { assignGiven, type Columns, entryRows } from '../core/columns.ts'
import { notFound } from '../core/errors.ts'
import type { Context, Scope } from '../core/operation.ts'
import { type Found, findPage, type Slice } from '../core/paging.ts'
import { containing } from '../core/search.ts'
import type { TaskInput } from '../tasks/schema.ts'
import type { Form } from './schema.ts'

const records = sql`select id, name, description, due_in, case_type_id, version from forms`

export async function selectForm({ db, companyId }: Scope, id: number): Promise<Form> {
  const found = await db.maybe<Form>(sql`${records} where company_id = ${companyId} and id = ${id}`)
  return found ?? notFound('form', id)
}

/** `update` keeps others from changing or assigning it until the end of the transaction, `share` from changing it. */
export async function selectLockedForm({ db, companyId }: Scope, id: number, lock: 'update' | 'share'): Promise<Form> {
  const how = lock === 'update' ? sql`for no key update` : sql`for share`
  const found = await db.maybe<Form>(sql`${records} where company_id = ${companyId} and id = ${id} ${how}`)
  return found ?? notFound('form', id)
}

/** Newest first. */
export async function selectForms(
  { db, companyId }: Scope,
  { key = '', limit, offset }: { key?: string } & Slice,
): Promise<Found<Form>> {
  const where = sql`company_id = ${companyId} and name ilike ${containing(key)}`
  return findPage<Form>(
    db,
    sql`forms where ${where}`,
    sql`${records} where ${where} order by id desc limit ${limit} offset ${offset}`,
  )
}

export interface FormInput {
  name: string
  description?: string | null
  due_in?: number | null
  case_type_id?: number | null
}

export async function insertForm({ db, companyId }: Scope, form: FormInput): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`
    insert into forms (company_id, name, description, due_in, case_type_id)
    values (${companyId}, ${form.name}, ${form.description}, ${form.due_in}, ${form.case_type_id})
    returning id`)
  return id
}

const writable: Columns = { name: 'text', description: 'text', due_in: 'int', case_type_id: 'bigint' }

/** Writes the given fields and leaves the others. */
export async function updateForm({ db, companyId }: Scope, id: number, given: Partial<FormInput>): Promise<void> {
  await db.run(sql`
    update forms f set ${assignGiven(writable, 'f', 'e.entry')}
    from (select ${JSON.stringify(given)}::jsonb as entry) e
    where f.company_id = ${companyId} and f.id = ${id}`)
}

export async function raiseVersion({ db, companyId }: Scope, id: number): Promise<void> {
  await db.run(sql`
    update forms set version = version + 1, updated_at = now() where company_id = ${companyId} and id = ${id}`)
}

/** Makes room for one more question at the end of the form, as a new version; answers its position. */
export async function appendQuestion(ctx: Context, formId: number): Promise<number> {
  const before = await selectLockedForm(ctx, formId, 'update')
  await raiseVersion(ctx, formId)
  const changes = { version: { from: before.version, to: before.version + 1 } }
  ctx.record({ activity: 'form_updated', record_type: 'form', record_id: formId, changes })
  const { position } = await ctx.db.one<{ position: number }>(sql`
    select coalesce(max(position) + 1, 0) as position from tasks
    where company_id = ${ctx.companyId} and form_id = ${formId} and retired_at is null`)
  return position
}

export type KeptTask = TaskInput & { id: number; position: number }

/** Rewrites questions that the form goes on to ask. */
export async function updateQuestions({ db, companyId }: Scope, tasks: KeptTask[]): Promise<void> {
  const columns = {
    id: 'bigint',
    title: 'text',
    body: 'text',
    response_type: 'text',
    choices: 'jsonb',
    position: 'int',
  }
  await db.run(sql`
    update tasks t set title = e.title, body = e.body, response_type = coalesce(e.response_type, 'short_text'),
      choices = e.choices, position = e.position, updated_at = now()
    from ${entryRows(tasks, columns)} as e
    where t.company_id = ${companyId} and t.id = e.id`)
}

/** Questions that the form asks no more: gone where no case was asked, else kept for those that were. */
export async function retireQuestions({ db, companyId }: Scope, ids: number[]): Promise<void> {
  await db.run(sql`
    delete from tasks t where t.company_id = ${companyId} and t.id = any(${ids})
      and not exists (select from case_tasks i where i.company_id = t.company_id and i.task_id = t.id)`)
  await db.run(sql`update tasks set retired_at = now() where company_id = ${companyId} and id = any(${ids})`)
}

/** Those of the questions that some case was asked. */
export async function selectAskedIds({ db, companyId }: Scope, ids: number[]): Promise<number[]> {
  const rows = await db.many<{ id: number }>(sql`
    select w.id from unnest(${ids}::bigint[]) as w (id)
    where exists (select from case_tasks i where i.company_id = ${companyId} and i.task_id = w.id)`)
  return rows.map(({ id }) => id)
}

/** The type of a case, to compare with the one a form is for. */
export async function selectTypeOfCase(
  { db, companyId }: Scope,
  caseId: number,
): Promise<{ id: number; name: string }> {
  const found = await db.maybe<{ id: number; name: string }>(sql`
    select t.id, t.name from cases k join case_types t on t.company_id = k.company_id and t.id = k.type_id
    where k.company_id = ${companyId} and k.id = ${caseId} and k.deleted_at is null`)
  return found ?? notFound('case', caseId)
}
