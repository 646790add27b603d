import { Command, InvalidArgumentError } from 'commander'
import { addAgentCommands } from './cli-agents.ts'
import { addComplianceCommands } from './cli-compliance.ts'
import { addConsentCommands } from './cli-consents.ts'
import { addOfficeCommand } from './cli-office.ts'
import { selectCompanies, selectKeys } from './companies/queries.ts'
import { createCompany, createKey, setCampaignsEnabled, setKeyEnabled } from './companies/setup.ts'
import { COMMAND_LINE } from './core/actors.ts'
import { readConfig } from './core/config.ts'
import { type Database, openPool } from './core/db.ts'
import { notFound } from './core/errors.ts'
import type { Scope } from './core/operation.ts'
import { textTable } from './core/text-table.ts'
import { openDatabase } from './database/open.ts'

interface Options {
  name: string
  company?: number
  json?: boolean
}

const program = new Command('cli')
  .description('Looks after companies and API keys, whether the service runs or not')
  .addHelpText('after', '\nIt reads the same settings as the service: DATA_DIR, or DATABASE_URL.')
  .configureOutput({ outputError: (text, write) => write(oneLine(text.replace(/^error: /, ''))) })

const company = program.command('company').description('Firms that share this installation')
const campaigns = program.command('campaigns').description('All campaigns at once')
const key = program.command('key').description('API keys of a company')

withName(company.command('create').description('Create a company and its first API key')).action(
  async ({ name, json }: Options) => {
    const created = await inDatabase((db) => createCompany(db, COMMAND_LINE, name))
    print(json, created, () => `Company ${created.company_id} is created.\n${shownOnce(created.api_key)}`)
  },
)

withJson(company.command('list').description('List the companies')).action(async ({ json }: Options) => {
  const companies = await inDatabase(selectCompanies)
  print(json, companies, () => textTable(companies))
})

for (const [name, enabled, description] of [
  ['off', false, 'Begin no more calls and messages of campaigns, from now on'],
  ['on', true, 'Let campaigns go on'],
] as const) {
  const command = campaigns.command(name).description(description)
  withJson(command.option('--company <id>', 'company_id; all companies when left out', positiveId)).action(
    async ({ company, json }: Options) => {
      const companies = await inDatabase((db) => setCampaignsEnabled(db, COMMAND_LINE, enabled, company))
      print(json, companies, () => textTable(companies))
    },
  )
}

withCompany(withName(key.command('create').description('Create an API key'))).action(
  async ({ name, json, ...of }: Options) => {
    const created = await inCompany(of, (scope) => createKey(scope, COMMAND_LINE, name))
    print(json, created, () => `Key ${created.key_id} is created.\n${shownOnce(created.api_key)}`)
  },
)

withCompany(withJson(key.command('list').description('List the API keys'))).action(async ({ json, ...of }: Options) => {
  const keys = await inCompany(of, selectKeys)
  print(json, keys, () => textTable(keys))
})

for (const [name, enabled, description] of [
  ['disable', false, 'Refuse an API key from now on'],
  ['enable', true, 'Accept a disabled API key again'],
] as const) {
  const command = key.command(name).description(description).argument('<id>', 'key_id from the list', positiveId)
  withCompany(withJson(command)).action(async (id: number, { json, ...of }: Options) => {
    const changed = await inCompany(of, (scope) => setKeyEnabled(scope, COMMAND_LINE, id, enabled))
    print(json, changed, () => `Key ${id} (${changed.name}) is ${name}d.`)
  })
}

addAgentCommands(program, { inCompany, withCompany, withJson, positiveId, print })
addOfficeCommand(company, { inCompany, withCompany, withJson, positiveId, print })
addComplianceCommands(program, { inCompany, withCompany, withJson, positiveId, print })
addConsentCommands(program, { inCompany, withCompany, withJson, positiveId, print })

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(oneLine((error as Error).message))
  process.exitCode = 1
}

function withJson(command: Command): Command {
  return command.option('--json', 'answer JSON')
}

function withName(command: Command): Command {
  return withJson(command.requiredOption('--name <name>', 'name, for people', nameText))
}

function withCompany(command: Command): Command {
  return command.option('--company <id>', 'company_id; the first company when left out', positiveId)
}

function nameText(text: string): string {
  if (text.trim() === '' || text.length > 255) throw new InvalidArgumentError('It must have 1 to 255 characters.')
  return text
}

function positiveId(text: string): number {
  const id = Number(text)
  if (!/^\d+$/.test(text) || id < 1 || !Number.isSafeInteger(id)) throw new InvalidArgumentError('It is not an id.')
  return id
}

/** Runs `work` in a transaction: in the database of the service that runs, or in one started for the moment. */
async function inDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  await using stack = new AsyncDisposableStack()
  const database = await openDatabase(readConfig(), { info: () => {} }, true)
  stack.defer(database.stop)
  const pool = openPool({ connectionString: database.url, max: 1 })
  stack.defer(pool.end)
  return await pool.transaction(work)
}

function inCompany<T>({ company }: Pick<Options, 'company'>, work: (scope: Scope) => Promise<T>): Promise<T> {
  return inDatabase(async (db) => {
    const companies = await selectCompanies(db)
    const chosen = company ? companies.find(({ company_id }) => company_id === company) : companies[0]
    if (!chosen && !company) throw new Error('there is no company yet; create one by: company create --name N')
    return await work({ db, companyId: chosen?.company_id ?? notFound('company', company!), actor: COMMAND_LINE.actor })
  })
}

function print(json: boolean | undefined, value: unknown, text: () => string): void {
  process.stdout.write(`${json ? JSON.stringify(value) : text()}\n`)
}

function shownOnce(apiKey: string): string {
  return `Its API key, shown only this once: ${apiKey}`
}

function oneLine(text: string): string {
  return `docketcall: ${text.trim().replaceAll(/\s*\n\s*/g, ' ')}\n`
}
