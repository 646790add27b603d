/** One setting: where its text comes from is not its business. */
export interface Setting<T> {
  description: string
  /** Read in place of a missing text. */
  fallback: string | undefined
  /** What people read as the default. */
  shown: string
  /** Throws an Error such as "must be a port number". */
  parse(text: string): T
}

type Parse<T> = (text: string) => T

export const setting = <T>(parse: Parse<T>, fallback: string, description: string): Setting<T> => ({
  description,
  fallback,
  shown: `\`${fallback}\``,
  parse,
})

/** `shown` says what happens without it. */
export const optional = <T>(parse: Parse<T>, shown: string, description: string): Setting<T | undefined> => ({
  description,
  fallback: undefined,
  shown,
  parse,
})

function must(rule: string): never {
  throw new Error(`must be ${rule}`)
}

export const text: Parse<string> = (value) => value

export const matching =
  (pattern: RegExp, rule: string): Parse<string> =>
  (value) =>
    pattern.test(value) ? value : must(rule)

export const e164: Parse<string> = matching(/^\+[1-9]\d{6,14}$/, 'a phone number such as +12125550100')

export const truth: Parse<boolean> = (value) =>
  /^(true|false)$/.test(value) ? value === 'true' : must('true or false')

export const integer =
  (from: number, to: number): Parse<number> =>
  (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    return number >= from && number <= to ? number : must(`a whole number from ${from} to ${to}`)
  }

export const number =
  (from: number, to: number): Parse<number> =>
  (value) => {
    const read = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
    return read >= from && read <= to ? read : must(`a number from ${from} to ${to}`)
  }

export const oneOf =
  <const T extends readonly string[]>(...words: T): Parse<T[number]> =>
  (value) =>
    words.includes(value) ? value : must(`one of ${words.join(', ')}`)

/** An instant without an offset would mean another moment on every machine. */
export const instant: Parse<Date> = (value) => {
  const read = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(value) ? new Date(value) : undefined
  return read && !Number.isNaN(read.getTime()) ? read : must('an ISO instant such as 2026-03-02T14:00:00Z')
}

/** A web address without a slash at its end, to be continued with a path. */
export const baseUrl: Parse<string> = (value) => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username)
    return must('an address such as https://calls.example.com')
  return url.href.replace(/\/+$/, '')
}

export const postgresUrl: Parse<string> = (value) =>
  URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol)
    ? value
    : must('an address like postgres://user:password@host:5432/database (special characters in the password as %40 …)')

export const smtpUrl: Parse<string> = (value) =>
  URL.canParse(value) && /^smtps?:$/.test(new URL(value).protocol) && new URL(value).hostname !== ''
    ? value
    : must('an address like smtps://user:password@host:465 (special characters in the password as %40 …)')

export const emailAddress: Parse<string> = matching(
  /^[^\s@<>",;:]+@[^\s@<>",;:]+\.[a-z]{2,}$/i,
  'an e-mail address such as cases@example.com',
)

export const secret =
  (shortest: number): Parse<string> =>
  (value) =>
    value.length >= shortest && value.length <= 255 && /^[\x21-\x7e]+$/.test(value)
      ? value
      : must(`${shortest} to 255 letters, digits and signs without blanks`)
