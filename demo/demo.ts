/**
 * `npm run demo [-- FILE.csv]`: a firm's export goes through the public interface of a service of its own, and a
 * campaign calls the people in it. Nobody is really called: the telephone network is the sandbox's.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { account, rowByRow } from './account.ts'
import { openApi } from './api.ts'
import { setUpCampaign } from './campaign.ts'
import { type Import, readPeople } from './import/people.ts'
import { readCsv } from './import/read-csv.ts'
import { canGoOn, forget, type Notebook, newMemory, openNotebook, recall } from './memory.ts'
import { report } from './report.ts'
import { saveCases } from './save-cases.ts'
import { saveContacts } from './save-contacts.ts'
import { bold, dim, openScreen, wrapped } from './screen.ts'
import { COMPANY, type Service, speedFor, startService, stopService } from './service.ts'
import { Trouble } from './trouble.ts'
import { watch } from './watch.ts'
import { plural } from './words.ts'

const EXAMPLE = fileURLToPath(new URL('../examples/firm-export.csv', import.meta.url))
const FOLDER = fileURLToPath(new URL('../data/demo', import.meta.url))

const HELP = `npm run demo                      the export of a made-up firm, examples/firm-export.csv
npm run demo -- contacts.csv      your own file: its first line names the columns

  --fresh           starts over where an interrupted demo would be gone on with
  --folder FOLDER   where the demo keeps its data; data/demo by default

Calls and text messages go to a simulated telephone network. Nothing leaves this computer.
`

const screen = openScreen()
let notebook: Notebook | undefined

async function demo(file: string, folder: string, fresh: boolean): Promise<void> {
  const begun = performance.now()
  const content = read(file)
  const book = readPeople(readCsv(content))
  if (book.people.length === 0) throw new Trouble(nobody(book, file))
  const speed = speedFor(book.people.length)
  screen.print('', bold(`${COMPANY} calls the people in ${path.basename(file)}`), ...dimmed(introduction(speed)), '')
  notebook = await openDemo(folder, content, speed, fresh)
  const service = await startService(notebook)
  screen.print(dim(`The service is ready, after ${seconds(begun)}, at ${service.url}`), '')
  const broken = service.ended.then((words) => {
    throw new Trouble(`the service has ended: ${words}`)
  })
  await Promise.race([work(service, notebook, book, file, folder), broken])
  notebook.memory.over = true
  notebook.save()
  await service.stop()
  screen.print('', ...dimmed(farewell(notebook, seconds(begun))))
}

function introduction(speed: number): string[] {
  return wrapped(
    `The file goes through the public interface of a service that is started for it, as the contacts of a made-up firm. Calls and texts go to a simulated telephone network: nobody is really called. Its clock runs ${speed.toLocaleString('en-US')} times as fast as the real one.`,
    96,
  )
}

/** The data of the demo that was interrupted, or of a new one. */
async function openDemo(folder: string, content: Uint8Array, speed: number, fresh: boolean): Promise<Notebook> {
  const last = recall(folder)
  if (last && !fresh && canGoOn(last, content)) {
    screen.print(dim('Going on with the demo that was interrupted; --fresh would start over.'))
    return openNotebook(folder, last)
  }
  if (last) {
    await stopService(last)
    forget(folder, last)
  }
  return openNotebook(folder, newMemory(content, speed))
}

async function work(service: Service, notebook: Notebook, book: Import, file: string, folder: string): Promise<void> {
  const { id, api_key, speed } = notebook.memory
  const api = openApi(service.url, api_key, id)
  const clientIds = await saveContacts(api, book)
  const caseIds = await saveCases(api, book, clientIds, notebook)
  const rows = path.join(folder, 'rows.txt')
  writeFileSync(rows, rowByRow(book))
  screen.print(bold(`Import of ${path.relative('', file)}`), '', ...account(book, path.relative('', rows)), '')
  if (caseIds.size === 0) throw new Trouble('the file names no case, and a campaign calls people about their cases')
  const setup = await setUpCampaign(api, caseIds, notebook)
  screen.print(bold(`Campaign “${setup.name}”: ${plural(setup.cases.size, 'case')} under way`), '')
  const stats = await watch(api, setup, speed, screen)
  await report(api, setup, stats, book, clientIds, screen)
}

function farewell({ memory, dataDir }: Notebook, took: string): string[] {
  return [
    `All of it took ${took}. To look around in what it left, at /docs and with the key ${memory.api_key}:`,
    `  DATA_DIR=${path.relative('', dataDir)} npm start`,
  ]
}

function readArguments() {
  const options = { fresh: { type: 'boolean' }, folder: { type: 'string' }, help: { type: 'boolean' } } as const
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options })
    if (positionals.length > 1) throw new Error('one file at a time, please')
    // npm changes to the folder of the package; the paths are meant from where it was called.
    const meant = (name: string) => path.resolve(process.env.INIT_CWD ?? '', name)
    const [file] = positionals
    return {
      ...values,
      file: file === undefined ? EXAMPLE : meant(file),
      folder: values.folder === undefined ? FOLDER : meant(values.folder),
      fresh: values.fresh ?? false,
    }
  } catch (error) {
    throw new Trouble(`${(error as Error).message.replace(/\. .*/s, '')}; --help tells what can be given`)
  }
}

function read(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Trouble(code === 'ENOENT' ? `there is no file ${file}` : `${file} can't be read: ${message}`)
  }
}

function nobody({ columns, rows, rejected }: Import, file: string): string {
  if (columns.length === 0) return `${file} is empty`
  if (rows === 0) return `${file} has no rows below the names of its columns`
  const names = columns.some(({ field }) => field === 'last_name' || field === 'full_name')
  if (!names)
    return `no column of ${file} holds names; its first line must name the columns, such as First Name, Last Name, Phone. It names: ${columns.map(({ header }) => header).join(', ')}`
  return `no row of ${file} can be used; line ${rejected[0]!.line}: ${rejected[0]!.reason}`
}

const dimmed = (lines: string[]) => lines.map(dim)
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`

/** Stops the service and keeps what is needed to go on. */
async function leave(): Promise<never> {
  screen.settle()
  screen.print('', 'Stopping …')
  if (notebook) await stopService(notebook.memory)
  screen.print('Stopped. The same command goes on from here.')
  process.exit(130)
}

let leaving = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (leaving) return
    leaving = true
    leave().catch(() => process.exit(1))
  })

try {
  const { file, folder, fresh, help } = readArguments()
  if (help) process.stdout.write(HELP)
  else await demo(file, folder, fresh)
  process.exit()
} catch (error) {
  // On the way out everything that is asked of the service fails.
  if (!leaving) {
    screen.settle()
    process.stderr.write(`\ndemo: ${error instanceof Trouble ? error.message : (error as Error).stack}\n`)
    if (notebook) await stopService(notebook.memory)
    process.exit(1)
  }
}
