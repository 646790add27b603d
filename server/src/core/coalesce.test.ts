import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { coalesce } from './coalesce.ts'

const pause = () => new Promise((resolve) => setImmediate(resolve))

test('items asked for in one go share the first flush', async () => {
  const flushes: number[][] = []
  const double = coalesce(async (items: number[]) => {
    flushes.push(items)
    return items.map((item) => item * 2)
  })
  assert.deepEqual(await Promise.all([double(1), double(2), double(3)]), [2, 4, 6])
  assert.deepEqual(flushes, [[1, 2, 3]])
})

test('what arrives while a flush runs goes together in the next one', async () => {
  const flushes: number[][] = []
  const same = coalesce(async (items: number[]) => {
    flushes.push(items)
    await pause()
    await pause()
    return items
  })
  const first = same(1)
  await pause()
  const rest = [same(2), same(3)]
  await Promise.all([first, ...rest])
  assert.deepEqual(flushes, [[1], [2, 3]])
})

test('a failed flush rejects all of its items and none of the next', async () => {
  let flushes = 0
  const same = coalesce(async (items: number[]) => {
    if (flushes++ === 0) throw new Error('connection lost')
    return items
  })
  const failed = await Promise.allSettled([same(1), same(2)])
  assert.deepEqual(
    failed.map((each) => each.status === 'rejected' && each.reason.message),
    ['connection lost', 'connection lost'],
  )
  assert.equal(await same(3), 3)
})

test('a flush that answers too few outcomes rejects instead of hanging', async () => {
  const short = coalesce(async (items: number[]) => items.slice(1))
  await assert.rejects(short(1), /flush of 1 answered 0/)
})

test('every item gets its own outcome, in order, one flush at a time and none above max', async () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(gaps, fc.integer({ min: 1, max: 5 }), async (waits, max) => {
      const seen: number[] = []
      let inside = 0
      const name = coalesce(
        async (items: number[]) => {
          assert.equal(++inside, 1)
          assert.ok(items.length <= max)
          seen.push(...items)
          await pause()
          inside--
          return items.map((item) => `#${item}`)
        },
        { max },
      )
      const outcomes: Promise<string>[] = []
      for (const [item, wait] of waits.entries()) {
        for (let n = 0; n < wait; n++) await pause()
        outcomes.push(name(item))
      }
      assert.deepEqual(
        await Promise.all(outcomes),
        waits.map((_, item) => `#${item}`),
      )
      assert.deepEqual(
        seen,
        waits.map((_, item) => item),
      )
    }),
    { numRuns: 50 },
  )
})
