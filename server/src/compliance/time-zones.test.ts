import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { wallTime } from './local-time.ts'
import { spotByAreaCode } from './places.ts'
import { candidateZones, type Whereabouts } from './time-zones.ts'

const nowhere: Whereabouts = { timezone: null, state: null, postal_code: null, mobile_e164: null }
const of = (known: Partial<Whereabouts>) => candidateZones({ ...nowhere, ...known })
const zones = (known: Partial<Whereabouts>) => [...of(known).zones].sort()

const E = 'America/New_York'
const C = 'America/Chicago'
const M = 'America/Denver'
const P = 'America/Los_Angeles'
const indiana = 'America/Indiana/Indianapolis'

// Every state by its code, with all zones that it has by law.
const states: Record<string, string[]> = {
  AL: [C],
  AK: ['America/Adak', 'America/Anchorage'],
  AZ: [M, 'America/Phoenix'],
  AR: [C],
  CA: [P],
  CO: [M],
  CT: [E],
  DE: [E],
  DC: [E],
  FL: [C, E],
  GA: [E],
  HI: ['Pacific/Honolulu'],
  ID: ['America/Boise', P],
  IL: [C],
  IN: [C, indiana],
  IA: [C],
  KS: [C, M],
  KY: [C, E],
  LA: [C],
  ME: [E],
  MD: [E],
  MA: [E],
  MI: ['America/Detroit', 'America/Menominee'],
  MN: [C],
  MS: [C],
  MO: [C],
  MT: [M],
  NE: [C, M],
  NV: [M, P],
  NH: [E],
  NJ: [E],
  NM: [M],
  NY: [E],
  NC: [E],
  ND: [C, M],
  OH: [E],
  OK: [C],
  OR: ['America/Boise', P],
  PA: [E],
  RI: [E],
  SC: [E],
  SD: [C, M],
  TN: [C, E],
  TX: [C, M],
  UT: [M],
  VT: [E],
  VA: [E],
  WA: [P],
  WV: [E],
  WI: [C],
  WY: [M],
  PR: ['America/Puerto_Rico'],
  VI: ['America/St_Thomas'],
  GU: ['Pacific/Guam'],
  MP: ['Pacific/Saipan'],
  AS: ['Pacific/Pago_Pago'],
}

for (const [state, expected] of Object.entries(states)) {
  test(`${state} without a ZIP code may be in ${expected.join(' or ')}`, () => {
    assert.deepEqual(zones({ state }), expected)
    assert.equal(of({ state }).source, 'address')
    assert.deepEqual(of({ state }).jurisdictions, ['US', `US-${state}`])
  })
}

// ZIP codes beside the zone boundaries, by the county that their post office lies in (49 CFR 71).
const zips: [place: string, state: string, zip: string, zones: string[]][] = [
  ['Dallas', 'TX', '75201', [C]],
  ['El Paso', 'TX', '79901', [M]],
  ['Fabens, El Paso County', 'TX', '79838', [M]],
  ['Van Horn beside Hudspeth County', 'TX', '79855', [C, M]],
  ['Miami', 'FL', '33101', [E]],
  ['Pensacola', 'FL', '32501', [C]],
  ['Panama City', 'FL', '32401', [C]],
  ['Port St. Joe, Gulf County', 'FL', '32456', [C, E]],
  ['Tallahassee', 'FL', '32301', [E]],
  ['Nashville', 'TN', '37201', [C]],
  ['Knoxville', 'TN', '37902', [E]],
  ['Chattanooga', 'TN', '37402', [E]],
  ['Winchester', 'TN', '37398', [C, E]],
  ['Louisville', 'KY', '40202', [E]],
  ['Bowling Green', 'KY', '42101', [C]],
  ['Elizabethtown', 'KY', '42701', [C, E]],
  ['Indianapolis', 'IN', '46204', [indiana]],
  ['Gary', 'IN', '46402', [C]],
  ['Evansville', 'IN', '47708', [C]],
  ['Knox, Starke County', 'IN', '46534', [C, indiana]],
  ['Fargo', 'ND', '58102', [C]],
  ['Bismarck', 'ND', '58501', [C]],
  ['Dickinson', 'ND', '58601', [C, M]],
  ['Sioux Falls', 'SD', '57104', [C]],
  ['Rapid City', 'SD', '57701', [M]],
  ['Mobridge', 'SD', '57601', [C, M]],
  ['Omaha', 'NE', '68102', [C]],
  ['Scottsbluff', 'NE', '69361', [M]],
  ['Valentine', 'NE', '69201', [C, M]],
  ['Wichita', 'KS', '67202', [C]],
  ['Goodland', 'KS', '67735', [C, M]],
  ['Portland', 'OR', '97201', [P]],
  ['Ontario', 'OR', '97914', ['America/Boise', P]],
  ['Boise', 'ID', '83702', ['America/Boise']],
  ["Coeur d'Alene", 'ID', '83814', [P]],
  ['Riggins', 'ID', '83549', ['America/Boise', P]],
  ['Detroit', 'MI', '48201', ['America/Detroit']],
  ['Ironwood', 'MI', '49938', ['America/Detroit', 'America/Menominee']],
  ['Anchorage', 'AK', '99501', ['America/Anchorage']],
  ['Adak', 'AK', '99546', ['America/Adak']],
  ['Tucson', 'AZ', '85701', ['America/Phoenix']],
  ['Window Rock, Navajo Nation', 'AZ', '86515', [M, 'America/Phoenix']],
  ['Flagstaff beside the Navajo Nation', 'AZ', '86001', [M, 'America/Phoenix']],
  ['Las Vegas', 'NV', '89101', [P]],
  ['West Wendover', 'NV', '89883', [M]],
  ['Jackpot, which keeps the time of Idaho', 'NV', '89825', [M, P]],
  ['Birmingham', 'AL', '35203', [C]],
  ['Phenix City, which keeps the time of Georgia', 'AL', '36867', [C, E]],
  ['Pago Pago beside Hawaii', 'AS', '96799', ['Pacific/Pago_Pago']],
  ['Saipan beside Guam', 'MP', '96950', ['Pacific/Saipan']],
]

