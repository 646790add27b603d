import path from 'node:path'
import type { Changed } from './campaigns/channels-changed.ts'
import type { NewCompany } from './companies/setup.ts'
import type { Config } from './core/config.ts'
import { VERSION } from './core/version.ts'
import type { Providers } from './providers/index.ts'

interface Start {
  config: Config
  url: string
  /** The first company, where this start created it. */
  first: NewCompany | undefined
  /** API_KEY is set and is no key of this installation. */
  foreignKey: boolean
  providers: Pick<Providers, 'voice' | 'sms' | 'email'>
  /** What was paused, because other people are reached than before. */
  changed?: Changed
}

/** What a person should know now. The only place where a key is shown. */
export function welcome({ config, url, first, foreignKey, providers, changed }: Start): string {
  const lines: [string, string][] = [['Base URL', url]]
  if (first)
    lines.push(['API key', config.API_KEY ? 'the one from API_KEY' : `${first.api_key}   (shown only this once)`])
  if (foreignKey)
    lines.push(['API key', 'API_KEY is not a key of this installation: it is read at the first start only'])
  if (config.ROLE !== 'engine') lines.push(['Reference', `${url}/docs`])
  if (config.ROLE !== 'api') lines.push(...outside(providers))
  if (changed)
    lines.push([
      'Paused',
      `${changed.campaigns === 1 ? '1 campaign' : `${changed.campaigns} campaigns`}: ${changed.reason}`,
    ])
  if (config.SANDBOX_CLOCK || config.SANDBOX_SPEED)
    lines.push(['Clock', `the sandbox's, ${config.SANDBOX_SPEED ?? 1} seconds in one`])
  lines.push(['Data', config.DATABASE_URL ? 'in the database of DATABASE_URL' : config.DATA_DIR])
  lines.push(['Log', path.join(config.DATA_DIR, 'docketcall.log')])
  const role = { all: '', api: ' (requests only)', engine: ' (engine only)' }[config.ROLE]
  const shown = lines.map(([name, value]) => `  ${name.padEnd(11)}${value}\n`).join('')
  return `\nDocketcall ${VERSION} is ready${role}\n\n${shown}\n`
}

/** What is played by the sandbox, and what reaches real people. */
function outside({ voice, sms, email }: Start['providers']): [string, string][] {
  const channels = [
    { what: 'calls', by: voice },
    { what: 'text messages', by: sms },
    { what: 'e-mail', by: email },
  ]
  const sandboxed = channels.filter(({ by }) => by.sandbox).map(({ what }) => what)
  const real = channels.filter(({ by }) => !by.sandbox).map(({ what, by }) => `${what} (${by.name})`)
  if (real.length === 0) return [['Sandboxed', `${list(sandboxed)}: nobody is really called or written to`]]
  const lines: [string, string][] = [['Real', `${list(real)}: real people are reached`]]
  if (sandboxed.length > 0) lines.push(['Sandboxed', `${list(sandboxed)}: nobody gets them`])
  return lines
}

const list = (words: string[]) => words.join(', ').replace(/, ([^,]*)$/, ' and $1')
