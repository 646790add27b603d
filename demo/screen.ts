import { stripVTControlCharacters, styleText } from 'node:util'

export interface Screen {
  /** Lines that stay. */
  print(...lines: string[]): void
  /** Draws over what was drawn last, in so many columns; away from a terminal, `plain` from time to time. */
  live(draw: (columns: number) => string[], plain: string): void
  /** What is live stays as it is; away from a terminal it is said once more. */
  settle(): void
}

/** Milliseconds between two plain lines. */
const PLAIN_EVERY = 3000

export function openScreen(out: NodeJS.WriteStream = process.stdout): Screen {
  let drawn = 0
  let lastPlain = ''
  let saidPlain = ''
  let saidAt = Number.NEGATIVE_INFINITY

  function erase(): string {
    const up = drawn > 0 ? `\u001b[${drawn}A\u001b[0J` : ''
    drawn = 0
    return up
  }

  return {
    print(...lines) {
      out.write(`${erase()}${lines.map((line) => `${line}\n`).join('')}`)
    },
    live(draw, plain) {
      lastPlain = plain
      if (out.isTTY) {
        // A terminal that has no size says 0.
        const columns = out.columns || 80
        const lines = draw(columns).slice(0, (out.rows || 24) - 2)
        const shown = lines.map((line) => fitted(line, columns))
        out.write(`${erase()}${shown.map((line) => `${line}\n`).join('')}`)
        drawn = shown.length
      } else if (plain !== saidPlain && performance.now() - saidAt > PLAIN_EVERY) say()
    },
    settle() {
      if (!out.isTTY && lastPlain !== saidPlain) say()
      drawn = 0
    },
  }

  function say(): void {
    saidAt = performance.now()
    saidPlain = lastPlain
    out.write(`${lastPlain}\n`)
  }
}

/** A longer line would wrap, and the lines above it could not be drawn over. */
function fitted(line: string, columns: number): string {
  const bare = stripVTControlCharacters(line)
  return bare.length < columns ? line : `${bare.slice(0, columns - 2)}…`
}

export const bold = (text: string) => styleText('bold', text)
export const dim = (text: string) => styleText('dim', text)

/** At most `width` characters a line, broken at blanks but not at no-break spaces. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/ +/)) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line)
      line = ''
    }
    line = line ? `${line} ${word}` : word
  }
  return line ? [...lines, line] : lines
}