for (const [place, state, zip, expected] of zips) {
  test(`${place} (${zip}) may be in ${expected.join(' or ')}`, () => {
    assert.deepEqual(zones({ state, postal_code: zip }), expected)
    assert.deepEqual(zones({ postal_code: zip }), expected, 'without the state')
  })
}

test('a state is a name or a code, in any case, with any blanks, dots and accents', () => {
  for (const state of ['NY', ' ny ', 'new york', 'NEW  YORK', 'N.Y.', 'New York'])
    assert.deepEqual(zones({ state }), [E], state)
  assert.deepEqual(zones({ state: 'District of Columbia' }), [E])
  assert.deepEqual(zones({ state: 'Washington, D.C.' }), [E])
  assert.deepEqual(zones({ state: 'washington' }), [P])
  assert.deepEqual(of({ state: 'Québec' }).jurisdictions, ['US', 'CA-QC'])
})

test('a ZIP code may have its +4, and may have lost its zeros', () => {
  for (const postal_code of ['02134', '2134', '02134-1234', '2134-1234', '021341234', '21341234', ' 02134 '])
    assert.deepEqual(of({ postal_code }).jurisdictions, ['US', 'US-MA'], postal_code)
  assert.deepEqual(of({ state: 'PR', postal_code: '601' }).source, 'address')
  assert.deepEqual(zones({ state: 'PR', postal_code: '601' }), ['America/Puerto_Rico'])
})

test('a ZIP code of another state makes both possible', () => {
  const { jurisdictions } = of({ state: 'TX', postal_code: '90210' })
  assert.deepEqual(zones({ state: 'TX', postal_code: '90210' }), [C, M, P])
  assert.deepEqual(jurisdictions, ['US', 'US-TX', 'US-CA'])
})

test('the stated zone comes before the address, the address before the area code', () => {
  const contact = { timezone: 'Pacific/Honolulu', state: 'NY', postal_code: '10001', mobile_e164: '+13125550101' }
  assert.deepEqual([of(contact).source, zones(contact)], ['stated', ['Pacific/Honolulu']])
  assert.deepEqual([of({ ...contact, timezone: null }).source, zones({ ...contact, timezone: null })], ['address', [E]])
  const moved = { ...contact, timezone: null, state: null, postal_code: null }
  assert.deepEqual([of(moved).source, zones(moved)], ['area_code', [C]])
})

test('the laws of the address and of the area code both count', () => {
  const { jurisdictions } = of({ timezone: 'America/Chicago', state: 'NY', mobile_e164: '+13125550101' })
  assert.deepEqual(jurisdictions, ['US', 'US-NY', 'US-IL'])
})

test('where the stated zone is none of the address and the area code, the laws of the states that keep it count, too', () => {
  const newYork = { state: 'NY', postal_code: '10001', mobile_e164: '+12125550101' }
  for (const timezone of ['America/New_York', 'US/Eastern', 'America/Detroit', 'EST'])
    assert.deepEqual(of({ ...newYork, timezone }).jurisdictions, ['US', 'US-NY'], timezone)
  const moved = of({ ...newYork, timezone: 'America/Chicago' }).jurisdictions
  for (const state of ['US-NY', 'US-IL', 'US-TX', 'US-AL', 'US-KY']) assert.ok(moved.includes(state), state)
  for (const state of ['US-CA', 'US-ME', 'US-HI']) assert.ok(!moved.includes(state), state)
  assert.deepEqual(of({ ...newYork, timezone: 'Pacific/Honolulu' }).jurisdictions, ['US', 'US-NY', 'US-HI'])
  assert.deepEqual(of({ ...newYork, timezone: 'Europe/London' }).jurisdictions, ['US', 'US-NY'])
})

