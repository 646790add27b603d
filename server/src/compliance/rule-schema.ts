import { readdirSync, readFileSync } from 'node:fs'
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'

/** The law as data: every `rules/*.json` is a list of such rules. */

export const CHANNELS = ['call', 'sms', 'email'] as const
export type Channel = (typeof CHANNELS)[number]

/** What a campaign may be for. */
export const PURPOSES = ['case_update', 'intake', 'appointment', 'document_request', 'survey', 'marketing'] as const
export type Purpose = (typeof PURPOSES)[number]

/** In the order of Date#getUTCDay. */
export const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const

const closed = { additionalProperties: false }
const DateText = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' })
const Time = Type.String({ pattern: '^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$' })
const Slots = Type.Array(Type.Tuple([Time, Time]))
/** Attempts are remembered for so long: 31 days. */
export const MOST_HOURS = 31 * 24
const Month = Type.Integer({ minimum: 1, maximum: 12 })

/** `observed`: also the Friday before when it falls on a Saturday, the Monday after when it falls on a Sunday. */
const FixedHoliday = Type.Object(
  {
    name: Type.String(),
    month: Month,
    day: Type.Integer({ minimum: 1, maximum: 31 }),
    observed: Type.Optional(Type.Boolean()),
  },
  closed,
)
/** `nth`: 1 is the first such weekday of the month, -1 the last. */
const WeekdayHoliday = Type.Object(
  { name: Type.String(), month: Month, weekday: Type.Enum([...WEEKDAYS]), nth: Type.Enum([1, 2, 3, 4, 5, -1]) },
  closed,
)
/** The first such weekday from a day of the month on (an election is on the Tuesday after the first Monday). */
const DayAfterHoliday = Type.Object(
  {
    name: Type.String(),
    month: Month,
    weekday: Type.Enum([...WEEKDAYS]),
    on_or_after: Type.Integer({ minimum: 1, maximum: 25 }),
    years: Type.Optional(Type.Literal('even')),
  },
  closed,
)
/** Days from Easter Sunday: Good Friday is -2. */
const EasterHoliday = Type.Object({ name: Type.String(), easter: Type.Integer({ minimum: -70, maximum: 70 }) }, closed)
const Holiday = Type.Union([FixedHoliday, WeekdayHoliday, DayAfterHoliday, EasterHoliday])
export type Holiday = Static<typeof Holiday>

/** Local hours, end exclusive; `[]` forbids the day. A weekday or `holiday` that is left out has the default. */
const Hours = Type.Object(
  {
    default: Slots,
    monday: Type.Optional(Slots),
    tuesday: Type.Optional(Slots),
    wednesday: Type.Optional(Slots),
    thursday: Type.Optional(Slots),
    friday: Type.Optional(Slots),
    saturday: Type.Optional(Slots),
    sunday: Type.Optional(Slots),
    holiday: Type.Optional(Slots),
  },
  closed,
)

/** What the first words of a call must say: who calls, that an AI does, and for what. */
export const SAYINGS = ['firm', 'ai', 'purpose'] as const
export type Saying = (typeof SAYINGS)[number]

/** What a rule demands; at least one of them. */
export const LegalTerms = {
  hours: Type.Optional(Hours),
  holidays: Type.Optional(Type.Array(Holiday)),
  /**
   * At most `max` contacts to one person within `hours`, by the channel that is asked about. `others`: only those for other
   * contacts who have the number, or in other campaigns, count, and none against a call that somebody has asked for.
   */
  attempts: Type.Optional(
    Type.Array(
      Type.Object(
        {
          max: Type.Integer({ minimum: 0 }),
          hours: Type.Integer({ minimum: 1, maximum: MOST_HOURS }),
          by: Type.Optional(Type.Literal('others')),
        },
        closed,
      ),
    ),
  ),
  says: Type.Optional(Type.Array(Type.Enum([...SAYINGS]), { minItems: 1 })),
  /** `all_party`: nobody is recorded who does not agree. */
  recording: Type.Optional(Type.Literal('all_party')),
  /** Who opts out of the rule's channels has opted out of these, too. */
  revokes: Type.Optional(Type.Array(Type.Enum([...CHANNELS]), { minItems: 1 })),
}

/** The names of the terms, any of which makes a rule. */
export const TERMS = ['hours', 'attempts', 'says', 'recording', 'revokes'] as const

const Rule = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9-]+$' }),
    /** Raised with every change; stored with each decision. */
    version: Type.Integer({ minimum: 1 }),
    /** `US` binds for everybody whom a firm contacts, wherever they are; `US-FL` for those who may be in Florida. */
    jurisdiction: Type.String({ minLength: 2 }),
    channels: Type.Array(Type.Enum([...CHANNELS]), { minItems: 1 }),
    purposes: Type.Union([Type.Literal('all'), Type.Array(Type.String(), { minItems: 1 })]),
    /** Local dates, both inclusive. */
    effective_from: DateText,
    effective_to: Type.Union([DateText, Type.Null()]),
    source: Type.String({ minLength: 1 }),
    /** False: no company may leave it out, whoever answers for it. */
    waivable: Type.Optional(Type.Boolean()),
    ...LegalTerms,
  },
  closed,
)
export type LegalRule = Static<typeof Rule>

const Rules = Type.Array(Rule)

/** Throws, naming the file and the place, when a rule is not written as it must be: better no start than no law. */
export function readRules(folder: URL): LegalRule[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  return files.sort().flatMap((file) => {
    const rules: unknown = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
    if (!Value.Check(Rules, rules)) {
      const [error] = Value.Errors(Rules, rules)
      throw new Error(`${file}${error?.instancePath}: ${error?.message}`)
    }
    for (const rule of rules) {
      const broken = brokenRule(rule)
      if (broken) throw new Error(`${file}: ${rule.id}: ${broken}`)
    }
    return rules
  })
}

/** What the schema can't say. */
export function brokenRule({ hours, holidays }: Pick<LegalRule, 'hours' | 'holidays'>): string | undefined {
  const slots = Object.values(hours ?? {}).flat()
  if (slots.some(([from, to]) => from >= to)) return 'hours must end after they begin'
  return holidays && !hours?.holiday ? 'holidays need hours.holiday' : undefined
}
