/** When a report is delivered. Times are UTC: a company has no zone of its own. */
export interface Delivery {
  frequency: 'daily' | 'weekly' | 'monthly'
  /** 0 is Sunday. */
  weekday?: number | null
  day_of_month?: number | null
  /** `HH:mm` */
  time: string
}

/** The first delivery after the given instant. A day of the month that a month lacks is its last day. */
export function nextDue({ frequency, weekday, day_of_month, time }: Delivery, after: Date): Date {
  const [hour, minute] = time.split(':').map(Number) as [number, number]
  const [year, month, day] = [after.getUTCFullYear(), after.getUTCMonth(), after.getUTCDate()]
  const at = (month: number, day: number) => new Date(Date.UTC(year, month, day, hour, minute))
  if (frequency === 'monthly') {
    const inMonth = (month: number) =>
      at(month, Math.min(day_of_month ?? 1, new Date(Date.UTC(year, month + 1, 0)).getUTCDate()))
    const due = inMonth(month)
    return due > after ? due : inMonth(month + 1)
  }
  const step = frequency === 'daily' ? 1 : 7
  const ahead = frequency === 'daily' ? 0 : ((weekday ?? 0) - after.getUTCDay() + 7) % 7
  const due = at(month, day + ahead)
  return due > after ? due : at(month, day + ahead + step)
}
