import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Import, readPeople } from './people.ts'
import { readCsv } from './read-csv.ts'

const read = (...lines: string[]): Import => readPeople(readCsv(Buffer.from(lines.join('\n'))), 2026)
const names = ({ people }: Import) =>
  people.map(({ line, client, cases }) => {
    const about = cases.map(({ matter }) => matter.case_number).join('+')
    return `${line} ${client.first_name} ${client.last_name}${about ? `: ${about}` : ''}`
  })
const remarks = ({ remarks }: Import) => remarks.list().map(({ remark, lines }) => `${lines}: ${remark}`)
const only = (book: Import) => book.people[0]!.client

/** Every row is a person's first row, merged, or rejected. */
function addsUp(book: Import): void {
  assert.equal(book.people.length + book.merged.length + book.rejected.length, book.rows)
}

test('the shipped export is understood to the last row', () => {
  const book = readPeople(readCsv(readFileSync(new URL('../../examples/firm-export.csv', import.meta.url))), 2026)
  addsUp(book)
  assert.ok(book.people.length >= 500)
  assert.ok(book.cases.filter(({ people }) => people.length > 1).length > 20, 'couples')
  assert.equal(book.merged.filter(({ why }) => why === 'same name and number').length, 8)
  assert.ok(book.merged.filter(({ why }) => why === 'same contact id').length > 7)
  assert.deepEqual(
    book.rejected.map(({ reason }) => reason),
    ['26 cells for 25 columns: a comma may lack its quotation marks', 'no name'],
  )
  assert.deepEqual(remarks(book), [])
})

test("columns are found by the names that people give them; what is none of the service's is kept", () => {
  const book = read(
    'Client Name,CELL #,E-Mail,D.O.B.,Zip,Matter No.,Practice Area,Attorney,Shoe Size',
    '"Okafor, María",212-555-0123,maria@example.com,7/19/84,10025,24-7,Auto Accident,Lee,38',
  )
  const { meta, ...fields } = only(book)
  assert.partialDeepStrictEqual(fields, {
    first_name: 'María',
    last_name: 'Okafor',
    mobile: '212-555-0123',
    email: 'maria@example.com',
    date_of_birth: '1984-07-19',
    postal_code: '10025',
  })
  assert.deepEqual(meta, { 'Shoe Size': '38' })
  const { matter } = book.cases[0]!
  assert.deepEqual([matter.case_number, matter.type, matter.status], ['24-7', 'personal injury', 'open'])
  assert.deepEqual(matter.external_source_data, { Attorney: 'Lee', case_type: 'Auto Accident' })
})

test('rows of one contact are merged: by id and name, or by name and number', () => {
  const book = read(
    'ID,First,Last,Phone,City,Email',
    '1,José,Núñez,(212) 555-0123,Reno,',
    '1,Jose,Nunez,,,jose@example.com',
    '9,JOSÉ,NÚÑEZ,212.555.0123,Elko,',
    '1,Eva,Núñez,212-555-0123,,',
  )
  addsUp(book)
  assert.deepEqual(names(book), ['2 José Núñez: Contact 1', '5 Eva Núñez: Contact 1, line 5'])
  assert.deepEqual(book.merged, [
    { line: 3, into: 2, why: 'same contact id' },
    { line: 4, into: 2, why: 'same name and number' },
  ])
  const { email, city, meta } = only(book)
  assert.deepEqual([email, city, meta], ['jose@example.com', 'Reno', { 'city (line 4)': 'Elko' }])
  assert.deepEqual(remarks(book), [
    '4: says another city than the row it belongs to: the first counts, the other is kept beside it',
    '5: has the id of an earlier row, but another name: a person of their own',
  ])
})

test('two rows with one case number are two people of one case', () => {
  const book = read('First,Last,Case Number,Court', 'Ana,Lee,7,', 'Bo,Lee,7,Elko', 'Ana,Lee,8,')
  assert.deepEqual(names(book), ['2 Ana Lee: 7', '3 Bo Lee: 7', '4 Ana Lee: 8'])
  assert.equal(book.cases[0]!.people.length, 2)
  assert.equal(book.cases[0]!.matter.court_name, 'Elko')
})

test('one contact may have several cases', () => {
  assert.deepEqual(names(read('ID,First,Last,Case Number', 'a,Ana,Lee,7', 'a,Ana,Lee,8')), ['2 Ana Lee: 7+8'])
})

test('a row without a case number has no case, unless the file knows no cases at all', () => {
  assert.deepEqual(names(read('First,Last,Case Number', 'Ana,Lee,', 'Bo,Lee,9')), ['2 Ana Lee', '3 Bo Lee: 9'])
  assert.deepEqual(names(read('ID,First,Last', '4,Ana,Lee')), ['2 Ana Lee: Contact 4'])
})

