import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { deskPersona, PERSONAS, personaOf } from './personas.ts'

const number = fc
  .tuple(fc.integer({ min: 203, max: 989 }), fc.integer({ min: 0, max: 99 }))
  .map(([area, n]) => `+1${area}555${String(100 + n).padStart(4, '0')}`)

test('the shares add up to all numbers, and each persona gets about its share of the 555-01xx numbers', () => {
  assert.equal(
    PERSONAS.reduce((sum, { share }) => sum + share, 0),
    1000,
  )
  const counts = new Map<string, number>()
  let all = 0
  for (let area = 203; area < 990; area++) {
    for (let n = 100; n < 200; n++) {
      const { name } = personaOf(`+1${area}5550${n}`, 1)
      counts.set(name, (counts.get(name) ?? 0) + 1)
      all++
    }
  }
  for (const { name, share } of PERSONAS) {
    const found = ((counts.get(name) ?? 0) / all) * 1000
    assert.ok(Math.abs(found - share) < 2 + share * 0.05, `${name}: ${found.toFixed(1)} of ${share}`)
  }
})

test('a number and attempt always have the same persona, and only who was not reached or asked for a callback may change', () => {
  fc.assert(
    fc.property(number, fc.integer({ min: 2, max: 5 }), (to, attempt) => {
      const first = personaOf(to, 1)
      const later = personaOf(to, attempt)
      assert.equal(personaOf(to, attempt), later)
      if (first.name === 'asks_for_callback') assert.equal(later.pickup, 'answers')
      else if (!['no_answer', 'busy', 'voicemail'].includes(first.name)) assert.equal(later, first)
      else assert.ok(later === first || later.pickup === 'answers')
    }),
  )
})

test('about half of those who were not reached can be at a second attempt', () => {
  let missed = 0
  let reached = 0
  for (let area = 203; area < 990; area++) {
    const to = `+1${area}5550142`
    if (!['no_answer', 'busy', 'voicemail'].includes(personaOf(to, 1).name)) continue
    missed++
    if (personaOf(to, 2).pickup === 'answers') reached++
  }
  assert.ok(reached / missed > 0.35 && reached / missed < 0.55, `${reached} of ${missed}`)
})

test('the last two digits of +1 202 555 0100 to 0119 choose the persona, each of them once', () => {
  const desk = Array.from({ length: 20 }, (_, n) => personaOf(`+12025550${100 + n}`, 1).name)
  assert.deepEqual([...desk].sort(), PERSONAS.map(({ name }) => name).sort())
  assert.equal(personaOf('+12025550116', 4).name, 'no_answer')
  assert.equal(deskPersona('+12025550120'), undefined)
  assert.equal(deskPersona('+12125550100'), undefined)
})
