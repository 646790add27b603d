import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { reanalyse } from './calls/reanalyse.ts'
import type { Of, Toolkit } from './cli-toolkit.ts'
import { readConfig } from './core/config.ts'
import { languageModel } from './providers/language-model.ts'
import type { CallOutcome } from './voice-agents/analysis.ts'
import { spokenAppointment } from './voice-agents/appointment.ts'
import { hold } from './voice-agents/conversation.ts'
import { type Mind, mindOf } from './voice-agents/mind.ts'
import { rehearsalBrief, rehearsalLine } from './voice-agents/rehearsal.ts'
import { rehearse, type Verdict } from './voice-agents/rehearsal-suite.ts'

/** `agent …` and `call …` */
export function addAgentCommands(program: Command, { inCompany, withCompany, withJson, positiveId, print }: Toolkit) {
  const agent = program.command('agent').description('Voice agents')
  withCompany(withJson(agent.command('rehearse').description('Talk with an agent in the terminal, as a contact would')))
    .argument('<agent_id>', 'such as agent_01jnh3wq8z4v6x0y2b5c7d9e1f')
    .option('--suite', 'instead, run it against written personas; fails unless every expectation is met')
    .action(async (agentId: string, { suite, json, ...of }: Of & { suite?: boolean }) => {
      const brief = await inCompany(of, (scope) => rehearsalBrief(scope, agentId))
      const model = await languageModel(readConfig())
      if (!suite) return await talk(brief, mindOf(model, toStderr))
      const verdicts: Verdict[] = []
      const passed = await rehearse(
        brief,
        (log) => mindOf(model, log),
        (verdict) => {
          verdicts.push(verdict)
          if (!json) process.stdout.write(lineOf(verdict))
        },
      )
      print(
        json,
        { passed, verdicts },
        () => `${verdicts.filter((each) => each.passed).length} of ${verdicts.length} expectations are met.`,
      )
      if (!passed) process.exitCode = 1
    })

  const call = program.command('call').description('Calls that were made')
  withCompany(
    withJson(call.command('analyse').description('Read the transcript of a call again: summary, sentiment, fields')),
  )
    .argument('<call_id>', 'id of a call that has ended', positiveId)
    .action(async (id: number, { json, ...of }: Of) => {
      const mind = mindOf(await languageModel(readConfig()), toStderr)
      const reading = await reanalyse((work) => inCompany(of, work), id, mind)
      const { summary, sentiment_score, extracted_fields, evidence } = reading
      const read = { call_id: id, summary, sentiment_score, extracted_fields, evidence }
      print(json, read, () => readingText(reading))
    })
}

const toStderr = { warn: (what: unknown) => void process.stderr.write(`${reasonOf(what)}\n`) }

const reasonOf = (what: unknown) => String((what as { err?: Error }).err?.message ?? what)

const lineOf = ({ persona, expectation, passed, said = [], failures = [] }: Verdict) =>
  [
    `${passed ? 'pass' : 'FAIL'}  ${persona}: ${expectation}`,
    ...said.map((words) => `        “${words}”`),
    ...failures.map((failure) => `        ${failure}`),
    '',
  ].join('\n')

async function talk(brief: Awaited<ReturnType<typeof rehearsalBrief>>, mind: Mind): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  process.stdout.write('You are Maria Lopez, and your phone rings. An empty line hangs up.\n\n')
  const lines = terminal[Symbol.asyncIterator]()
  const line = rehearsalLine(
    async () => {
      process.stdout.write('> ')
      const { value, done } = await lines.next()
      return done || value.trim() === '' ? null : { type: 'said', text: value.trim() }
    },
    (token) => process.stdout.write(token),
  )
  const held = await hold(line, brief, mind.brainFor)
  terminal.close()
  const { result, end_reason, summary, extracted_fields, follow_ups, appointment_at } = await mind.analyse(held, brief)
  process.stdout.write(`\n${end_reason} (${result}). ${summary}\n${JSON.stringify(extracted_fields)}\n`)
  if (appointment_at) process.stdout.write(`Appointment: ${spokenAppointment(appointment_at, brief.zones[0]!)}\n`)
  for (const title of follow_ups) process.stdout.write(`Task: ${title}\n`)
}

/** A reading with the words that it rests on. */
function readingText({ summary, sentiment_score, extracted_fields, evidence, transcript }: CallOutcome): string {
  const words = (turns: readonly number[] = []) => turns.map((turn) => `        “${transcript[turn]!.text}”\n`).join('')
  const fields = Object.entries(extracted_fields).map(
    ([name, value]) => `${name}: ${value === null ? 'not answered' : String(value)}\n${words(evidence.fields[name])}`,
  )
  const mood = sentiment_score === null ? '' : `sentiment: ${sentiment_score} of 1\n`
  return `${summary}\n${words(evidence.summary)}${mood}${fields.join('')}`.trimEnd()
}
