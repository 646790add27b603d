import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Where deliveries may go: https to public addresses, nothing of the firm's own network. */

export class Blocked extends Error {}

/** Every address of a name. Rejects where there is none. */
export type Resolve = (name: string) => Promise<string[]>

/**
 * Asks the name servers and nothing else: no hosts file and no search domains, by which a name could mean a machine of
 * the firm's network, and no thread of the pool that a dead name server could hold.
 */
export const resolvePublicName: Resolve = async (name) => {
  resolver ??= new Resolver({ timeout: 2000, tries: 2 })
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length === 0) throw (v4 as PromiseRejectedResult).reason
  return found
}

let resolver: Resolver | undefined

/** Global unicast: everything else in IPv6 is special in one way or another. */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3')

/** Why an address is not to be connected to, such as `a private address`; undefined for a public one. */
export function blockedAddress(address: string): string | undefined {
  // A zone names an interface of ours.
  if (!isIP(address) || address.includes('%')) return 'no address'
  const parsed = ipaddr.parse(address)
  const range = parsed.range()
  if (range !== 'unicast') return WORDS[range] ?? `a special address (${range})`
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL)) return 'a special address'
  // ISATAP carries an IPv4 address in its last half, behind 0:5efe or 200:5efe.
  if (parsed instanceof ipaddr.IPv6 && parsed.parts[5] === 0x5efe) return 'a tunnel address'
  return undefined
}

const WORDS: Record<string, string> = {
  private: 'a private address',
  uniqueLocal: 'a private address',
  loopback: 'a loopback address',
  linkLocal: 'a link-local address',
  unspecified: 'no address of a machine',
  carrierGradeNat: 'a shared private address',
  multicast: 'a multicast address',
  broadcast: 'a broadcast address',
  ipv4Mapped: 'an IPv4 address in disguise',
  rfc6145: 'an IPv4 address in disguise',
  rfc6052: 'an IPv4 address behind NAT64',
  '6to4': 'a tunnel address',
  teredo: 'a tunnel address',
}

/** The addresses of a name, each of them public; one that is not condemns the name. */
export async function publicAddresses(name: string, resolve: Resolve): Promise<string[]> {
  const addresses = await resolve(name)
  for (const address of addresses) {
    const why = blockedAddress(address)
    if (why) throw new Blocked(`${name} resolves to ${address}, which is ${why}`)
  }
  return addresses
}

/** The host as it is connected to: IPv6 addresses without their brackets, a name without its last dot. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')

/** What is wrong with a receiver's address on the face of it, as the rule that it breaks. */
export function brokenUrl(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || !url.hostname)
    return 'must be a web address such as https://example.com/hooks'
  if (url.username || url.password) return 'must not carry a user name or password'
  if (url.hash) return 'must not have a fragment (#)'
  if (allowPrivate) return undefined
  if (url.protocol !== 'https:') return 'must begin with https://'
  const host = hostOf(url)
  if (isIP(host)) {
    const why = blockedAddress(host)
    return why && `must be a public address: ${host} is ${why}`
  }
  if (!host.includes('.') || LOCAL.test(host)) return `must be a public address: ${host} is a name of a local network`
  return undefined
}

const LOCAL = /\.(localhost|local|localdomain|internal|intranet|lan|home|corp|arpa)$/i
