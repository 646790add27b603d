import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Of, Toolkit } from './cli-toolkit.ts'
import { checkChain, type Link } from './compliance/permission-chain.ts'
import { selectHistory } from './compliance/permission-history.ts'
import { historyPage, historyText } from './compliance/permission-page.ts'
import { readAddress } from './compliance/suppression-list.ts'

/** `consent …` */
export function addConsentCommands(program: Command, { inCompany, withCompany, withJson, positiveId, print }: Toolkit) {
  const consent = program.command('consent').description('The record of consents and opt-outs')

  withCompany(withJson(consent.command('check').description('Check that no consent or opt-out was changed since')))
    .option('--noted <position:hash>', 'a link that an earlier check or page named', link)
    .action(async ({ noted, json, ...of }: Of & { noted?: Link }) => {
      const checked = await inCompany(of, (scope) => checkChain(scope, noted))
      const { records, erased, head, broken } = checked
      if (broken) process.exitCode = 1
      const gone = erased > 0 ? ` ${erased} of them have given up address and evidence, by an erasure.` : ''
      print(json, checked, () =>
        broken
          ? `Broken at ${broken.permission_id ? `record ${broken.permission_id}` : `link ${broken.position}`}: ${broken.problem}. ${records} records before it are in order.`
          : `${records} records are in order.${gone} Note this: ${head.position}:${head.hash}`,
      )
    })

  interface ExportOptions extends Of {
    address?: string
    format: 'text' | 'html' | 'json'
  }
  withCompany(consent.command('export').description('Write all that is on record about a contact on one page'))
    .argument('[client]', 'id of the client', positiveId)
    .option('--address <address>', 'a number or e-mail address instead, also of somebody who was erased')
    .addOption(new Option('--format <format>', 'of the page').choices(['text', 'html', 'json']).default('text'))
    .action(async (client: number | undefined, { address: text, format, ...of }: ExportOptions) => {
      if ((client === undefined) === (text === undefined)) throw new Error('give either a client or --address')
      const address = text === undefined ? undefined : readAddress(text, 'all')
      if (text !== undefined && address === undefined) throw new Error(`not a number or e-mail address: ${text}`)
      const about = address === undefined ? { client_id: client! } : { address }
      const history = await inCompany(of, (scope) => selectHistory(scope, about, new Date()))
      const write = format === 'html' ? historyPage : historyText
      print(format === 'json', history, () => write(history))
    })
}

function link(text: string): Link {
  const [, position, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (!position || !hash) throw new InvalidArgumentError('It is not POSITION:HASH.')
  return { position: Number(position), hash }
}
