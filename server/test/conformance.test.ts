/**
 * The public conformance suite against the real endpoint, each revision on its own wire. The product offers tools alone;
 * what the suite asks beyond that is listed with its reason in `conformance/`.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server'
import Type from 'typebox'
import { badRequest } from '../src/core/errors.ts'
import { Fields } from '../src/core/fields.ts'
import { tool } from '../src/core/tool.ts'
import { tools } from '../src/tools.ts'
import { startApi } from './support/api.ts'

/** The tools that the suite calls by name, behind the product's own. */
const fixture = (name: string, run: () => string) =>
  tool({
    name,
    title: 'Of the conformance suite',
    description: 'Called by the conformance suite.',
    input: Fields({}),
    output: Type.Object({ text: Type.String() }),
    run: async () => ({ text: run() }),
  })

const fixtures = [
  fixture('test_simple_text', () => 'This is a simple text response for testing.'),
  fixture('test_error_handling', () => badRequest('This tool intentionally returns an error for testing')),
  fixture('test_streaming_elicitation', () => 'Asked nothing'),
  fixture('test_logging_tool', () => 'Logged nothing'),
  fixture('test_missing_capability', () => {
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
  }),
]

/** Per revision: the scenarios that concern what is offered. */
const OFFERED = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'tools-call-simple-text',
    'tools-call-error',
    'dns-rebinding-protection',
    'server-session-lifecycle',
  ],
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'tools-call-simple-text',
    'tools-call-error',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'input-required-result-validate-input',
  ],
}

const suite = path.resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')

const api = await startApi({ tools: [...tools, ...fixtures] })
const { key } = await api.company()
// The suite knows of no keys.
api.app.server.prependListener('request', ({ headers }) => {
  headers.authorization = `Bearer ${key}`
})
const url = `${await api.app.listen({ host: '127.0.0.1', port: 0 })}/v1/mcp`

for (const [revision, scenarios] of Object.entries(OFFERED)) {
  test(`the suite of ${revision} passes, but for what is listed with its reason`, async () => {
    const results = await mkdtemp(path.join(tmpdir(), 'docketcall-conformance-'))
    const leftOut = path.join(import.meta.dirname, 'conformance', `${revision}.yaml`)
    const options = ['--requirements', revision, '--expected-failures', leftOut, '--output-dir', results]
    const run = spawn(process.execPath, [suite, 'server', '--url', url, ...options])
    const [output, errors, [code]] = await Promise.all([text(run.stdout), text(run.stderr), once(run, 'exit')])
    await rm(results, { recursive: true })
    assert.equal(code, 0, output.slice(-3000) + errors)
    for (const scenario of scenarios) assert.match(output, new RegExp(`^✓ ${scenario}: \\d+ passed, 0 failed`, 'm'))
  })
}
