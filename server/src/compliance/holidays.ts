import { DAY } from './local-time.ts'
import { type Holiday, WEEKDAYS } from './rule-schema.ts'

/** 0 is Sunday; days are counted from 1970-01-01, a Thursday. */
export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7
}

export function fallsOn(holiday: Holiday, day: number): boolean {
  const date = new Date(day * DAY)
  if ('easter' in holiday) return day === easterOf(date.getUTCFullYear()) + holiday.easter
  if ('day' in holiday) {
    const isDate = (at: Date) => at.getUTCMonth() + 1 === holiday.month && at.getUTCDate() === holiday.day
    if (isDate(date)) return true
    if (!holiday.observed) return false
    const weekday = weekdayOf(day)
    return (weekday === 5 && isDate(new Date((day + 1) * DAY))) || (weekday === 1 && isDate(new Date((day - 1) * DAY)))
  }
  if (date.getUTCMonth() + 1 !== holiday.month || WEEKDAYS[weekdayOf(day)] !== holiday.weekday) return false
  const dayOfMonth = date.getUTCDate()
  if ('on_or_after' in holiday) {
    if (holiday.years === 'even' && date.getUTCFullYear() % 2 !== 0) return false
    return dayOfMonth >= holiday.on_or_after && dayOfMonth < holiday.on_or_after + 7
  }
  if (holiday.nth === -1) return new Date((day + 7) * DAY).getUTCMonth() !== date.getUTCMonth()
  return Math.ceil(dayOfMonth / 7) === holiday.nth
}

/** Easter Sunday of the Gregorian calendar, after Gauss, Meeus and Butcher. */
function easterOf(year: number): number {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const leapless = century - Math.floor(century / 4)
  const moonShift = Math.floor((8 * century + 13) / 25)
  const epact = (19 * golden + leapless - moonShift + 15) % 30
  const moon = epact - Math.floor(epact / 28) * (1 - Math.floor(29 / (epact + 1)) * Math.floor((21 - golden) / 11))
  const weekday = (year + Math.floor(year / 4) + moon + 2 - leapless) % 7
  // Days from March 28 (0 = March 28) to the Sunday after the full moon.
  return Date.UTC(year, 2, 28 + moon - weekday) / DAY
}
