import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { inPortions } from './portions.ts'

const numbers = Array.from({ length: 11 }, (_, n) => n)

test('every item is handed on once, and outcomes keep the order of the items', async () => {
  const sizes: number[] = []
  const doubled = await inPortions(
    numbers,
    async (portion) => {
      sizes.push(portion.length)
      // The first portion is done last.
      await setTimeout(20 - 2 * portion[0]!)
      return portion.map((n) => 2 * n)
    },
    4,
  )
  assert.deepEqual(sizes, [4, 4, 3])
  assert.deepEqual(
    doubled,
    numbers.map((n) => 2 * n),
  )
})

test('without items no portion is handed on', async () => {
  const outcomes = await inPortions([], () => assert.fail())
  assert.deepEqual(outcomes, [])
})

test('a portion that fails before the others are sent is the error of the whole', async () => {
  const work = async ([first]: number[]) => {
    if (first === 0) throw new Error('broken')
    return []
  }
  await assert.rejects(inPortions(numbers, work, 2), /broken/)
})
