import sql from 'sql-template-tag'
import type { Scope } from '../core/operation.ts'
import { addressHash } from './permissions.ts'

/** A link of the chain, to be noted outside of the database: whoever has it can tell later that nothing before it changed. */
export interface Link {
  position: number
  hash: string
}

export interface CheckedChain {
  /** Records that were found as they were written. */
  records: number
  /** Of these, how many have given up address and evidence because a contact was erased. */
  erased: number
  head: Link
  /** The first record that is not as it was written, and what is wrong with it. Null where all are. */
  broken: { position: number | null; permission_id: number | null; problem: string } | null
}

const CHUNK = 20_000

/**
 * Walks the whole chain, in portions. `noted`: a link that somebody wrote down earlier, which has to be part of it still:
 * that tells a chain that was forged as a whole from the real one.
 */
export async function checkChain(scope: Scope, noted?: Link): Promise<CheckedChain> {
  const { db, companyId } = scope
  const head = (await db.maybe<Link>(sql`
    select position, encode(hash, 'hex') as hash from permission_chains where company_id = ${companyId}`)) ?? {
    position: 0,
    hash: '',
  }
  const checked: CheckedChain = { records: 0, erased: 0, head, broken: null }
  let [position, hash] = [0, '']
  for (; !checked.broken && position < head.position; position += CHUNK) {
    const found = await checkPortion(scope, position, Math.min(head.position, position + CHUNK), hash)
    checked.records += found.records
    checked.erased += found.erased
    checked.broken = found.broken
    if (noted && noted.position > position && noted.position <= position + CHUNK && !checked.broken)
      checked.broken = await checkNoted(scope, noted)
    hash = found.hash
  }
  checked.broken ??= await checkEnds(scope, head, hash, noted)
  return checked
}

interface Portion extends Pick<CheckedChain, 'records' | 'erased' | 'broken'> {
  hash: string
}

/** Positions after `from` up to `to`; `hash` is that of the link at `from`. */
async function checkPortion({ db, companyId }: Scope, from: number, to: number, hash: string): Promise<Portion> {
  return db.one<Portion>(sql`
    with walked as (
      select n.position, l.permission_id, l.hash, p.evidence_nonce is null as erased,
        chained(permission_content(p, l.evidence_hash), decode(${hash}, 'hex')) over (order by n.position) as expected,
        case
          when l.position is null then 'the link is missing'
          when p.id is null then 'the record is missing'
          when p.evidence_nonce is not null and evidence_hash(p) is distinct from l.evidence_hash then 'its evidence was changed'
          when p.address is not null and ${addressHash(sql`p.address`)} <> p.address_hash then 'its address was changed'
        end as problem
      from generate_series(${from + 1}::bigint, ${to}::bigint) as n (position)
      join companies co on co.id = ${companyId}
      left join permission_links l on l.company_id = ${companyId} and l.position = n.position
      left join permissions p on p.company_id = l.company_id and p.id = l.permission_id
    ), judged as (
      select *, coalesce(problem, case when hash is distinct from expected then 'it is not what was written' end) as wrong
      from walked
    ), first as (
      select * from judged where wrong is not null order by position limit 1
    )
    select
      count(*) filter (where j.position < coalesce(f.position, j.position + 1))::int as records,
      count(*) filter (where j.erased and j.position < coalesce(f.position, j.position + 1))::int as erased,
      encode((select hash from judged where position = ${to}), 'hex') as hash,
      (select jsonb_build_object('position', position, 'permission_id', permission_id, 'problem', wrong) from first) as broken
    from judged j left join first f on true`)
}

async function checkNoted({ db, companyId }: Scope, { position, hash }: Link): Promise<CheckedChain['broken']> {
  return (
    (await db.maybe<NonNullable<CheckedChain['broken']>>(sql`
      select position, permission_id, 'its hash is not the one that was noted' as problem from permission_links
      where company_id = ${companyId} and position = ${position} and hash <> decode(${hash}, 'hex')`)) ?? null
  )
}

/** Whether the chain ends where it should, and whether a record stands beside it. */
async function checkEnds(
  { db, companyId }: Scope,
  head: Link,
  hash: string,
  noted: Link | undefined,
): Promise<CheckedChain['broken']> {
  if (noted && noted.position > head.position)
    return { position: noted.position, permission_id: null, problem: 'the link that was noted is missing' }
  if (hash !== head.hash)
    return { position: head.position, permission_id: null, problem: 'the last link is not the one that was made last' }
  const beside = await db.maybe<NonNullable<CheckedChain['broken']>>(sql`
    select l.position, p.id as permission_id, 'the record is not part of the chain' as problem
    from permissions p
    left join permission_links l on l.company_id = p.company_id and l.permission_id = p.id
    where p.company_id = ${companyId} and (l.position is null or l.position > (
      select c.position from permission_chains c where c.company_id = p.company_id))
    order by p.id limit 1`)
  return beside ?? null
}
