import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Company, startApi } from '../../test/support/api.ts'
import { realClock } from '../core/clock.ts'

let now = new Date('2026-03-02T12:00:00Z')
const api = await startApi({ clock: { ...realClock, now: () => now } })

let number = 0
const newCase = async (firm: Company): Promise<number> => {
  number++
  const kase = await firm.ok('POST /v1/cases', {
    case_number: `A-${number}`,
    external_source: 'manual',
    external_source_id: 'x',
    status: 'active',
    type: 'civil',
  })
  return kase.id
}

const counts = ({ todo_count, completed_count, overdue_count, skipped_count }: any) =>
  [todo_count, completed_count, overdue_count, skipped_count] as const

test('a task shows how many cases have it to do, completed, overdue or skipped', async () => {
  const firm = await api.company()
  const form = await firm.tool('create_form', { name: 'Intake', due_in: 3, tasks: [{ title: 'Date of incident' }] })
  const cases = [await newCase(firm), await newCase(firm), await newCase(firm), await newCase(firm)]
  const asked: number[] = []
  for (const case_id of cases)
    asked.push((await firm.tool('assign_form', { form_id: form.id, case_id })).case_tasks[0].id)
  await firm.tool('update_case_task', { id: asked[0]!, answer: 'May' })
  await firm.tool('update_case_task', { id: asked[1]!, status: 'skipped' })
  const listed = async () => (await firm.tool('list_tasks', { key: 'INCIDENT' })).tasks[0]
  assert.deepEqual(counts(await listed()), [2, 1, 0, 1])

  now = new Date('2026-03-05T23:59:00Z')
  assert.deepEqual(counts(await listed()), [2, 1, 0, 1], 'the last day is not overdue')
  now = new Date('2026-03-06T00:00:00Z')
  assert.deepEqual(counts(await listed()), [0, 1, 2, 1])
  const { case_tasks } = await firm.tool('get_task', { id: form.tasks[0].id })
  assert.deepEqual(
    case_tasks.map((each: any) => [each.case_id, each.status, each.due_on, each.answer]),
    [
      [cases[3], 'overdue', '2026-03-05', null],
      [cases[2], 'overdue', '2026-03-05', null],
      [cases[1], 'skipped', '2026-03-05', null],
      [cases[0], 'completed', '2026-03-05', 'May'],
    ],
  )
  await firm.ok(`DELETE /v1/cases/${cases[3]}`)
  assert.deepEqual(counts(await listed()), [0, 1, 1, 1], 'a deleted case is in no count')
  assert.equal((await firm.refusal('update_case_task', { id: asked[3]!, status: 'todo' })).error, 'not found')
  now = new Date('2026-03-02T12:00:00Z')
})

test('a task can be put on a case as it is created', async () => {
  const firm = await api.company()
  const case_id = await newCase(firm)
  const made = await firm.tool('create_task', { title: 'Call the clerk', case_id, due_on: '2026-03-01' })
  assert.deepEqual(counts(made), [0, 0, 1, 0])
  const done = await firm.tool('update_case_task', { id: made.case_task_id, answer: 'Done by phone' })
  assert.deepEqual(
    [done.status, done.task_id, done.case_id, done.completed_at],
    ['completed', made.id, case_id, '2026-03-02T12:00:00.000Z'],
  )
  assert.match((await firm.refusal('create_task', { title: 'x', due_on: '2026-03-01' })).message, /needs case_id/)
  assert.equal((await firm.refusal('create_task', { title: 'x', case_id: 999_999 })).error, 'not found')
})

test('choices belong to the types that take them', async () => {
  const firm = await api.company()
  assert.match(
    (await firm.refusal('create_task', { title: 'x', response_type: 'dropdown' })).message,
    /choices: is required/,
  )
  assert.match(
    (await firm.refusal('create_task', { title: 'x', choices: ['a'] })).message,
    /choices: must not be given/,
  )
  const { message } = await firm.refusal('create_task', { title: 'x', response_type: 'yesno' })
  assert.match(message, /did you mean 'yes_no'/)
})

test('an answer completes the task, clearing it does not, and a reopened task is no longer completed', async () => {
  const firm = await api.company()
  const case_id = await newCase(firm)
  const { case_task_id: id } = await firm.tool('create_task', { title: 'Injured?', response_type: 'yes_no', case_id })
  assert.match((await firm.refusal('update_case_task', { id })).message, /status, answer or both/)
  assert.match((await firm.refusal('update_case_task', { id, answer: 'yes' })).message, /must be a boolean/)
  const draft = await firm.tool('update_case_task', { id, answer: false, status: 'in_progress' })
  assert.deepEqual([draft.status, draft.answer], ['in_progress', false])
  const cleared = await firm.tool('update_case_task', { id, answer: null })
  assert.deepEqual([cleared.status, cleared.answer], ['in_progress', null])
  assert.equal((await firm.tool('update_case_task', { id, answer: true })).status, 'completed')
  const reopened = await firm.tool('update_case_task', { id, status: 'todo' })
  assert.deepEqual([reopened.status, reopened.answer, reopened.completed_at], ['todo', true, null])
})

test('a completed task is told once, and its form with the last one of the case', async () => {
  const firm = await api.company()
  const case_id = await newCase(firm)
  const { id } = await firm.tool('create_form', { name: 'F', tasks: [{ title: 'One' }, { title: 'Two' }] })
  const { case_tasks } = await firm.tool('assign_form', { form_id: id, case_id })
  const answers = case_tasks.map(({ id }: { id: number }) => firm.tool('update_case_task', { id, answer: 'Yes' }))
  await Promise.all(answers)
  await firm.tool('update_case_task', { id: case_tasks[0].id, answer: 'Yes' })
  const told = async (activity: string) =>
    (await firm.tool('list_audit_logs', { activity, case_id })).audit_logs.map((each: any) => each.record_id)
  assert.deepEqual(
    (await told('task_completed')).toSorted(),
    case_tasks.map((each: any) => String(each.task_id)),
  )
  assert.deepEqual(await told('form_completed'), [String(id)])
})
