import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { optOutAddresses } from '../../src/compliance/opt-out.ts'
import { insertOverride } from '../../src/compliance/overrides.ts'
import { eventually } from '../support/engine.ts'
import { messagesOf, person, startRealMessages } from '../support/real-messages.ts'

const { api, texts } = await startRealMessages()
const { pool } = api

/** As many texts as are asked for, all due at once: one statement, so one pass has them all. */
async function due(companyId: number, people: { id: number; case_id: number }[]): Promise<void> {
  await pool.run(sql`
    insert into messages (company_id, channel, status, client_id, case_id, manual, body, due_at, origin, created_at)
    select ${companyId}, 'sms', 'scheduled', p.id, p.case_id, true, 'Hello', now(), 'public_api', now()
    from unnest(${people.map(({ id }) => id)}::bigint[], ${people.map(({ case_id }) => case_id)}::bigint[]) as p (id, case_id)`)
}

test('texts that wait behind others are asked about again: who was listed meanwhile gets none, who moved gets it there', async () => {
  const firm = await api.company()
  const mobiles = Array.from({ length: 13 }, (_, n) => `+1212555${1000 + n}`)
  const people: Awaited<ReturnType<typeof person>>[] = []
  for (const mobile of mobiles) people.push(await person(firm, { mobile }))
  const [listed, moved, other] = people.slice(10) as [(typeof people)[0], (typeof people)[0], (typeof people)[0]]
  // As many as are under way at once.
  texts.fate = (to) => (mobiles.slice(0, 10).includes(to) ? 'taken, held' : undefined)
  await due(firm.id, people)
  await eventually(async () => texts.asked.length === 10)
  await pool.transaction((db) =>
    optOutAddresses(
      { db, companyId: firm.id },
      // Only for this purpose, so that no flag shows it.
      [{ address: mobiles[10]!, channel: 'sms', purpose: 'case_update', source: 'import' }],
      'system',
    ),
  )
  await firm.ok(`PUT /v1/clients/${moved.id}`, { ...(await moved.get()), mobile: '+12125552000' })
  const changed = new Date()
  // Our client gives the ten up after as long as the gate's answer holds.
  const ends = ({ id }: { id: number }, status: string) =>
    eventually(async () => {
      const [row] = await messagesOf(pool, id)
      return row.status === status && row
    }, 30)
  const { decision } = await ends(other, 'sent')
  assert.ok(new Date(decision.decided_at) > changed, 'decided anew')
  assert.match((await ends(listed, 'skipped')).error, /on the list/)
  assert.equal((await ends(moved, 'sent')).to_address, '+12125552000')
  assert.deepEqual(
    texts.asked.slice(10).toSorted(),
    ['+12125551012', '+12125552000'],
    'nobody else was written to, and nobody twice',
  )
  texts.release()
})

test('a limit holds for texts that are due in the same moment, and for those whose sending is not yet known', async () => {
  const firm = await api.company()
  const contact = await person(firm, { mobile: '+12125553000', state: 'NY', postal_code: '10007' })
  await pool.transaction((db) =>
    insertOverride(
      { db, companyId: firm.id },
      {
        kind: 'rule',
        rule: { jurisdiction: 'US', channels: ['sms'], purposes: 'all', attempts: [{ max: 2, hours: 24 }] },
        rule_id: null,
        purposes: null,
        person: null,
        reason: null,
        effective_from: '2020-01-01',
        effective_to: null,
      },
    ),
  )
  texts.fate = (to) => (to === '+12125553000' ? 'taken, held' : undefined)
  await due(firm.id, [contact])
  const asked = () => texts.asked.filter((to) => to === '+12125553000').length
  await eventually(async () => asked() === 1)
  await due(firm.id, [contact, contact])
  const states = async () => (await messagesOf(pool, contact.id)).map(({ status }) => status)
  texts.release()
  texts.fate = () => undefined
  await eventually(async () => (await states()).filter((status) => status === 'sent').length >= 2)
  await eventually(async () => !(await states()).includes('sending'))
  assert.deepEqual((await states()).toSorted(), ['scheduled', 'sent', 'sent'])
  assert.equal(asked(), 2)
})
