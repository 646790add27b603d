import * as cases from './cases/rest.ts'
import * as clients from './clients/rest.ts'
import type { Operation } from './core/operation.ts'

/** Everything a caller can do over REST. */
export const operations: Operation[] = [clients, cases].flatMap((feature) => Object.values(feature))
