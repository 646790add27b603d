export type DateRange = 'cumulative' | 'today_so_far' | 'previous_day' | 'previous_week' | 'previous_month'

const DAY = 86_400_000

/** Which calls a report of the given moment covers, by their end: `from` inclusive, `to` exclusive. Days are UTC days, weeks begin on Monday. */
export function rangeOf(range: DateRange, at: Date): { from: Date | null; to: Date } {
  const today = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate())
  switch (range) {
    case 'cumulative':
      return { from: null, to: at }
    case 'today_so_far':
      return { from: new Date(today), to: at }
    case 'previous_day':
      return { from: new Date(today - DAY), to: new Date(today) }
    case 'previous_week': {
      const monday = today - ((at.getUTCDay() + 6) % 7) * DAY
      return { from: new Date(monday - 7 * DAY), to: new Date(monday) }
    }
    case 'previous_month':
      return {
        from: new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1, 1)),
        to: new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1)),
      }
  }
}
