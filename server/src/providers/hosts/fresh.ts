/** What `get` answers, asked for again when it is older than so many real milliseconds, or could not be had. */
export function fresh<T>(get: () => Promise<T>, forMs: number): () => Promise<T> {
  let kept: { value: Promise<T>; until: number } | undefined
  return () => {
    if (!kept || kept.until < Date.now()) {
      kept = { value: get(), until: Date.now() + forMs }
      kept.value.catch(() => {
        kept = undefined
      })
    }
    return kept.value
  }
}
