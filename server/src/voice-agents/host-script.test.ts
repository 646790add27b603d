import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brief } from '../../test/support/phone.ts'
import { scriptOf } from './host-script.ts'

const NOW = new Date('2026-03-02T16:20:00Z')
const script = (agent: Parameters<typeof brief>[0] = {}, more: object = {}) =>
  scriptOf({ ...brief(agent), ...more }, NOW)

test("a host's agent names the firm and the AI first, and the recording where there is one", () => {
  const { opening, recorded } = script({ greeting: 'Hi {{first_name}}!' })
  assert.equal(opening, 'This is an AI assistant calling from Marsh & Cole. Hi Maria! Am I speaking with Maria López?')
  assert.equal(recorded, false)
  assert.match(script({}, { recorded: true }).opening, /^.*AI assistant.*Marsh & Cole\. This call is recorded\./)
})

test("a host's agent is told its task, its questions, the hour, and what nobody can talk it out of", () => {
  const { instructions } = script({
    post_call_fields: [{ name: 'still_in_pain', type: 'boolean', description: 'Pain' }],
  })
  for (const part of [
    /Ask the client whether they still want to pursue their claim/,
    /- still_in_pain: boolean: Pain/,
    /Monday, March 2, 2026 at 11:20 AM where they are/,
    /You are an AI and say so when asked/,
    /Never give legal advice/,
    /Marsh & Cole will not call you again\. Goodbye\." and end the call at once/,
    /Until somebody has confirmed to be Maria, say nothing about why you call/,
  ])
    assert.match(instructions, part)
})

test('of the case a host hears only what the firm has put into its own words', () => {
  const facts = { case_number: '2026-CV-17', description: 'Fell in the shop' }
  const render = (text: string) =>
    Object.entries(facts).reduce((all, [name, value]) => all.replaceAll(`{{${name}}}`, value), text)
  assert.doesNotMatch(JSON.stringify(script({}, { render })), /2026-CV-17|Fell in the shop/)
  assert.match(script({ task: 'Ask about {{case_number}}.' }, { render }).instructions, /Ask about 2026-CV-17/)
})

test('a colleague is offered where the agent may transfer, and a voicemail is left where it shall be', () => {
  const none = script({ transfer_number: '+12125550199', voicemail_message: 'Please call back.' })
  assert.deepEqual([none.transfer, none.voicemail], [null, null])
  assert.match(none.instructions, /you can't connect them/)
  const both = script({
    transfer_number: '+12125550199',
    is_transfer_enabled: true,
    transfer_mode: 'warm',
    voicemail_action: 'message',
    voicemail_message: 'Please call back.',
  })
  assert.equal(both.transfer?.number, '+12125550199')
  assert.match(both.transfer!.whisper, /Maria López on the line/)
  assert.equal(both.voicemail, 'Hello, this is an AI assistant calling from Marsh & Cole. Please call back.')
  assert.match(both.instructions, /wants a person: transfer the call/)
})
