import type { Turn } from '../providers/voice.ts'

/**
 * The words as they go by, written down in the turn.
 *
 * Not a generator: those take a `return` only when their `next` has come, which a model may never let it.
 */
export function writtenDown(words: AsyncIterable<string>, turn: Turn): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]() {
      const tokens = words[Symbol.asyncIterator]()
      return {
        async next() {
          const step = await tokens.next()
          if (!step.done) turn.text += step.value
          return step
        },
        return: async () => (await tokens.return?.()) ?? { done: true, value: undefined },
      }
    },
  }
}

/**
 * A brain must not believe that the contact knows what was drowned out: of what the agent said since the contact last
 * spoke, all that comes after `heard` goes.
 */
export function cutToWhatWasHeard(transcript: Turn[], heard: string) {
  const from = transcript.findLastIndex(({ speaker }) => speaker === 'contact') + 1
  const turns = transcript.slice(from).filter(({ text }) => text !== '')
  const cut = turns.findLast(({ text }) => text.startsWith(heard)) ?? turns.at(-1)
  if (!cut || heard.length >= cut.text.length) return
  cut.text = heard
  cut.interrupted = true
  for (const later of turns.slice(turns.indexOf(cut) + 1)) later.text = ''
}
