import assert from 'node:assert/strict'
import { test } from 'node:test'
import twilio from 'twilio'
import { DialPutOff, DialRefused } from '../voice.ts'
import { placingFailure } from './refusals.ts'

const answered = (statusCode: number, code: number) =>
  new twilio.RestException({ statusCode, body: { code, message: 'No', status: statusCode } } as never)

test('what Twilio answers is about one call, or about the account, or leaves open what happened', () => {
  for (const [status, code, means] of [
    [400, 21211, 'invalid_destination'],
    [400, 21215, 'dial_failed'],
    // A country that the account may not call: another contact may live elsewhere.
    [403, 21215, 'dial_failed'],
    [403, 20003, 'later'],
    [401, 20003, 'later'],
    [429, 20429, 'later'],
    [500, 20500, 'open'],
    [503, 20503, 'open'],
  ] as const) {
    const error = answered(status, code)
    const failure = placingFailure(error)
    if (means === 'open') assert.equal(failure, error)
    else if (means === 'later') assert.ok(failure instanceof DialPutOff, `${status} ${code}`)
    else assert.equal((failure as DialRefused).reason, means, `${status} ${code}`)
  }
})

test('a carrier that was not reached has rung nobody; one that did not answer may have', () => {
  const broken = (code: string) => placingFailure(Object.assign(new Error(code), { code }))
  for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']) assert.ok(broken(code) instanceof DialPutOff, code)
  for (const code of ['ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT']) assert.ok(!(broken(code) instanceof DialPutOff), code)
  assert.ok(!(broken('ECONNRESET') instanceof DialRefused))
})