test('rows without a whole name are rejected with the reason', () => {
  const book = read('First,Last,Phone', ',,212-555-0123', 'Cher,,212-555-0124', ',Lee,', 'Ana,Lee,')
  addsUp(book)
  assert.deepEqual(
    book.rejected.map(({ line, reason }) => `${line}: ${reason}`),
    ['2: no name', '3: no last name beside “Cher”', '4: no first name beside “Lee”'],
  )
})

test('in doubt a person is left alone', () => {
  const flags = (header: string, cell: string) => {
    const book = read(`First,Last,${header}`, `Ana,Lee,${cell}`)
    const { voice_calls_opted_out, sms_opted_out, email_opted_out } = only(book)
    return [voice_calls_opted_out, sms_opted_out, email_opted_out].map((flag) => (flag ? 1 : 0)).join('')
  }
  assert.equal(flags('Do Not Call', 'Yes'), '100')
  assert.equal(flags('Do Not Call', 'no'), '000')
  assert.equal(flags('Do Not Call', ''), '000')
  assert.equal(flags('Do Not Call', 'ask first'), '100')
  assert.equal(flags('Do Not Text', 'x'), '010')
  assert.equal(flags('Unsubscribed', 'TRUE'), '001')
  assert.equal(flags('Do not contact', 'y'), '111')
  assert.equal(flags('OK to text', 'no'), '010')
  assert.equal(flags('OK to text', ''), '010')
  assert.equal(flags('OK to call', 'yes'), '000')
  assert.equal(flags('Deceased', 'yes'), '111')
  assert.equal(flags('Deceased', 'no'), '000')
  assert.equal(only(read('First,Last,Deceased', 'Ana,Lee,3/4/2025')).date_of_death, '2025-03-04')
})

test('an opt-out in any row of a contact counts', () => {
  assert.equal(only(read('ID,First,Last,DNC', '1,Ana,Lee,', '1,Ana,Lee,yes')).voice_calls_opted_out, true)
})

test('of several numbers the first that is given counts', () => {
  const { mobile, meta } = only(read('First,Last,Cell,Home Phone,Work Phone', 'Ana,Lee,,212-555-0123,212-555-0124'))
  assert.deepEqual([mobile, meta], ['212-555-0123', { 'Work Phone': '212-555-0124' }])
})

test('a malformed number is kept as it is written', () => {
  assert.equal(only(read('First,Last,Phone', 'Ana,Lee,call Bo first')).mobile, 'call Bo first')
  assert.equal(only(read('First,Last,Phone', 'Ana,Lee,n/a')).mobile, 'n/a')
})

test('dates are read as the column writes them; others are kept as text', () => {
  const born = (...cells: string[]) =>
    read('First,Last,Date of Birth', ...cells.map((cell, n) => `Ana,Lee${n},"${cell}"`)).people.map(
      ({ client }) => client.date_of_birth ?? client.meta['Date of Birth'],
    )
  assert.deepEqual(born('7/19/1984', '1984-07-19', '7-4-84', 'Jul 19, 1984', '19 July 1984', '3/4/07', '2/4/30'), [
    '1984-07-19',
    '1984-07-19',
    '1984-07-04',
    '1984-07-19',
    '1984-07-19',
    '2007-03-04',
    '1930-02-04',
  ])
  assert.deepEqual(born('19/7/1984', '3/4/1990'), ['1984-07-19', '1990-04-03'])
  assert.deepEqual(born('2/30/1984', 'spring'), ['2/30/1984', 'spring'])
})

test('names in capitals are written in usual letters', () => {
  const said = names(read('First,Last', "JOSÉ LUIS,O'BRIEN-PEÑA", 'J.R.,de la Cruz', 'Al,McDonald'))
  assert.deepEqual(
    said.map((name) => name.split(':')[0]),
    ["2 José Luis O'Brien-Peña", '3 J.R. de la Cruz', '4 Al McDonald'],
  )
})

test('a file without a column of numbers is remarked on', () => {
  assert.deepEqual(remarks(read('First,Last', 'Ana,Lee')), [
    '1: no column holds telephone numbers, so that nobody can be called',
  ])
})

test('zones may be written as people say them', () => {
  for (const [said, zone] of [
    ['Eastern', 'America/New_York'],
    ['PST', 'America/Los_Angeles'],
    ['Mountain Time', 'America/Denver'],
    ['America/Boise', 'America/Boise'],
  ])
    assert.equal(only(read('First,Last,Time Zone', `Ana,Lee,${said}`)).timezone, zone)
})
