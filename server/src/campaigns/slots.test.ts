import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { companyLimit, handOutSlots, type Waiting } from './slots.ts'

const campaign = (company_id: number, campaign_id: number, rest: Partial<Waiting> = {}): Waiting => ({
  company_id,
  campaign_id,
  live: 0,
  limit: 0,
  company_limit: 100,
  ...rest,
})

test('a company gets its percentage of the installation, and never less than one call', () => {
  assert.equal(companyLimit(20, 100), 20)
  assert.equal(companyLimit(20, 50), 10)
  assert.equal(companyLimit(20, 1), 1)
})

test('companies share free slots evenly, however long their lists are', () => {
  const slots = handOutSlots(8, [campaign(1, 1), campaign(1, 2), campaign(2, 3)], new Map())
  assert.equal(slots.get(3), 4)
  assert.equal(slots.get(1), 2)
  assert.equal(slots.get(2), 2)
})

test('a freed slot goes to the company that has the fewest calls in flight', () => {
  const slots = handOutSlots(
    1,
    [campaign(1, 1, { live: 6 }), campaign(2, 2, { live: 1 })],
    new Map([
      [1, 6],
      [2, 1],
    ]),
  )
  assert.deepEqual([...slots], [[2, 1]])
})

test('no limit is ever passed, and no slot stays free that somebody may have', () => {
  const waiting = fc.uniqueArray(
    fc.record({
      company_id: fc.integer({ min: 1, max: 4 }),
      campaign_id: fc.integer({ min: 1, max: 50 }),
      live: fc.integer({ min: 0, max: 9 }),
      limit: fc.integer({ min: 0, max: 9 }),
    }),
    { selector: (each) => each.campaign_id, maxLength: 12 },
  )
  fc.assert(
    fc.property(
      waiting,
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 1, max: 20 }),
      (rows, free, company_limit) => {
        const all = rows.map((row) => ({ ...row, company_limit }))
        const liveOf = new Map<number, number>()
        for (const row of all) liveOf.set(row.company_id, (liveOf.get(row.company_id) ?? 0) + row.live)
        const slots = handOutSlots(free, all, liveOf)
        const given = [...slots.values()].reduce((sum, n) => sum + n, 0)
        assert.ok(given <= free)
        const after = new Map(liveOf)
        for (const row of all)
          after.set(row.company_id, (after.get(row.company_id) ?? 0) + (slots.get(row.campaign_id) ?? 0))
        for (const row of all) {
          const live = row.live + (slots.get(row.campaign_id) ?? 0)
          if (slots.has(row.campaign_id) && row.limit > 0) assert.ok(live <= row.limit)
          if (slots.has(row.campaign_id)) assert.ok(after.get(row.company_id)! <= company_limit)
          const couldHave = (row.limit === 0 || live < row.limit) && after.get(row.company_id)! < company_limit
          if (couldHave) assert.equal(given, free)
        }
      },
    ),
  )
})
