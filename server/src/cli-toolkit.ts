import type { Command } from 'commander'
import type { Scope } from './core/operation.ts'

/** Options of every command that looks after one company. */
export interface Of {
  company?: number
  json?: boolean
}

/** What the commands of a noun are made with. */
export interface Toolkit {
  inCompany<T>(of: Of, work: (scope: Scope) => Promise<T>): Promise<T>
  withCompany(command: Command): Command
  withJson(command: Command): Command
  positiveId(text: string): number
  print(json: boolean | undefined, value: unknown, text: () => string): void
}
