import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { carrierOf } from './carrier.ts'
import { publicUrl, readConfig } from './config.ts'
import { StartError } from './start-error.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'docketcall-config-'))
after(() => rmSync(folder, { recursive: true }))
beforeEach(() => rmSync(path.join(folder, '.env'), { force: true }))

const read = (environment: Record<string, string>) => readConfig(environment, folder)
const dotEnv = (content: string) => writeFileSync(path.join(folder, '.env'), content)

function problems(environment: Record<string, string>): string {
  try {
    read(environment)
  } catch (error) {
    assert.ok(error instanceof StartError)
    assert.ok(!error.message.includes('\n'), 'one line')
    return error.message
  }
  return ''
}

test('without settings the service starts with its defaults', () => {
  const { HOST, PORT, DATA_DIR, DATABASE_URL, API_KEY, RATE_LIMIT_PER_HOUR, ROLE, SANDBOX_CLOCK } = read({})
  assert.deepEqual([HOST, PORT, DATA_DIR], ['127.0.0.1', 8080, path.resolve('data')])
  assert.deepEqual([DATABASE_URL, API_KEY, SANDBOX_CLOCK], [undefined, undefined, undefined])
  assert.deepEqual([RATE_LIMIT_PER_HOUR, ROLE], [500, 'all'])
})

test('a variable that is set to nothing counts as not set', () => {
  assert.equal(read({ PORT: '', DATABASE_URL: '' }).PORT, 8080)
})

test('settings are read as what they mean', () => {
  const config = read({
    SANDBOX_CLOCK: '2026-03-02T09:00:00-05:00',
    SANDBOX_SPEED: '0.5',
    PUBLIC_URL: 'https://a.b/c/',
  })
  assert.equal(config.SANDBOX_CLOCK?.toISOString(), '2026-03-02T14:00:00.000Z')
  assert.equal(config.SANDBOX_SPEED, 0.5)
  assert.equal(config.PUBLIC_URL, 'https://a.b/c')
})

for (const [name, value] of [
  ['PORT', '80a'],
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['DATABASE_URL', 'mysql://localhost/x'],
  ['DATABASE_URL', 'localhost'],
  ['PUBLIC_URL', 'calls.example.com'],
  ['PUBLIC_URL', 'https://example.com/?a=b'],
  ['API_KEY', 'a'.repeat(23)],
  ['API_KEY', `${'a'.repeat(12)} ${'a'.repeat(12)}`],
  ['RATE_LIMIT_PER_HOUR', '1.5'],
  ['ROLE', 'API'],
  ['MAX_CONCURRENT_CALLS', '0'],
  ['LOG_LEVEL', 'loud'],
  ['SANDBOX_CLOCK', '2026-03-02'],
  ['SANDBOX_CLOCK', '2026-03-02T09:00:00'],
  ['SANDBOX_CLOCK', '2026-02-30T25:00:00Z'],
  ['SANDBOX_SPEED', '0'],
  ['SANDBOX_SPEED', '1e9'],
]) {
  test(`${name}=${value} is refused, with the rule that it breaks`, () => {
    assert.match(problems({ [name!]: value! }), new RegExp(`^${name} must be `))
  })
}

test('everything wrong is named at once', () => {
  const line = problems({ PORT: 'x', LOG_LEVEL: 'y', SANDBOX_SPED: '3' })
  for (const name of ['PORT', 'LOG_LEVEL', 'SANDBOX_SPEED']) assert.match(line, new RegExp(name))
})

test('a wrong key is never shown', () => {
  assert.ok(!problems({ API_KEY: 'too-short-secret' }).includes('too-short'))
  assert.ok(!problems({ DATABASE_URL: 'postgre://u:hidden@h/d' }).includes('hidden'))
})

