import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Database } from '../../core/db.ts'
import { installationSecret } from '../../core/installation-secret.ts'
import type { CallRef } from '../voice.ts'

/**
 * What a host knows a call by: our ids, and the proof that this installation has given them out. An account at a host may
 * serve several installations, and calls that are none of ours.
 */
export interface References {
  /** At most 40 characters. */
  of(call: CallRef): Promise<string>
  /** null: this is not one of ours. */
  read(reference: unknown): Promise<CallRef | null>
  /** Known to us and to the host that was told it with the call. */
  secretOf(reference: string): Promise<string>
}

export function references(db: Database): References {
  async function sign(purpose: string, text: string): Promise<Buffer> {
    return createHmac('sha256', await installationSecret(db))
      .update(`${purpose} ${text}`)
      .digest()
  }

  const proofOf = async (ids: string) => (await sign('hosted call', ids)).toString('base64url').slice(0, 16)

  return {
    async of({ company_id, call_id }) {
      const ids = `${company_id}.${call_id}`
      return `${ids}.${await proofOf(ids)}`
    },
    async read(reference) {
      const [, ids, proof] = /^(\d{1,10}\.\d{1,12})\.([\w-]{16})$/.exec(String(reference)) ?? []
      if (!ids || !sameText(await proofOf(ids), proof!)) return null
      const [company_id, call_id] = ids.split('.').map(Number)
      return { company_id: company_id!, call_id: call_id! }
    },
    secretOf: async (reference) => (await sign('callbacks of', reference)).toString('base64url'),
  }
}

/** Takes as long wherever the texts differ. */
export function sameText(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}
