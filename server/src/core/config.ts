import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { distance } from 'fastest-levenshtein'
import { CARRIERS, missingForCalls } from './carrier.ts'
import {
  baseUrl,
  e164,
  emailAddress,
  instant,
  integer,
  matching,
  number,
  oneOf,
  optional,
  postgresUrl,
  type Setting,
  secret,
  setting,
  smtpUrl,
  text,
  truth,
} from './setting.ts'
import { StartError } from './start-error.ts'

/** Every setting of the service. The README's table and `npm start -- --help` are made of it. */
export const SETTINGS = {
  HOST: setting(text, '127.0.0.1', 'Address to listen at; `0.0.0.0` takes connections from other machines'),
  PORT: setting(integer(0, 65535), '8080', 'Port to listen at; 0 takes a free one'),
  DATA_DIR: setting(path.resolve, './data', 'Folder of the database and the log; everything to back up is in it'),
  DATABASE_URL: optional(
    postgresUrl,
    'the embedded PostgreSQL',
    'A PostgreSQL of your own (15 or newer), which any number of processes may share',
  ),
  PUBLIC_URL: optional(baseUrl, '`http://HOST:PORT`', 'Address at which others reach the service'),
  COMPANY_NAME: setting(text, 'My firm', 'Name of the first company; read at the first start'),
  API_KEY: optional(
    secret(24),
    'a random one',
    'Key of the first company, at least 24 characters; read at the first start',
  ),
  RATE_LIMIT_PER_HOUR: setting(integer(0, 1e9), '500', 'Requests per hour and API key; 0 switches the limit off'),
  ROLE: setting(
    oneOf('all', 'api', 'engine'),
    'all',
    '`api` answers requests only, `engine` calls and writes to people only, `all` does both',
  ),
  MAX_CONCURRENT_CALLS: setting(integer(1, 1e6), '20', 'Calls in flight at once, all processes together'),
  VOICE_PROVIDER: optional(
    oneOf('sandbox', ...CARRIERS),
    'the one whose settings are there',
    'Who calls: `sandbox`, `twilio`, `telnyx`, `vapi` or `retell`; only where several could, or none should',
  ),
  TWILIO_ACCOUNT_SID: optional(
    matching(/^AC[0-9a-f]{32}$/, 'an account SID: AC and 32 hexadecimal digits'),
    'the sandbox',
    'Account that really calls; needs TWILIO_AUTH_TOKEN, TWILIO_FROM and an https PUBLIC_URL',
  ),
  TWILIO_AUTH_TOKEN: optional(secret(16), 'none', 'Secret of the account; also proves that callbacks are its own'),
  TWILIO_FROM: optional(e164, 'none', 'Number that calls come from where the agent names none, such as `+12125550100`'),
  TWILIO_MESSAGING_SERVICE_SID: optional(
    matching(/^MG[0-9a-f]{32}$/, 'a messaging service SID: MG and 32 hexadecimal digits'),
    'TWILIO_FROM',
    'Messaging service that texts go out by; it chooses the number',
  ),
  TWILIO_API_BASE: setting(
    baseUrl,
    'https://api.twilio.com',
    'Address of the interface; another one for a region, or for a carrier or an emulator that speaks the same',
  ),
  TWILIO_CALLS_PER_SECOND: setting(
    integer(1, 1000),
    '1',
    'Calls placed in a second at the most, as the account allows',
  ),
  TELNYX_API_KEY: optional(
    secret(16),
    'none',
    'Key of an account at Telnyx that really calls; needs the next four and an https PUBLIC_URL',
  ),
  TELNYX_PUBLIC_KEY: optional(
    matching(/^[A-Za-z0-9+/]{43}=$/, 'the public key of the account: 32 bytes in base64'),
    'none',
    'Public key of the account; proves that callbacks are its own',
  ),
  TELNYX_ACCOUNT_SID: optional(
    matching(/^[\w-]{8,64}$/, 'the id of the account'),
    'none',
    'Id of the account, as its TeXML callbacks name it (`AccountSid`)',
  ),
  TELNYX_APPLICATION_ID: optional(
    matching(/^[\w-]{4,64}$/, 'the id of a TeXML application'),
    'none',
    'TeXML application that calls are made with',
  ),
  TELNYX_FROM: optional(e164, 'none', 'Number that calls come from where the agent names none'),
  TELNYX_API_BASE: setting(baseUrl, 'https://api.telnyx.com', 'Address of the interface'),
  TELNYX_CALLS_PER_SECOND: setting(
    integer(1, 1000),
    '1',
    'Calls placed in a second at the most, as the account allows',
  ),
  RECORD_CALLS: setting(
    truth,
    'false',
    '`true` has the carrier record conversations, once the contact has been told so',
  ),
  VAPI_API_KEY: optional(
    secret(16),
    'none',
    'Private key of an account at Vapi, whose own agents then call; needs VAPI_PHONE_NUMBER_ID and an https PUBLIC_URL',
  ),
  VAPI_PHONE_NUMBER_ID: optional(
    matching(/^[\w-]{8,64}$/, 'the id of a phone number at Vapi, not the number'),
    'none',
    'Id of the number that calls come from where the agent names none',
  ),
  VAPI_ASSISTANT_ID: optional(
    matching(/^[\w-]{8,64}$/, 'the id of an assistant at Vapi'),
    "one of Vapi's common models and voices",
    'Assistant at Vapi that lends its model, voice and ears; what it says and may do comes from the agent here',
  ),
  VAPI_API_BASE: setting(baseUrl, 'https://api.vapi.ai', 'Address of the interface; another one for a region'),
  VAPI_CALLS_PER_SECOND: setting(integer(1, 1000), '1', 'Calls placed in a second at the most'),
  RETELL_API_KEY: optional(
    secret(16),
    'none',
    'Key of an account at Retell, whose own agents then call; also proves that callbacks are its own; needs RETELL_FROM, RETELL_AGENT_ID and an https PUBLIC_URL',
  ),
  RETELL_FROM: optional(e164, 'none', 'Number that calls come from where the agent names none'),
  RETELL_AGENT_ID: optional(
    matching(/^[\w-]{4,64}$/, 'the id of an agent at Retell'),
    'none',
    'Agent at Retell that lends its model and voice; its prompt must have `{{docketcall_instructions}}` in it',
  ),
  RETELL_API_BASE: setting(baseUrl, 'https://api.retellai.com', 'Address of the interface'),
  RETELL_CALLS_PER_SECOND: setting(integer(1, 1000), '1', 'Calls placed in a second at the most'),
  SMTP_URL: optional(
    smtpUrl,
    'the sandbox',
    'Server that really sends e-mail, such as `smtps://user:password@mail.example.com`; needs SMTP_FROM and an https PUBLIC_URL',
  ),
  SMTP_FROM: optional(
    emailAddress,
    'none',
    'Address that e-mail comes from; somebody must read what is answered, requests to unsubscribe included',
  ),
  LANGUAGE_MODEL: setting(
    oneOf('none', 'openai-compatible', 'anthropic'),
    'none',
    'What the agents think with: `openai-compatible` (any such server, a local one too), `anthropic`, or `none`: a script',
  ),
  LANGUAGE_MODEL_NAME: optional(text, 'none', 'Name of the model, as its server knows it'),
  LANGUAGE_MODEL_BASE_URL: optional(
    baseUrl,
    "Anthropic's own",
    'Address of the model, up to and with `/v1`; needed for `openai-compatible`',
  ),
  LANGUAGE_MODEL_API_KEY: optional(secret(1), 'none', 'Key of the model; a local server may need none'),
  ALLOW_PRIVATE_WEBHOOKS: setting(
    truth,
    'false',
    'For development: `true` lets webhooks go to private addresses, and by http',
  ),
  WEBHOOK_LOG_DAYS: setting(
    integer(4, 3650),
    '90',
    'Days for which events and the attempts to deliver them are kept; retries go on for almost four',
  ),
  LOG_LEVEL: setting(
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
    'Least weight of a line in the log: `trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`',
  ),
  SANDBOX_CLOCK: optional(
    instant,
    'the real clock',
    'Instant at which the clock of the engine starts, such as `2026-03-02T14:00:00Z`; only while everything is sandboxed',
  ),
  SANDBOX_SPEED: optional(
    number(0.001, 100_000),
    '`1`',
    'Seconds that pass for the engine in a real one; only while everything is sandboxed',
  ),
}

