import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cloneDatabase } from './support/database.ts'
import { startMailServer } from './support/mail-server.ts'
import { AGENT_ID, RETELL_KEY } from './support/retell-emulator.ts'
import { newDataDir, startService } from './support/service.ts'
import { ACCOUNT, AUTH_TOKEN } from './support/twilio-emulator.ts'
import { NUMBER_ID, VAPI_KEY } from './support/vapi-emulator.ts'

const mail = await startMailServer()
const settings = async () => ({
  DATABASE_URL: (await cloneDatabase()).connectionString,
  DATA_DIR: await newDataDir(),
  SMTP_URL: mail.url,
  SMTP_FROM: 'cases@example.com',
  PUBLIC_URL: 'http://127.0.0.1:1',
})

async function welcomeWith(more: Record<string, string>): Promise<string> {
  const service = startService({ ...(await settings()), ...more })
  await service.ready
  service.child.kill('SIGTERM')
  assert.equal(await service.ended, 0)
  return service.stdout()
}

test('the welcome says which channels reach real people and which are sandboxed', async () => {
  const one = await welcomeWith({})
  assert.match(one, /Real +e-mail \(smtp\): real people are reached/)
  assert.match(one, /Sandboxed +calls and text messages: nobody gets them/)
  const all = await welcomeWith({
    TWILIO_ACCOUNT_SID: ACCOUNT,
    TWILIO_AUTH_TOKEN: AUTH_TOKEN,
    TWILIO_FROM: '+12125550100',
    TWILIO_API_BASE: 'http://127.0.0.1:1',
  })
  assert.match(all, /Real +calls \(twilio\), text messages \(twilio\) and e-mail \(smtp\)/)
  assert.doesNotMatch(all, /Sandboxed/)
})

test('a host may call while Twilio texts, and the sandbox too', async () => {
  const twilio = {
    TWILIO_ACCOUNT_SID: ACCOUNT,
    TWILIO_AUTH_TOKEN: AUTH_TOKEN,
    TWILIO_FROM: '+12125550100',
    TWILIO_API_BASE: 'http://127.0.0.1:1',
  }
  const vapi = {
    VAPI_API_KEY: VAPI_KEY,
    VAPI_PHONE_NUMBER_ID: NUMBER_ID,
    VAPI_API_BASE: 'http://127.0.0.1:1',
    VOICE_PROVIDER: 'vapi',
  }
  const hosted = await welcomeWith({ ...twilio, ...vapi })
  assert.match(hosted, /Real +calls \(vapi\), text messages \(twilio\) and e-mail \(smtp\)/)
  const texting = await welcomeWith({ ...twilio, VOICE_PROVIDER: 'sandbox' })
  assert.match(texting, /Real +text messages \(twilio\) and e-mail \(smtp\): real people are reached/)
  assert.match(texting, /Sandboxed +calls: nobody gets them/)
})

test('where two carriers could call and none is named, the service says so in one line and does not start', async () => {
  const service = startService({
    ...(await settings()),
    VAPI_API_KEY: VAPI_KEY,
    VAPI_PHONE_NUMBER_ID: NUMBER_ID,
    VAPI_API_BASE: 'http://127.0.0.1:1',
    RETELL_API_KEY: RETELL_KEY,
    RETELL_FROM: '+12125550100',
    RETELL_AGENT_ID: AGENT_ID,
    RETELL_API_BASE: 'http://127.0.0.1:1',
  })
  assert.equal(await service.ended, 1)
  assert.equal(
    service.stderr(),
    'docketcall: there are settings of vapi and retell: VOICE_PROVIDER must say which of them calls\n',
  )
})

test("the sandbox's clock is refused as soon as one channel is real", async () => {
  const service = startService({ ...(await settings()), SANDBOX_SPEED: '10' })
  assert.equal(await service.ended, 1)
  assert.match(service.stderr(), /only for the sandbox/)
})
