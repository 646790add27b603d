/**
 * Turns single requests into sets: what arrives while a flush is running goes together in the next one, so a busy
 * system sends few large statements and an idle one answers at once. One flush runs at a time; items keep the order in
 * which they came. `flush` answers one outcome per item, in order; when it throws, every item of that flush rejects
 * (with the same error) and the next flush goes on.
 */
export function coalesce<I, O>(flush: (items: I[]) => Promise<O[]>, { max = 1000 } = {}): (item: I) => Promise<O> {
  type Waiting = { item: I; resolve: (outcome: O) => void; reject: (error: unknown) => void }
  let waiting: Waiting[] = []
  let running = false

  async function drain() {
    while (waiting.length > 0) {
      const batch = waiting.length <= max ? waiting : waiting.slice(0, max)
      waiting = waiting.length <= max ? [] : waiting.slice(max)
      try {
        const outcomes = await flush(batch.map(({ item }) => item))
        if (outcomes.length !== batch.length) throw new Error(`flush of ${batch.length} answered ${outcomes.length}`)
        batch.forEach(({ resolve }, index) => {
          resolve(outcomes[index]!)
        })
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    running = false
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (running) return
      running = true
      // A microtask later, so that items asked for in one go share the first flush.
      queueMicrotask(drain)
    })
}
