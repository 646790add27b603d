import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { databaseUrl, execute } from '../../test/support/template.ts'
import { startTestServer } from '../../test/support/test-server.ts'
import { checkDatabaseUrl } from './check-database-url.ts'

// Not the server of the run: one that somebody brings might let everybody in.
const server = await startTestServer()
after(() => server.stop())
const password = new URL(server.url.replace(/@[^/]*/, '@host')).password

async function refusal(url: string): Promise<string> {
  const error = await checkDatabaseUrl(url).then(
    () => assert.fail('it was accepted'),
    (error: Error) => error,
  )
  assert.equal(error.name, 'StartError')
  assert.doesNotMatch(error.message, new RegExp(`secret|${password}|\n`))
  return error.message
}

test('a good DATABASE_URL is accepted', () => checkDatabaseUrl(server.url))

for (const url of [
  '',
  'localhost',
  'http://user:secret@host/db',
  'postgres://user:secret#1@host/db',
  'postgres://h:99999/d',
])
  test(`a malformed DATABASE_URL (${url}) is answered with how one looks`, async () => {
    assert.match(await refusal(url), /^DATABASE_URL is not an address like postgres:/)
  })

test('a DATABASE_URL that nobody answers at is named with its host and port', async () => {
  assert.match(await refusal('postgres://user:secret@127.0.0.1:1/db'), /\(127\.0\.0\.1:1\/db\): connect ECONNREFUSED/)
  assert.match(await refusal('postgres://user:secret@nowhere.invalid/db'), /\(nowhere\.invalid:5432\/db\): getaddrinfo/)
})

test('a wrong password, a missing one and an unknown database are told apart', async () => {
  assert.match(await refusal(server.url.replace(password, 'secret')), /password authentication failed for user/)
  assert.match(await refusal(server.url.replace(`:${password}`, '')), /password/)
  assert.match(await refusal(databaseUrl(server.url, 'missing')), /database "missing" does not exist/)
})

test('a certificate that is not there is named', async () => {
  assert.match(await refusal('postgres://user:secret@host/db?sslrootcert=/no/such.pem'), /no\/such\.pem/)
})

test('a database that cannot hold every text is refused', async () => {
  await execute(
    server.url,
    "create database latin template template0 encoding 'LATIN1' locale_provider libc locale 'C'",
  )
  assert.match(await refusal(databaseUrl(server.url, 'latin')), /encoding is LATIN1 and must be UTF8/)
})