test('a near miss in the environment is refused with the name that was meant', () => {
  for (const [wrong, meant] of [
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_ULR', 'DATABASE_URL'],
    ['DATADIR', 'DATA_DIR'],
    ['api_key', 'API_KEY'],
    ['LOG_LEVEl', 'LOG_LEVEL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['RATE_LIMIT_PER_MINUTE', 'RATE_LIMIT_PER_HOUR'],
    ['SANDBOX_TIME', 'SANDBOX_CLOCK or SANDBOX_SPEED'],
    ['MAX_CONCURRENT_CALL', 'MAX_CONCURRENT_CALLS'],
    ['PUBLICURL', 'PUBLIC_URL'],
  ])
    assert.match(problems({ [wrong!]: 'x' }), new RegExp(`no setting ${wrong}; did you mean ${meant}\\?`), wrong)
})

test("other programs' variables are left alone", () => {
  const names = ['HOME', 'HOSTNAME', 'PATH', 'PWD', 'POST', 'SHELL', 'APP_KEY', 'API_URL', 'DATABASE', 'DATABASE_HOST']
  const more = ['PGHOST', 'PGDATA', 'LOGNAME', 'XDG_DATA_DIRS', 'npm_config_loglevel', 'PUBLIC_IP', 'TERM', 'COLORTERM']
  assert.equal(problems(Object.fromEntries([...names, ...more].map((name) => [name, 'x']))), '')
})

test('.env in the working folder is read; the environment goes first', () => {
  dotEnv('# ours\nPORT=9000\nexport COMPANY_NAME="Okafor & Lind"\n\nLOG_LEVEL=warn # quiet\n')
  const config = read({ PORT: '9100' })
  assert.equal(config.PORT, 9100)
  assert.equal(config.COMPANY_NAME, 'Okafor & Lind')
  assert.equal(config.LOG_LEVEL, 'warn')
})

test('in .env every unknown name and every line that is no setting is refused', () => {
  dotEnv('PROT=9000\nNODE_ENV=production\nPORT 9000\n')
  const line = problems({})
  assert.match(line, /there is no setting PROT; did you mean PORT\?/)
  assert.match(line, /there is no setting NODE_ENV/)
  assert.match(line, /line 3, is not of the form NAME=value/)
})

test('the public address is one that a browser can go to', () => {
  const at = (environment: Record<string, string>) => publicUrl(read(environment), 8080)
  assert.equal(at({}), 'http://127.0.0.1:8080')
  assert.equal(at({ HOST: '0.0.0.0' }), 'http://localhost:8080')
  assert.equal(at({ HOST: '::1' }), 'http://[::1]:8080')
  assert.equal(at({ PUBLIC_URL: 'https://calls.example.com/' }), 'https://calls.example.com')
})

test('a mail server needs an address to send from, and https for the links in mail unless it is on this machine', () => {
  const SMTP_URL = 'smtps://user:p%40ss@mail.example.com'
  assert.match(problems({ SMTP_URL }), /SMTP_URL needs SMTP_FROM; SMTP_URL needs PUBLIC_URL/)
  assert.match(problems({ SMTP_FROM: 'a@b.com' }), /SMTP_FROM needs SMTP_URL/)
  const rest = { SMTP_URL, SMTP_FROM: 'cases@example.com' }
  assert.match(problems({ ...rest, PUBLIC_URL: 'http://a.b' }), /https/)
  assert.equal(problems({ ...rest, PUBLIC_URL: 'https://a.b' }), '')
  assert.equal(problems({ ...rest, SMTP_URL: 'smtp://127.0.0.1:1025', PUBLIC_URL: 'http://a.b' }), '')
  assert.match(problems({ SMTP_URL: 'mail.example.com' }), /SMTP_URL must be/)
  assert.match(problems({ ...rest, SMTP_FROM: 'Cases <a@b.com>' }), /SMTP_FROM must be/)
})

test('a messaging service needs its account', () => {
  assert.match(problems({ TWILIO_MESSAGING_SERVICE_SID: `MG${'a'.repeat(32)}` }), /needs TWILIO_ACCOUNT_SID/)
})

const TWILIO = {
  TWILIO_ACCOUNT_SID: `AC${'a'.repeat(32)}`,
  TWILIO_AUTH_TOKEN: 'a-secret-of-some-length',
  TWILIO_FROM: '+12125550100',
  PUBLIC_URL: 'https://calls.example.com',
}

test('the carrier is the one whose settings are there, unless one is named', () => {
  const by = (environment: Record<string, string>) => carrierOf(read(environment))
  assert.equal(by({}), 'sandbox')
  assert.equal(by(TWILIO), 'twilio')
  assert.equal(by({ ...TWILIO, VOICE_PROVIDER: 'sandbox' }), 'sandbox')
  assert.match(problems({ VOICE_PROVIDER: 'bell' }), /VOICE_PROVIDER must be one of sandbox, twilio/)
})

const VAPI = {
  VAPI_API_KEY: 'a-private-key-of-vapi',
  VAPI_PHONE_NUMBER_ID: '42b4b25d-031e-4786-857f-63b346c9580f',
  PUBLIC_URL: 'https://calls.example.com',
}
const RETELL = {
  RETELL_API_KEY: 'key_of_some_length_at_retell',
  RETELL_FROM: '+12125550100',
  RETELL_AGENT_ID: 'agent_1',
  PUBLIC_URL: 'https://calls.example.com',
}
const TELNYX = {
  TELNYX_API_KEY: 'KEY0123456789ABCDEF',
  TELNYX_PUBLIC_KEY: `${'A'.repeat(43)}=`,
  TELNYX_ACCOUNT_SID: '61bf923e-5e4d-4595-a110-56190ea18a1b',
  TELNYX_APPLICATION_ID: '1234567890',
  TELNYX_FROM: '+12125550100',
  PUBLIC_URL: 'https://calls.example.com',
}

test('Telnyx calls where its settings are there, all of them; Twilio may go on with texts beside it', () => {
  assert.equal(carrierOf(read(TELNYX)), 'telnyx')
  assert.equal(carrierOf(read({ ...TWILIO, ...TELNYX, VOICE_PROVIDER: 'telnyx' })), 'telnyx')
  assert.equal(
    problems({ ...TELNYX, TELNYX_PUBLIC_KEY: 'not a key' }),
    'TELNYX_PUBLIC_KEY must be the public key of the account: 32 bytes in base64',
  )
  const { TELNYX_PUBLIC_KEY: _, ...rest } = TELNYX
  assert.equal(problems(rest), 'TELNYX_API_KEY needs TELNYX_PUBLIC_KEY')
})

test('a host calls where its settings are there; where several could, one must be named', () => {
  const by = (environment: Record<string, string>) => carrierOf(read(environment))
  assert.equal(by(VAPI), 'vapi')
  assert.equal(by(RETELL), 'retell')
  assert.equal(
    problems({ ...TWILIO, ...VAPI }),
    'there are settings of twilio and vapi: VOICE_PROVIDER must say which of them calls',
  )
  for (const VOICE_PROVIDER of ['twilio', 'vapi', 'retell', 'sandbox'])
    assert.equal(by({ ...TWILIO, ...VAPI, ...RETELL, VOICE_PROVIDER }), VOICE_PROVIDER)
})

test('what is said on the phone is told by https only', () => {
  for (const settings of [TWILIO, TELNYX, VAPI, RETELL])
    assert.match(problems({ ...settings, PUBLIC_URL: 'http://a.b' }), /needs a PUBLIC_URL that begins with https/)
})

test('a carrier whose settings are incomplete keeps the service from starting, with what is missing', () => {
  const { TWILIO_FROM, ...rest } = TWILIO
  assert.equal(problems(rest), 'TWILIO_ACCOUNT_SID needs TWILIO_FROM')
  assert.equal(
    problems({ VAPI_API_KEY: VAPI.VAPI_API_KEY }),
    'VAPI_API_KEY needs VAPI_PHONE_NUMBER_ID; VAPI_API_KEY needs PUBLIC_URL',
  )
  assert.match(
    problems({ RETELL_API_KEY: RETELL.RETELL_API_KEY }),
    /RETELL_API_KEY needs RETELL_FROM; .*RETELL_AGENT_ID/,
  )
  assert.match(problems({ VOICE_PROVIDER: 'twilio' }), /^VOICE_PROVIDER=twilio needs TWILIO_ACCOUNT_SID; /)
})
