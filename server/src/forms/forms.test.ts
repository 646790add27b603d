import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Company, startApi } from '../../test/support/api.ts'
import { realClock } from '../core/clock.ts'

const api = await startApi({ clock: { ...realClock, now: () => new Date('2026-02-27T12:00:00Z') } })

async function newCase(firm: Company, type = 'civil'): Promise<number> {
  const fields = { external_source: 'manual', external_source_id: 'x', status: 'active', type }
  return (await firm.ok('POST /v1/cases', { ...fields, case_number: `${type} ${Math.random()}` })).id
}

const titles = (form: any) => form.tasks.map(({ title }: { title: string }) => title)

test('a form is created with its questions in order and found by its name', async () => {
  const firm = await api.company()
  const form = await firm.tool('create_form', {
    name: 'Medical history',
    due_in: 5,
    tasks: [
      { title: 'Doctor', body: 'Who treated you?' },
      { title: 'Side', response_type: 'dropdown', choices: ['Left', 'Right'] },
    ],
  })
  assert.deepEqual([form.version, form.due_in, form.case_type_id], [1, 5, null])
  assert.deepEqual(titles(form), ['Doctor', 'Side'])
  assert.deepEqual(form.tasks[1].choices, ['Left', 'Right'])
  const { tasks, ...record } = form
  assert.deepEqual((await firm.tool('list_forms', { key: 'medical' })).forms, [record])
  assert.deepEqual(await firm.tool('get_form', { id: form.id }), form)
})

test('every broken question and an unknown type are named at once', async () => {
  const firm = await api.company()
  const { details } = await firm.refusal('create_form', {
    name: 'x',
    case_type_id: 999_999,
    tasks: [{ title: 'ok' }, { title: 'x', response_type: 'dropdown' }],
  })
  assert.deepEqual(
    details.map(({ field }) => field),
    ['case_type_id', 'tasks[1].choices'],
  )
})

test('a change raises the version, an update that changes nothing does not', async () => {
  const firm = await api.company()
  const { id, tasks } = await firm.tool('create_form', { name: 'x', tasks: [{ title: 'One' }] })
  assert.equal((await firm.tool('update_form', { id, name: 'x', tasks })).version, 1)
  assert.equal((await firm.tool('update_form', { id, name: 'y' })).version, 2)
  await firm.tool('create_task', { title: 'Two', form_id: id })
  const grown = await firm.tool('get_form', { id })
  assert.deepEqual([grown.version, titles(grown)], [3, ['One', 'Two']])
})

test('questions are kept by their ids, moved, rewritten and dropped', async () => {
  const firm = await api.company()
  const { id, tasks } = await firm.tool('create_form', {
    name: 'x',
    tasks: [{ title: 'A' }, { title: 'B' }, { title: 'C' }],
  })
  const [a, b, c] = tasks
  const updated = await firm.tool('update_form', {
    id,
    tasks: [{ id: c.id, title: 'C' }, { title: 'New' }, { id: a.id, title: 'A again' }],
  })
  assert.deepEqual(titles(updated), ['C', 'New', 'A again'])
  assert.deepEqual([updated.tasks[0].id, updated.tasks[2].id], [c.id, a.id])
  assert.equal((await firm.refusal('get_task', { id: b.id })).error, 'not found')
  const { details } = await firm.refusal('update_form', {
    id,
    tasks: [
      { id: b.id, title: 'gone' },
      { id: a.id, title: 'A' },
      { id: a.id, title: 'A' },
    ],
  })
  assert.deepEqual(
    details.map(({ field }) => field),
    ['tasks[0].id', 'tasks[2].id'],
  )
})

test('what a case was asked stays when the form asks it no more', async () => {
  const firm = await api.company()
  const case_id = await newCase(firm)
  const { id, tasks } = await firm.tool('create_form', {
    name: 'x',
    tasks: [{ title: 'Old', response_type: 'yes_no' }],
  })
  const asked = await firm.tool('assign_form', { form_id: id, case_id })
  const retype = { id, tasks: [{ id: tasks[0].id, title: 'Old', response_type: 'date' }] }
  assert.match((await firm.refusal('update_form', retype)).message, /leave out the id/)
  await firm.tool('update_form', { id, tasks: [{ title: 'New' }] })
  assert.equal((await firm.tool('update_case_task', { id: asked.case_tasks[0].id, answer: true })).answer, true)
  assert.equal((await firm.tool('get_task', { id: tasks[0].id })).case_tasks[0].answer, true)
  const again = await firm.tool('assign_form', { form_id: id, case_id })
  assert.deepEqual(
    again.case_tasks.map(({ title }: { title: string }) => title),
    ['New'],
  )
})

test('a form is due its days after it is put on a case, and asks what is open only once', async () => {
  const firm = await api.company()
  const case_id = await newCase(firm)
  const { id: form_id } = await firm.tool('create_form', {
    name: 'x',
    due_in: 2,
    tasks: [{ title: 'A' }, { title: 'B' }],
  })
  const first = await firm.tool('assign_form', { form_id, case_id })
  assert.deepEqual([first.version, first.due_on], [1, '2026-03-01'])
  assert.deepEqual(
    first.case_tasks.map((each: any) => [each.title, each.status, each.due_on]),
    [
      ['A', 'todo', '2026-03-01'],
      ['B', 'todo', '2026-03-01'],
    ],
  )
  await firm.tool('update_case_task', { id: first.case_tasks[0].id, answer: 'x' })
  const second = await firm.tool('assign_form', { form_id, case_id })
  assert.notEqual(second.case_tasks[0].id, first.case_tasks[0].id)
  assert.equal(second.case_tasks[1].id, first.case_tasks[1].id)
})

test('a form for one type is not put on a case of another', async () => {
  const firm = await api.company()
  const { case_types } = await firm.tool('list_case_types', { name: 'family' })
  const { id: form_id } = await firm.tool('create_form', {
    name: 'x',
    case_type_id: case_types[0].id,
    tasks: [{ title: 'A' }],
  })
  const wrong = await firm.refusal('assign_form', { form_id, case_id: await newCase(firm) })
  assert.match(wrong.message, /is for cases of type/)
  await firm.tool('assign_form', { form_id, case_id: await newCase(firm, 'family') })
  const empty = await firm.tool('create_form', { name: 'empty' })
  assert.match(
    (await firm.refusal('assign_form', { form_id: empty.id, case_id: await newCase(firm) })).message,
    /asks nothing/,
  )
  assert.equal((await firm.refusal('assign_form', { form_id, case_id: 999_999 })).error, 'not found')
})
