import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readCsv, type Table } from './read-csv.ts'

const read = (text: string) => readCsv(Buffer.from(text))
const rows = ({ rows }: Table) => rows.map(({ line, cells }) => `${line}: ${cells.join('|')}`)
const unreadable = ({ unreadable }: Table) => unreadable.map(({ line, reason }) => `${line}: ${reason}`)

test('cells, quotes and lines inside of cells are read, each row with the line it begins in', () => {
  const table = read('Name,Notes,City\nAna,"Likes, commas",Reno\nBo,"two\nlines",Elko\n\n , ,\nCy,"say ""hi""",Ely\n')
  assert.deepEqual(table.header, ['Name', 'Notes', 'City'])
  assert.deepEqual(rows(table), ['2: Ana|Likes, commas|Reno', '3: Bo|two\nlines|Elko', '7: Cy|say "hi"|Ely'])
  assert.deepEqual([table.unreadable, table.blank], [[], 2])
})

for (const [name, text] of Object.entries({
  commas: 'a,b\r\n1,2\r\n',
  semicolons: 'a;b\n1;2',
  tabs: 'a\tb\r1\t2',
  bars: 'a|b\n1|2\n',
}))
  test(`a file with ${name} is understood`, () => {
    assert.deepEqual(rows(read(text)), ['2: 1|2'])
  })

test('the encodings of spreadsheets are understood', () => {
  for (const bytes of [
    Buffer.from('\uFEFFname\nMuñoz\n'),
    Buffer.from('\uFEFFname\nMuñoz\n', 'utf16le'),
    Buffer.from('name\nMu\u00f1oz\n', 'latin1'),
  ]) {
    const table = readCsv(bytes)
    assert.deepEqual([table.header, rows(table)], [['name'], ['2: Muñoz']])
  }
})

test('a row with cells too many or too few is unreadable, and only that row', () => {
  const table = read('a,b,c\n1,2,3,4\n1,2\n1,2,3\n')
  assert.deepEqual(rows(table), ['4: 1|2|3'])
  assert.deepEqual(unreadable(table), [
    '2: 4 cells for 3 columns: a comma may lack its quotation marks',
    '3: 2 cells for 3 columns: some are missing',
  ])
})

test('a quotation mark that is never closed costs its own line only', () => {
  const table = read('a,b\n1,2\n3,"4\n5,6\n7,8\n')
  assert.deepEqual(rows(table), ['2: 1|2', '4: 5|6', '5: 7|8'])
  assert.deepEqual(unreadable(table), ['3: a quotation mark is opened and not closed'])
})

test('a quotation mark that another cell closes swallows no rows', () => {
  const table = read('a,b,c\n1,"Main St,x\n2,plain,y\n3,"Oak St, Apt 2",z\n4,"Elm",w\n')
  assert.deepEqual(rows(table), ['3: 2|plain|y', '4: 3|Oak St, Apt 2|z', '5: 4|Elm|w'])
  assert.deepEqual(unreadable(table), ['2: a quotation mark is opened and not closed'])
})

test('an empty file has neither columns nor rows', () => {
  for (const text of ['', '\n\n', '  '])
    assert.deepEqual(read(text), { header: [], rows: [], unreadable: [], blank: 0 })
})

test('whatever the lines hold, each is accounted for', () => {
  const cell = fc.stringMatching(/^[a-z" ]{0,4}$/)
  const line = fc.array(cell, { minLength: 1, maxLength: 4 }).map((cells) => cells.join(','))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const { rows, unreadable, blank } = read(['a,b,c', ...lines, 'x,y,z'].join('\n'))
      const height = rows.reduce((sum, { cells }) => sum + cells.join('').split('\n').length, 0)
      // Lines at the edges of a cell are trimmed away with its blanks.
      assert.ok(height + unreadable.length + blank <= lines.length + 1)
      assert.ok([...rows, ...unreadable].every(({ line }) => line >= 2 && line <= lines.length + 2))
      const found = new Set([...rows, ...unreadable].map(({ line }) => line))
      assert.equal(found.size, rows.length + unreadable.length)
      if (!lines.join('').includes('"')) assert.equal(rows.length + unreadable.length + blank, lines.length + 1)
    }),
  )
})