type Settings = typeof SETTINGS
export type Config = { readonly [Name in keyof Settings]: ReturnType<Settings[Name]['parse']> }

const NAMES = Object.keys(SETTINGS)

/**
 * Reads the settings from the environment and, where it has none, from `.env` in the working folder. A variable that is
 * set to nothing counts as not set.
 *
 * @throws {StartError} one line that names everything wrong
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env, folder: string = process.cwd()): Config {
  const file = readFile(path.join(folder, '.env'))
  const problems = [...file.problems, ...misspelt(environment)]
  const config: Record<string, unknown> = {}
  for (const [name, { fallback, parse }] of Object.entries(SETTINGS)) {
    const given = environment[name] || file.values[name] || fallback
    try {
      config[name] = given && parse(given)
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`)
    }
  }
  if (problems.length === 0) problems.push(...missing(config as Config))
  if (problems.length > 0) throw new StartError(problems.join('; '))
  return config as Config
}

/** What a setting needs beside itself. */
function missing(config: Config): string[] {
  const needs = (because: string, names: (keyof Config)[]) =>
    names.filter((name) => config[name] === undefined).map((name) => `${because} needs ${name}`)
  const problems = missingForCalls(config)
  if (config.TWILIO_MESSAGING_SERVICE_SID)
    problems.push(...needs('TWILIO_MESSAGING_SERVICE_SID', ['TWILIO_ACCOUNT_SID']))
  if (config.SMTP_FROM) problems.push(...needs('SMTP_FROM', ['SMTP_URL']))
  if (config.SMTP_URL) {
    problems.push(...needs('SMTP_URL', ['SMTP_FROM', 'PUBLIC_URL']))
    // Mail programs unsubscribe people by https only (RFC 8058); a server on this machine is there to look at mail.
    const here = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(config.SMTP_URL).hostname)
    if (!here && config.PUBLIC_URL?.startsWith('http:'))
      problems.push('SMTP_URL needs a PUBLIC_URL that begins with https://')
  }
  if (config.LANGUAGE_MODEL !== 'none') problems.push(...needs('LANGUAGE_MODEL', ['LANGUAGE_MODEL_NAME']))
  if (config.LANGUAGE_MODEL === 'openai-compatible')
    problems.push(...needs('LANGUAGE_MODEL=openai-compatible', ['LANGUAGE_MODEL_BASE_URL']))
  if (config.LANGUAGE_MODEL === 'anthropic')
    problems.push(...needs('LANGUAGE_MODEL=anthropic', ['LANGUAGE_MODEL_API_KEY']))
  return problems
}

