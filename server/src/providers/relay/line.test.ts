import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRelay } from '../../../test/support/phone.ts'
import { pause } from '../../core/clock.ts'

function open() {
  const { line, sent } = openRelay()
  const texts = () => sent.flatMap((frame) => (frame.type === 'text' ? [frame] : []))
  return { line, sent, texts, spoken: () => texts().map(({ token }) => token) }
}

async function* tokens(words: string[], between: number): AsyncGenerator<string> {
  for (const word of words) {
    if (between > 0) await pause(between)
    yield word
  }
}

test('the first word goes out at once, words that come together in one frame, and the last frame says so', async () => {
  const { line, spoken, texts } = open()
  await line.say(tokens(['One ', 'two ', 'three ', 'four.'], 0))
  assert.equal(spoken()[0], 'One ')
  assert.equal(spoken().join(''), 'One two three four.')
  assert.ok(texts().length <= 3, JSON.stringify(texts()))
  assert.deepEqual(
    texts().map(({ last }) => last),
    [
      ...texts()
        .slice(1)
        .map(() => false),
      true,
    ],
  )
})

test('words that come one by one go out one by one', async () => {
  const { line, spoken } = open()
  await line.say(tokens(['One ', 'two ', 'three.'], 15))
  assert.deepEqual(spoken(), ['One ', 'two ', 'three.'])
})

test('nothing is said where a brain has nothing to say', async () => {
  const { line, sent } = open()
  await line.say(tokens(['', ''], 0))
  assert.deepEqual(sent, [])
})

test('where the contact cuts in, what was handed over is ended, and no more is asked for', async () => {
  const { line, spoken, texts } = open()
  const words = tokens(['One ', 'two ', 'three ', 'four.'], 20)
  const saying = line.say(words)
  await pause(50)
  line.hear({ type: 'prompt', voicePrompt: 'Wait!', lang: 'en-US', last: true })
  await saying
  const before = spoken().join('')
  assert.match(before, /^One two $/)
  assert.equal(texts().at(-1)!.last, true)
  await pause(60)
  assert.equal(spoken().join(''), before)
  const turns = line.turns[Symbol.asyncIterator]()
  assert.deepEqual((await turns.next()).value, { type: 'said', text: 'Wait!' })
})

test('what must be heard whole can not be interrupted, and says so in each frame', async () => {
  const { line, texts } = open()
  await line.say('This call is recorded.', 'whole')
  await line.say(tokens(['One ', 'two.'], 0), 'whole')
  assert.ok(texts().every((frame) => frame.interruptible === false))
})

test('after the end nothing is sent, and nothing more is heard than what was said before', async () => {
  const { line, sent } = open()
  line.hear({ type: 'prompt', voicePrompt: 'Bye.', lang: 'en-US', last: true })
  await line.end()
  const frames = sent.length
  assert.equal(sent.at(-1)!.type, 'end')
  await line.say(tokens(['more'], 0))
  await line.say('more')
  assert.equal(sent.length, frames)
  const turns = line.turns[Symbol.asyncIterator]()
  assert.deepEqual((await turns.next()).value, { type: 'said', text: 'Bye.' })
  assert.equal((await turns.next()).done, true)
})
