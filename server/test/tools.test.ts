/** What holds for every tool, by the official clients of both eras. */

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { checker } from '../src/core/validate.ts'
import { tools } from '../src/tools.ts'
import { startApi } from './support/api.ts'
import { goodArguments, type Schema, subjectOf, wrongValue } from './support/tool-arguments.ts'
import { type ToolWorld, toolWorld } from './support/tool-world.ts'

const api = await startApi()
const url = new URL('/v1/mcp', await api.app.listen({ host: '127.0.0.1', port: 0 }))
const INFO = { name: 'test', version: '1' }

interface Answer {
  isError?: boolean
  structuredContent?: Record<string, unknown>
  content: { type: string; text: string }[]
}

interface Connected {
  listTools(): Promise<{ tools: { name: string; outputSchema?: unknown }[] }>
  call(name: string, args: Record<string, unknown>): Promise<Answer>
  close(): Promise<void>
}

async function connectOld(key: string): Promise<Connected> {
  const client = new OldClient(INFO)
  await client.connect(new OldTransport(url, { requestInit: { headers: { Authorization: `Bearer ${key}` } } }))
  return {
    listTools: () => client.listTools(),
    call: (name, args) => client.callTool({ name, arguments: args }) as Promise<Answer>,
    close: () => client.close(),
  }
}

async function connectNew(key: string): Promise<Connected> {
  const client = new NewClient(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(new NewTransport(url, { requestInit: { headers: { Authorization: `Bearer ${key}` } } }))
  return {
    listTools: () => client.listTools(),
    call: (name, args) => client.callTool({ name, arguments: args }) as Promise<Answer>,
    close: () => client.close(),
  }
}

/** Ids that don't exist there are none's to miss: what is taken away, and what the log may still tell of. */
const IGNORED = new Set([
  'attach_to_case_list.exclude_ids',
  'detach_from_case_list.include_ids',
  'detach_from_case_list.exclude_ids',
  'list_audit_logs.case_id',
  'list_audit_logs.client_id',
])

const stranger = toolWorld(api, await api.company('Strangers'))

for (const [which, connect] of [
  ['the old client, by handshake', connectOld],
  ['the new client, on 2026-07-28', connectNew],
] as const) {
  describe(which, () => {
    let client: Connected
    let world: ToolWorld

    before(async () => {
      const firm = await api.company()
      client = await connect(firm.key)
      world = toolWorld(api, firm)
      api.closing.push(() => client.close())
    })

    /** The error that a call is answered with. */
    async function refused(name: string, args: Record<string, unknown>) {
      const { isError, content } = await client.call(name, args)
      assert.equal(isError, true, `${name} ${JSON.stringify(args)}: ${content[0]!.text}`)
      const error = JSON.parse(content[0]!.text)
      assert.deepEqual(Object.keys(error), ['error', 'message', 'details'])
      assert.ok(error.message.length > 10)
      return error as { error: string; message: string; details: { field: string; message: string }[] }
    }

    test('lists every tool', async () => {
      const listed = await client.listTools()
      assert.deepEqual(
        listed.tools.map(({ name }) => name),
        tools.map(({ name }) => name),
      )
    })

    for (const tool of tools) {
      const { name } = tool
      const { properties = {}, required = [] } = tool.input as Schema
      const taken = Object.entries(properties).filter(([, schema]) => !schema.readOnly)

      test(`${name}: good calls answer and fit the output schema`, async () => {
        for (const all of [true, false, true]) {
          const args = await goodArguments(tool, world, all)
          // The client itself holds the answer against the schema in the catalogue, which says less.
          const { isError, structuredContent, content } = await client.call(name, args)
          assert.ok(!isError, `${JSON.stringify(args)}: ${content[0]!.text}`)
          assert.deepEqual(JSON.parse(content[0]!.text), structuredContent)
          assert.deepEqual(checker(tool.output).check(structuredClone(structuredContent)), [])
        }
      })

      test(`${name}: every missing required argument is named`, async () => {
        for (const missing of required) {
          const { [missing]: _, ...rest } = await goodArguments(tool, world, false)
          const { error, details } = await refused(name, rest)
          assert.equal(error, 'bad request')
          assert.deepEqual(details, [{ field: missing, message: 'is required' }])
        }
      })

      test(`${name}: an argument of a wrong type, or an unknown one, is named`, async () => {
        const good = await goodArguments(tool, world, false)
        for (const [argument, schema] of taken) {
          const wrong = wrongValue(schema)
          if (wrong === undefined) continue
          const { error, details } = await refused(name, { ...good, [argument]: wrong })
          assert.equal(error, 'bad request')
          assert.ok(
            details.some(({ field, message }) => field.startsWith(argument) && message.startsWith('must be ')),
            JSON.stringify(details),
          )
        }
        const { details } = await refused(name, { ...good, suprise: 1 })
        assert.ok(details.some(({ field, message }) => field === 'suprise' && message.startsWith('unknown field')))
      })

      const naming = taken.filter(([argument]) => subjectOf(tool, argument) && !IGNORED.has(`${name}.${argument}`))
      if (naming.length > 0) {
        test(`${name}: an id of nobody or of another company is an error that says which`, async () => {
          for (const [argument, schema] of naming) {
            const text = [(schema.items ?? schema).type].flat()[0] === 'string'
            for (const id of [text ? '0'.repeat(26) : 987_654_321, await stranger[subjectOf(tool, argument)!]()]) {
              const good = await goodArguments(tool, world, false)
              // Of two arguments that exclude each other, the other one goes.
              const other = { case_id: 'client_id', client_id: 'case_id' }[argument]
              if (other && !required.includes(other)) delete good[other]
              const { error, message, details } = await refused(name, { ...good, [argument]: schema.items ? [id] : id })
              assert.match(error, /^(not found|bad request)$/)
              assert.match(`${message} ${JSON.stringify(details)}`, new RegExp(`\\b${id}\\b`))
            }
          }
        })
      }
    }
  })
}
