import { closeSync, fstatSync, openSync, renameSync, statSync, writeSync } from 'node:fs'
import { type Logger, multistream, pino } from 'pino'
import { StartError } from './start-error.ts'

const LARGEST = 10 * 1024 * 1024

/**
 * The log: always in `file`; beside that, JSON lines on standard output, or, where a person watches, warnings and above
 * in words on standard error.
 */
export function openLog(file: string, level: string): Logger {
  const console = process.stdout.isTTY
    ? { stream: { write: forPeople }, level: 'warn' as const }
    : { stream: process.stdout, level: 'trace' as const }
  // Whoever read it may be gone.
  process.stdout.on('error', () => {})
  return pino(
    { level, base: { pid: process.pid }, serializers: { err: shownError } },
    multistream([{ stream: boundedFile(file, LARGEST), level: 'trace' }, console]),
  )
}

/** What libraries hang on their errors: codes, and nothing of what was sent. */
const SHOWN = ['code', 'status', 'statusCode', 'responseCode', 'constraint', 'table', 'column', 'moreInfo']

const ADDRESS = /[\w.+-]+@[\w-]+\.[\w.-]+|\+\d{8,15}/g

/**
 * An error as the log shows it. By itself pino would show everything it carries: the one of a language model carries the
 * conversation, that of a carrier the request with its number.
 */
export function shownError(error: unknown): object {
  if (!(error instanceof Error)) return { message: typeof error }
  const { name, message, stack, cause } = error
  const codes = SHOWN.flatMap((each) => {
    const value = (error as unknown as Record<string, unknown>)[each]
    return typeof value === 'string' || typeof value === 'number' ? [[each, value]] : []
  })
  return {
    type: name,
    message: message.replace(ADDRESS, '…'),
    stack: stack?.replace(ADDRESS, '…'),
    ...Object.fromEntries(codes),
    ...(cause instanceof Error && { cause: shownError(cause) }),
  }
}

/** What is written is kept in `file` and, of what came before, as much again in `file.1`. */
export function boundedFile(file: string, largest: number): { write(line: string): void } {
  let fd = open(file)
  let size = fstatSync(fd).size

  /** Other processes may write to the same file: whoever finds it full first renames it, the others follow. */
  function turnOver() {
    const current = statSync(file, { throwIfNoEntry: false })
    if (current?.ino === fstatSync(fd).ino) renameSync(file, `${file}.1`)
    const full = fd
    fd = open(file)
    size = fstatSync(fd).size
    closeSync(full)
  }

  return {
    write(line) {
      try {
        if (size >= largest) turnOver()
        writeSync(fd, line)
        size += Buffer.byteLength(line)
      } catch {
        // A full disk must not stop the calls.
      }
    },
  }
}

function open(file: string): number {
  try {
    return openSync(file, 'a', 0o600)
  } catch (error) {
    throw new StartError(`cannot write the log: ${(error as Error).message}`)
  }
}

function forPeople(line: string): void {
  const { level, msg, err } = JSON.parse(line) as { level: number; msg?: string; err?: { message: string } }
  process.stderr.write(`${pino.levels.labels[level]}: ${[msg, err?.message].filter(Boolean).join(': ')}\n`)
}
