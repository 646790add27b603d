import sql from 'sql-template-tag'
import type { Company, TestApi } from './api.ts'
import { agentPayload, casePayload, clientPayload, runPayload } from './payloads.ts'

export type Kind = 'client' | 'case' | 'list' | 'agent' | 'campaign' | 'case type' | 'case status'

/**
 * What becomes of an id that doesn't exist: `subject` of the action is 404, one `inside` a record is 400, one that is to
 * be taken away (or fails by itself) is `ignored`.
 */
export type Role = 'subject' | 'inside' | 'ignored'

export type RecordId = number | string

export interface Naming {
  kind: Kind
  role: Role
}

/** The records of one company, made through the API when they are needed. */
export class World {
  readonly #api: TestApi
  readonly #firm: Company
  readonly #replaced: { at: number; by: RecordId } | undefined
  /** The ids that the request names, in the order in which it does. */
  readonly named: Naming[] = []

  /** `replaced`: the naming with that number names another id. */
  constructor(api: TestApi, firm: Company, replaced?: { at: number; by: RecordId }) {
    this.#api = api
    this.#firm = firm
    this.#replaced = replaced
  }

  /** To be called for every id that goes into a request. */
  names<T extends RecordId>(kind: Kind, id: T, role: Role = 'inside'): T {
    const at = this.named.push({ kind, role }) - 1
    return this.#replaced?.at === at ? (this.#replaced.by as T) : id
  }

  async client(fields?: object): Promise<number> {
    const payload = clientPayload({ mobile: '+1 212-555-0123', email: 'ana@example.com', ...fields })
    return (await this.#firm.ok('POST /v1/clients', payload)).id
  }

  async case(fields?: object): Promise<number> {
    return (await this.#firm.ok('POST /v1/cases', casePayload(fields))).id
  }

  async linkedCase(): Promise<{ client: number; record: number }> {
    const client = await this.client()
    return { client, record: await this.case({ client_ids: [client] }) }
  }

  async list(fields?: object): Promise<number> {
    return (await this.#firm.ok('POST /v1/case_lists', { name: 'A list', ...fields })).id
  }

  async agent(): Promise<string> {
    return (await this.#firm.ok('POST /v1/agent_builder/campaign_agents', agentPayload())).id
  }

  async campaign(): Promise<number> {
    const end_date = '2099-12-31'
    const [agent_id, case_list_id] = [await this.agent(), await this.list()]
    const payload = { name: 'A campaign', agent_id, case_list_id, runs: [runPayload({ end_date })] }
    return (await this.#firm.ok('POST /v1/campaigns', payload)).id
  }

  caseType(): Promise<number> {
    return this.#first(sql`select min(id) as id from case_types where company_id = ${this.#firm.id}`)
  }

  caseStatus(): Promise<number> {
    return this.#first(sql`select min(id) as id from case_statuses where company_id = ${this.#firm.id}`)
  }

  /** One of the kind, whatever it is. */
  record(kind: Kind): Promise<RecordId> {
    switch (kind) {
      case 'client':
        return this.client()
      case 'case':
        return this.case()
      case 'list':
        return this.list()
      case 'agent':
        return this.agent()
      case 'campaign':
        return this.campaign()
      case 'case type':
        return this.caseType()
      case 'case status':
        return this.caseStatus()
    }
  }

  async #first(query: ReturnType<typeof sql>): Promise<number> {
    return (await this.#api.pool.one<{ id: number }>(query)).id
  }
}
