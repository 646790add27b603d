import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Of, Toolkit } from './cli-toolkit.ts'
import { addRule, endRuleChange, type RuleChange, waiveRule } from './compliance/change-rules.ts'
import { companyRules } from './compliance/company-rules.ts'
import { shipped } from './compliance/law.ts'
import { insertList, LIST_KINDS, type ListKind, listWarnings, selectLists } from './compliance/lists.ts'
import { dayOf } from './compliance/local-time.ts'
import { selectOverrides } from './compliance/overrides.ts'
import { PERMISSION_CHANNELS, type PermissionChannel } from './compliance/permissions.ts'
import { PURPOSES } from './compliance/rule-schema.ts'
import { exportSuppressions, importSuppressions } from './compliance/suppression-file.ts'
import { COMMAND_LINE } from './core/actors.ts'
import type { Change } from './core/change.ts'
import type { Scope } from './core/operation.ts'
import { textTable } from './core/text-table.ts'
import { recordChanges } from './webhooks/record-changes.ts'

/** `suppression …` and `rule …` */
export function addComplianceCommands(
  program: Command,
  { inCompany, withCompany, withJson, positiveId, print }: Toolkit,
) {
  const suppression = program.command('suppression').description('Numbers and addresses that nobody may contact')
  const rule = program.command('rule').description('The legal rules of a company')
  const channel = () => new Option('--channel <channel>', 'what it stands for').choices(PERMISSION_CHANNELS)
  const command = (of: Command) => withCompany(withJson(of))

  interface ImportOptions extends Of {
    channel: PermissionChannel
    purpose: string
    list: ListKind
    asOf?: string
  }
  command(suppression.command('import').description('Suppress every number and address of a CSV file or plain list'))
    .argument('<file>', 'with a column address, phone, mobile or email, or with one address a line')
    .addOption(channel().makeOptionMandatory())
    .addOption(new Option('--purpose <purpose>', 'for what').choices([...PURPOSES, 'all']).default('all'))
    .addOption(new Option('--list <kind>', 'whose list it is').choices(LIST_KINDS).default('internal'))
    .option('--as-of <date>', 'the day of the list; needed for one of others', day)
    .action(async (file: string, { channel, purpose, list: kind, asOf, ...of }: ImportOptions) => {
      if (!asOf && kind !== 'internal') throw new Error('give --as-of: the day of which the list is')
      const as_of = asOf ?? today()
      const text = await readFile(file, 'utf8')
      const { added, known, unreadable } = await inCompany(of, async (scope) => {
        const given = { channel, purpose, origin: 'import', evidence: { file: basename(file), list: kind, as_of } }
        const { changes, ...imported } = await importSuppressions(scope, text, given)
        const { added, known } = imported
        await insertList(scope, { kind, as_of, file: basename(file), channel, purpose, addresses: added + known })
        const to = { file: basename(file), list: kind, as_of, channel, purpose, addresses: added }
        await record(scope, [
          {
            activity: 'suppression_recorded',
            record_type: 'company',
            record_id: scope.companyId,
            changes: { suppression: { from: null, to } },
          },
          ...changes,
        ])
        return imported
      })
      const unread = unreadable.length > 0 ? ` Not readable: line ${unreadable.join(', ')}.` : ''
      print(of.json, { added, known, unreadable }, () => `${added} suppressed, ${known} were before.${unread}`)
    })

  command(
    suppression.command('lists').description('The lists that were imported, how old they are, and what is missing'),
  ).action(async (of: Of) => {
    const lists = await inCompany(of, selectLists)
    const warnings = listWarnings(lists, new Date())
    print(of.json, { lists, warnings }, () =>
      [textTable(lists), ...warnings.map((each) => `Warning: ${each}.`)].join('\n'),
    )
  })

  withCompany(suppression.command('export').description('Write the list as CSV to the standard output'))
    .addOption(channel())
    .action(async ({ channel, ...of }: Of & { channel?: PermissionChannel }) => {
      await inCompany(of, async (scope) => {
        for await (const piece of exportSuppressions(scope, channel)) process.stdout.write(piece)
      })
    })

  command(rule.command('list').description('The rules that bind a company, with their sources, and its waivers'))
    .option('--jurisdiction <code>', 'such as US-FL')
    .action(async ({ jurisdiction, ...of }: Of & { jurisdiction?: string }) => {
      const overrides = await inCompany(of, selectOverrides)
      const rules = [...shipped, ...companyRules([], overrides)].filter(
        (each) => jurisdiction === undefined || each.jurisdiction === jurisdiction,
      )
      const waivers = overrides.filter(({ kind }) => kind === 'waiver')
      print(of.json, { rules, waivers }, () => {
        const shown = rules.map(({ id, version, jurisdiction, channels, source }) => {
          const waived = waivers.filter(({ rule_id }) => rule_id === id).map((each) => `${each.id} by ${each.person}`)
          return {
            rule: `${id}@${version}`,
            jurisdiction,
            channels: channels.join(),
            waived: waived.join(', '),
            source,
          }
        })
        return textTable(shown)
      })
    })

  command(rule.command('add').description('Add a stricter rule of the firm'))
    .argument('<file>', 'JSON: hours or attempts, in the shape of rule list --json')
    .action(async (file: string, of: Of) => {
      const given: unknown = JSON.parse(await readFile(file, 'utf8'))
      const id = await change(of, (scope) => addRule(scope, given, new Date()))
      print(of.json, { id }, () => `Rule company-rule-${id} binds from now on.`)
    })

  interface WaiveOptions extends Of {
    person: string
    reason: string
    purposes?: string[]
    from?: string
    to?: string
  }
  command(rule.command('waive').description('Leave a shipped rule out, on the word of a named person'))
    .argument('<rule>', 'its id, from the list')
    .requiredOption('--person <name>', 'who answers for it')
    .requiredOption('--reason <text>', 'why')
    .option('--purposes <purposes...>', 'only for these')
    .option('--from <date>', 'first day; today when left out')
    .option('--to <date>', 'last day')
    .action(async (rule_id: string, { from, to, person, reason, purposes, ...of }: WaiveOptions) => {
      const waiver = { rule_id, person, reason, purposes, effective_from: from, effective_to: to }
      const id = await change(of, (scope) => waiveRule(scope, waiver, new Date()))
      print(of.json, { id }, () => `Rule ${rule_id} is waived; change ${id}.`)
    })

  command(rule.command('end').description('Take back an added rule or a waiver'))
    .argument('<id>', 'of the change', positiveId)
    .option('--person <name>', 'who answers for it; needed to end a rule of the firm')
    .option('--reason <text>', 'why; needed to end a rule of the firm')
    .action(async (id: number, { person, reason, ...of }: Of & { person?: string; reason?: string }) => {
      await change(of, (scope) => endRuleChange(scope, id, { person, reason }))
      print(of.json, { id }, () => `Change ${id} is ended.`)
    })

  function change(of: Of, work: (scope: Scope) => Promise<RuleChange>): Promise<number> {
    return inCompany(of, async (scope) => {
      const { id, change } = await work(scope)
      await record(scope, [change])
      return id
    })
  }
}

const today = () => new Date().toISOString().slice(0, 10)

function day(text: string): string {
  if (dayOf(text) === null) throw new InvalidArgumentError('It is not a date (YYYY-MM-DD).')
  if (text > today()) throw new InvalidArgumentError('It lies ahead.')
  return text
}

async function record({ db, companyId }: Scope, changes: Change[]): Promise<void> {
  await db.run(recordChanges({ companyId, ...COMMAND_LINE }, changes))
}
