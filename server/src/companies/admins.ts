import sql from 'sql-template-tag'
import type { Scope } from '../core/operation.ts'

export interface Admin {
  id: number
  name: string
  email: string
  role: string
}

export function selectAdmins({ db, companyId }: Scope): Promise<Admin[]> {
  return db.many<Admin>(sql`
    select id, name, email, role from users where company_id = ${companyId} and role = 'admin' order by id`)
}
