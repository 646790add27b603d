import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { decodeTime } from 'ulid'
import { startApi } from '../../test/support/api.ts'

const api = await startApi()

async function firmWithCase() {
  const firm = await api.company()
  const client = await firm.ok('POST /v1/clients', {
    external_source: 'manual',
    external_source_id: '1',
    first_name: 'Ana',
    last_name: 'Lee',
  })
  const kase = await firm.ok('POST /v1/cases', {
    case_number: 'A-1',
    name: 'Lee v. Acme',
    external_source: 'manual',
    external_source_id: '1',
    status: 'active',
    type: 'civil',
    client_ids: [client.id],
  })
  return { firm, client_id: client.id as number, case_id: kase.id as number }
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

test('a note is written on a case or a client and found there, by its words too', async () => {
  const { firm, client_id, case_id } = await firmWithCase()
  const started = Date.now()
  const { note_id, status } = await firm.tool('create_note', {
    type: 'case',
    reference_id: case_id,
    body: 'Asked for 100% of the costs',
    title: ' ',
  })
  assert.equal(status, 'created')
  await firm.tool('create_note', { type: 'case', reference_id: case_id, body: 'Second' })
  await firm.tool('create_note', { type: 'client', reference_id: client_id, body: 'Prefers mornings' })

  const found = await firm.tool('list_notes', { case_id, search: '100%' })
  const [note] = found.notes
  assert.deepEqual(
    { ...note, ulid: undefined, created_at: undefined },
    {
      id: note_id,
      ulid: undefined,
      title: null,
      body: 'Asked for 100% of the costs',
      type: 'case',
      reference_id: case_id,
      case_name: 'Lee v. Acme',
      author_name: 'test',
      attachment_ulids: [],
      created_at: undefined,
    },
  )
  assert.ok(decodeTime(note.ulid) >= started - 1000)
  assert.deepEqual([found.current_page, found.total_pages, found.total_records], [1, 1, 1])
  const all = await firm.tool('list_notes', { case_id, per_page: 1, page: 2 })
  assert.deepEqual([all.notes.length, all.notes[0].id, all.total_pages, all.total_records], [1, note_id, 2, 2])
  const [about] = (await firm.tool('list_notes', { client_id })).notes
  assert.deepEqual([about.reference_id, about.type, about.case_name], [client_id, 'client', null])
})

test('list_notes wants one of case_id and client_id, and one that exists', async () => {
  const { firm, client_id, case_id } = await firmWithCase()
  const other = await firmWithCase()
  for (const args of [{}, { case_id, client_id }]) {
    const { error, details } = await firm.refusal('list_notes', args)
    assert.deepEqual([error, details.map(({ field }) => field)], ['bad request', ['case_id', 'client_id']])
  }
  assert.match((await firm.refusal('list_notes', { case_id: other.case_id })).message, /list_cases/)
  assert.equal((await firm.refusal('list_notes', { client_id: other.client_id })).error, 'not found')
  await firm.ok(`DELETE /v1/cases/${case_id}`)
  assert.equal((await firm.refusal('list_notes', { case_id })).error, 'not found')
})

test('update_note changes what is given and needs something to change', async () => {
  const { firm, case_id } = await firmWithCase()
  await firm.tool('create_note', { type: 'case', reference_id: case_id, body: 'First', title: 'Call' })
  const [{ ulid, id }] = (await firm.tool('list_notes', { case_id })).notes
  assert.deepEqual((await firm.refusal('update_note', { ulid })).details.length, 3)
  assert.match((await firm.refusal('update_note', { ulid, body: ' ' })).message, /^body: must not be blank/)
  const updated = await firm.tool('update_note', { ulid, body: 'Corrected' })
  assert.deepEqual([updated.title, updated.body], ['Call', 'Corrected'])
  assert.equal((await firm.tool('update_note', { ulid, title: null })).title, null)
  await firm.tool('update_note', { ulid, body: 'Corrected' })
  const { audit_logs } = await firm.tool('list_audit_logs', { activity: 'note_updated' })
  assert.deepEqual(
    audit_logs.map((entry: any) => [entry.record_id, entry.case_id, entry.changes]),
    [
      [String(id), case_id, { title: { from: 'Call', to: null } }],
      [String(id), case_id, { body: { from: 'First', to: 'Corrected' } }],
    ],
  )
  assert.equal((await firm.refusal('update_note', { ulid: '0'.repeat(26), body: 'x' })).error, 'not found')
})

test('files are stored, attached by their ULIDs and replaced as a whole', async () => {
  const { firm, case_id } = await firmWithCase()
  const upload = (text: string) =>
    firm.tool('create_attachment', {
      file_name: `${text}.txt`,
      content_type: 'text/plain',
      content_base64: base64(text),
    })
  const [one, two] = [await upload('one'), await upload('two')]
  assert.equal(one.size, 3)
  const stored = await api.pool.one<{ content: Buffer }>(sql`select content from attachments where ulid = ${one.ulid}`)
  assert.equal(stored.content.toString(), 'one')

  await firm.tool('create_note', { type: 'case', reference_id: case_id, body: 'x', attachment_ulids: [one.ulid] })
  const [note] = (await firm.tool('list_notes', { case_id })).notes
  assert.deepEqual(note.attachment_ulids, [one.ulid])
  const replaced = await firm.tool('update_note', { ulid: note.ulid, attachment_ids: [two.ulid] })
  assert.deepEqual(replaced.attachment_ulids, [two.ulid])

  const foreign = await api.company('Other')
  const theirs = await foreign.tool('create_attachment', { file_name: 'x', content_base64: base64('x') })
  const { message } = await firm.refusal('update_note', { ulid: note.ulid, attachment_ids: [two.ulid, theirs.ulid] })
  assert.match(message, new RegExp(`no such attachment: ${theirs.ulid};`))
})

test('an attachment must be base64 of at most 5 MB', async () => {
  const firm = await api.company()
  const attach = (content_base64: string) => firm.refusal('create_attachment', { file_name: 'x', content_base64 })
  for (const broken of ['not base64!', 'abc', 'ab=c']) assert.match((await attach(broken)).message, /must be base64/)
  const most = 5 * 1024 * 1024
  assert.match((await attach(base64('x'.repeat(most + 1)))).message, /at most 5 MB/)
  const whole = { file_name: 'x', content_base64: base64('x'.repeat(most)) }
  assert.equal((await firm.tool('create_attachment', whole)).size, most)
})