test('an invalid stated zone is passed over', () => {
  for (const timezone of ['Mars/Olympus', '+05:00', '', '  ', 'Eastern'])
    assert.deepEqual(of({ timezone, state: 'CA' }), of({ state: 'CA' }), timezone)
})

test('an abbreviation without daylight saving may mean the zone that has it', () => {
  assert.deepEqual(zones({ timezone: 'EST' }), [E, 'EST'])
  assert.deepEqual(zones({ timezone: 'mst' }), [M, 'mst'])
})

test('an area code with several zones gives them all', () => {
  assert.deepEqual(zones({ mobile_e164: '+18505550101' }), [C, E])
  assert.deepEqual(zones({ mobile_e164: '+19155550101' }), [M])
  assert.deepEqual(zones({ mobile_e164: '+16055550101' }), [C, M])
  assert.deepEqual(zones({ mobile_e164: '+17095550101' }), ['America/Goose_Bay', 'America/St_Johns'])
  assert.deepEqual(zones({ mobile_e164: '+18765550101' }), ['America/Jamaica'])
})

test('every area code that libphonenumber knows has its place and zones', () => {
  const territories: Record<string, string> = { PR: 'US-PR', VI: 'US-VI', GU: 'US-GU', MP: 'US-MP', AS: 'US-AS' }
  let geographic = 0
  for (let code = 200; code < 1000; code++) {
    const numbers = ['2345678', '2012345', '7012345', '4321234'].map((rest) =>
      parsePhoneNumberFromString(`+1${code}${rest}`),
    )
    const valid = numbers.find((number) => number?.isValid())
    if (!valid?.country || !/FIXED|MOBILE/.test(valid.getType() ?? '')) continue
    geographic++
    const spot = spotByAreaCode(String(code))
    assert.ok(spot && spot.zones.length > 0, `area code ${code} (${valid.country}) is missing`)
    for (const place of spot.places) {
      const expected = territories[valid.country] ?? valid.country
      assert.ok(place.code.startsWith(expected), `area code ${code}: ${place.code}, not ${expected}`)
    }
  }
  assert.ok(geographic > 420)
})

test('numbers without a place, and contacts without anything, may be anywhere in the United States', () => {
  for (const mobile_e164 of [null, '+18005550101', '+15005550101', '+19995550101', '+881612345678']) {
    const { source, jurisdictions } = of({ mobile_e164 })
    assert.equal(source, 'unknown')
    assert.ok(jurisdictions.includes('US-HI') && jurisdictions.includes('US-ME') && !jurisdictions.includes('CA-ON'))
  }
  const summer = Date.UTC(2026, 6, 1)
  const offsets = new Set(of({}).zones.map((zone) => (wallTime(zone, summer) - summer) / 3_600_000))
  assert.deepEqual(
    [...offsets].sort((a, b) => a - b),
    [-10, -9, -8, -7, -6, -5, -4],
  )
})

test('whatever zone CLDR gives the United States keeps the time of one that an unknown contact may be in', () => {
  const locale = new Intl.Locale('und-US') as Intl.Locale & { getTimeZones(): string[] }
  const years = [2026, 2027, 2028].flatMap((year) => [0, 2, 3, 6, 10, 11].map((month) => Date.UTC(year, month, 20)))
  const clocks = (zone: string) => years.map((at) => wallTime(zone, at) - at).join()
  const known = new Set(of({}).zones.map(clocks))
  for (const zone of locale.getTimeZones() ?? []) assert.ok(known.has(clocks(zone)), zone)
})

test('a number abroad is in one of the zones of its country', () => {
  assert.deepEqual(
    [of({ mobile_e164: '+442071838750' }).source, of({ mobile_e164: '+442071838750' }).zones.includes('Europe/London')],
    ['country', true],
  )
  assert.ok(of({ mobile_e164: '+61291234567' }).zones.length > 5)
})

test('an address that reads like an American one does not move a number abroad to America', () => {
  const berlin = of({ state: 'Berlin', postal_code: '10115', mobile_e164: '+4930123456' })
  assert.deepEqual([berlin.source, berlin.jurisdictions], ['country', ['US', 'DE']])
  const perth = of({ state: 'WA', postal_code: '6000', mobile_e164: '+61891234567' })
  assert.ok(perth.zones.includes('Australia/Perth') && perth.zones.includes(P))
  const expatriate = of({ state: 'WA', postal_code: '98101', mobile_e164: '+61891234567' })
  assert.deepEqual(expatriate.zones, [P])
})

test('military mail says nothing about where a person is', () => {
  assert.deepEqual(zones({ state: 'AE', postal_code: '09012', mobile_e164: '+12125550101' }), [])
  assert.deepEqual(zones({ postal_code: '96201' }), [])
  assert.deepEqual(zones({ state: 'AP', timezone: 'Asia/Tokyo' }), ['Asia/Tokyo'])
})
