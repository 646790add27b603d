export interface Random {
  /** A whole number from 0 up to, and without, `below`. */
  below(limit: number): number
  pick<T>(from: readonly T[]): T
  /** True in so many of a hundred draws. */
  percent(of: number): boolean
  /** Picks by the weights of the entries. */
  weighted<T>(from: readonly (readonly [T, number])[]): T
  shuffled<T>(list: readonly T[]): T[]
}

/** Mulberry32: the same seed draws the same everywhere. */
export function random(seed: number): Random {
  let state = seed
  const draw = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(draw() * limit)
  return {
    below,
    pick: (from) => from[below(from.length)]!,
    percent: (of) => draw() * 100 < of,
    weighted(from) {
      let left = draw() * from.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [value, weight] of from) {
        left -= weight
        if (left < 0) return value
      }
      return from.at(-1)![0]
    },
    shuffled(list) {
      const copy = [...list]
      for (let i = copy.length - 1; i > 0; i--) {
        const j = below(i + 1)
        ;[copy[i], copy[j]] = [copy[j]!, copy[i]!]
      }
      return copy
    },
  }
}
