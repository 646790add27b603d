import path from 'node:path'
import type { NewCompany } from './companies/setup.ts'
import type { Config } from './core/config.ts'
import { VERSION } from './core/version.ts'

interface Start {
  config: Config
  url: string
  /** The first company, where this start created it. */
  first: NewCompany | undefined
  /** API_KEY is set and is no key of this installation. */
  foreignKey: boolean
  sandboxed: boolean
}

/** What a person should know now. The only place where a key is shown. */
export function welcome({ config, url, first, foreignKey, sandboxed }: Start): string {
  const lines: [string, string][] = [['Base URL', url]]
  if (first)
    lines.push(['API key', config.API_KEY ? 'the one from API_KEY' : `${first.api_key}   (shown only this once)`])
  if (foreignKey)
    lines.push(['API key', 'API_KEY is not a key of this installation: it is read at the first start only'])
  if (config.ROLE !== 'engine') lines.push(['Reference', `${url}/docs`])
  if (config.ROLE !== 'api' && sandboxed)
    lines.push(['Sandboxed', 'calls, text messages and e-mail: nobody is really called or written to'])
  if (config.SANDBOX_CLOCK || config.SANDBOX_SPEED)
    lines.push(['Clock', `the sandbox's, ${config.SANDBOX_SPEED ?? 1} seconds in one`])
  lines.push(['Data', config.DATABASE_URL ? 'in the database of DATABASE_URL' : config.DATA_DIR])
  lines.push(['Log', path.join(config.DATA_DIR, 'docketcall.log')])
  const role = { all: '', api: ' (requests only)', engine: ' (engine only)' }[config.ROLE]
  const list = lines.map(([name, value]) => `  ${name.padEnd(11)}${value}\n`).join('')
  return `\nDocketcall ${VERSION} is ready${role}\n\n${list}\n`
}