/** In our own file every line must be a setting of ours. */
function readFile(file: string): { values: Record<string, string | undefined>; problems: string[] } {
  let content: string
  try {
    content = readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { values: {}, problems: code === 'ENOENT' ? [] : [`.env cannot be read: ${message}`] }
  }
  // The parser would pass over what it does not understand.
  const problems = content
    .split('\n')
    .flatMap((line, index) =>
      /^\s*(#.*|(export\s+)?[\w.-]+\s*=.*)?$/.test(line)
        ? []
        : `.env, line ${index + 1}, is not of the form NAME=value`,
    )
  const values = parseEnv(content)
  for (const name of Object.keys(values)) {
    const near = nearest(name, 3)
    if (!NAMES.includes(name))
      problems.push(`.env: there is no setting ${name}${near ? `; did you mean ${near}?` : ''}`)
  }
  return { values, problems }
}

/** Prefixes that nobody else uses, so that any other name which begins with one is meant for us. */
const FAMILIES = ['SANDBOX_', 'RATE_LIMIT_', 'MAX_CONCURRENT_']

/** The environment is full of other programs' variables: only what can hardly be meant for another one is refused. */
function misspelt(environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(environment)
    .filter((name) => !NAMES.includes(name))
    .flatMap((name) => {
      // HOME, POST and APP_KEY are not misspelt: short names must match but for case and underscores.
      const near = nearest(name, name.length < 9 ? 0 : name.length < 12 ? 1 : 2)
      if (near) return `there is no setting ${name}; did you mean ${near}?`
      const family = FAMILIES.find((prefix) => name.startsWith(prefix))
      const members = family && NAMES.filter((known) => known.startsWith(family)).join(' or ')
      return members ? `there is no setting ${name}; did you mean ${members}?` : []
    })
}

function nearest(name: string, off: number): string | undefined {
  const plain = (text: string) => text.toUpperCase().replaceAll('_', '')
  const ranked = NAMES.map((known) => ({ known, off: distance(plain(known), plain(name)) }))
  const best = ranked.sort((a, b) => a.off - b.off)[0]!
  return best.off <= off ? best.known : undefined
}

/** Where others reach the service; `port` is the one really listened at. */
export function publicUrl({ PUBLIC_URL, HOST }: Config, port: number): string {
  if (PUBLIC_URL) return PUBLIC_URL
  // A browser can't go to "every interface".
  const host = ['0.0.0.0', '::'].includes(HOST) ? 'localhost' : HOST.includes(':') ? `[${HOST}]` : HOST
  return `http://${host}:${port}`
}

/** The settings as a Markdown table, as it stands in the README. */
export function settingsTable(): string {
  const rows = Object.entries<Setting<unknown>>(SETTINGS).map(
    ([name, { shown, description }]) => `| \`${name}\` | ${shown} | ${description} |`,
  )
  return ['| Setting | Default | |', '|---|---|---|', ...rows].join('\n')
}
