import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { firmExport } from './generate.ts'

const file = readFileSync(new URL('firm-export.csv', import.meta.url), 'utf8')

test('the committed export is the one that the generator makes', () => {
  assert.equal(firmExport(), file)
})

test('no number in the export can belong to anybody', () => {
  // Ten digits in a row, however they are spelt, are a number that could be dialled.
  const numbers = file.match(/(?:\+?1[ .-]?)?\(?\d{3}\)?[ .-]?\d{3}[ .-]?\d{4}(?!\d)/g) ?? []
  assert.ok(numbers.length > 500)
  for (const number of numbers) assert.match(number.replace(/\D/g, ''), /^1?[2-9]\d{2}55501\d\d$/, number)
  for (const address of file.match(/[\w.]+@[\w.]+/g) ?? []) assert.match(address, /@example\.(com|org|net)$/)
})
