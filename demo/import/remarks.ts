/** What a person should know of what was done with their rows: the same remark about many rows is one remark. */
export interface Remarks {
  add(line: number, remark: string): void
  list(): { remark: string; lines: number[] }[]
}

export function remarks(): Remarks {
  const byText = new Map<string, number[]>()
  return {
    add(line, remark) {
      const lines = byText.get(remark) ?? []
      byText.set(remark, lines)
      if (lines.at(-1) !== line) lines.push(line)
    },
    list: () => [...byText].map(([remark, lines]) => ({ remark, lines })),
  }
}
