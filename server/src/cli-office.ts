import type { Command } from 'commander'
import type { Of, Toolkit } from './cli-toolkit.ts'
import { type Office, selectOffice, updateOffice } from './companies/office.ts'
import { COMMAND_LINE } from './core/actors.ts'
import { insertAudit } from './core/change.ts'

interface Options extends Of {
  hours?: string
  timezone?: string
  atOnce?: string
}

/** `company office` */
export function addOfficeCommand(company: Command, { inCompany, withCompany, withJson, print }: Toolkit): void {
  withCompany(
    withJson(company.command('office').description('When agents may make appointments; changes what is given')),
  )
    .option('--hours <slots>', 'Monday to Friday, such as 09:00-12:00,13:00-17:00; none for 09:00-17:00')
    .option('--timezone <zone>', "whose clock that is, such as America/New_York; none for each contact's own")
    .option('--at-once <count>', 'how many appointments may be at the same time')
    .action(async ({ hours, timezone, atOnce, json, ...of }: Options) => {
      const given = {
        ...(hours !== undefined && { business_hours: orNone(hours, slotsIn) }),
        ...(timezone !== undefined && { timezone: orNone(timezone, String) }),
        ...(atOnce !== undefined && { appointments_at_once: Number(atOnce) }),
      }
      const office = await inCompany(of, async (scope) => {
        if (Object.keys(given).length === 0) return await selectOffice(scope)
        const { office, change } = await updateOffice(scope, given)
        if (change) await scope.db.run(insertAudit({ companyId: scope.companyId, ...COMMAND_LINE }, [change]))
        return office
      })
      print(json, office, () => sentence(office))
    })
}

const orNone = <T>(text: string, read: (text: string) => T): T | null => (text === 'none' ? null : read(text))

const slotsIn = (text: string): NonNullable<Office['business_hours']> =>
  text.split(',').map((slot) => {
    const [start_time = '', end_time = ''] = slot.trim().split('-')
    return { start_time, end_time }
  })

function sentence({ business_hours, timezone, appointments_at_once }: Office): string {
  const hours = business_hours?.map(({ start_time, end_time }) => `${start_time} to ${end_time}`).join(' and ')
  return `Appointments: Monday to Friday, ${hours ?? '09:00 to 17:00'} (${timezone ?? "each contact's clock"}), ${appointments_at_once} at a time.`
}
