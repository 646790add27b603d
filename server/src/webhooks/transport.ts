import http from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { isIP } from 'node:net'
import { Blocked, blockedAddress, hostOf, publicAddresses, type Resolve, resolvePublicName } from './address.ts'

/** What came of one attempt. */
export interface Answer {
  /** null where nobody answered. */
  status: number | null
  /** The first 16 KB. */
  body: string | null
  retryAfter: string | undefined
  /** What went wrong, in words; null after a 2xx. */
  error: string | null
}

export type Post = (url: string, headers: Record<string, string>, body: string) => Promise<Answer>

const TIMEOUT_MS = 15_000
const LARGEST_ANSWER = 16 * 1024

interface Options {
  /** Development: any address, and http too. */
  allowPrivate: boolean
  resolve?: Resolve
  timeoutMs?: number
}

/**
 * Posts over connections that are kept open. A name is resolved for every new connection, every address it has must be
 * public, and the connection goes to one of those very addresses. Redirects are answers like any other. Proxies of the
 * environment are not used.
 */
export function openTransport({ allowPrivate, resolve = resolvePublicName, timeoutMs = TIMEOUT_MS }: Options): Post {
  const agents = {
    'http:': new http.Agent({ keepAlive: true, maxFreeSockets: 8, timeout: 60_000 }),
    'https:': new https.Agent({ keepAlive: true, maxFreeSockets: 8, timeout: 60_000 }),
  }
  const lookup = allowPrivate ? undefined : vetted(resolve)

  function once(url: URL, headers: Record<string, string>, body: string): Promise<Answer & { stale?: boolean }> {
    return new Promise((done) => {
      const send = url.protocol === 'https:' ? https.request : http.request
      const request = send(url, { method: 'POST', headers, agent: agents[url.protocol as 'https:'], lookup })
      const deadline = setTimeout(() => request.destroy(new TimedOut()), timeoutMs)
      const finish = (answer: Answer & { stale?: boolean }) => {
        clearTimeout(deadline)
        done(answer)
      }
      request.on('error', (error: NodeJS.ErrnoException) => {
        const stale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
        finish({ ...NOTHING, error: storable(inWords(error, url, timeoutMs)), stale })
      })
      request.on('response', (response) => {
        const { statusCode: status = 0, headers } = response
        let size = 0
        const chunks: Buffer[] = []
        const answered = () =>
          finish({
            status,
            body: storable(Buffer.concat(chunks).subarray(0, LARGEST_ANSWER).toString()),
            retryAfter: headers['retry-after'],
            error: status >= 200 && status < 300 ? null : `http: ${verdict(status, response)}`,
          })
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk)
          size += chunk.length
          if (size > LARGEST_ANSWER) response.destroy()
        })
        // Also where the rest of the body never came: the status is what counts.
        response.on('close', answered)
        response.on('error', () => {})
      })
      request.end(body)
    })
  }

  return async (text, headers, body) => {
    const url = new URL(text)
    if (!allowPrivate) {
      const refusal = unsafe(url)
      if (refusal) return { ...NOTHING, error: `blocked: ${refusal}` }
    }
    const sized = { ...headers, 'content-length': String(Buffer.byteLength(body)) }
    const answer = await once(url, sized, body)
    // The receiver closed a kept connection just as it was used again.
    return answer.stale ? once(url, sized, body) : answer
  }
}

/** What PostgreSQL can keep; certificates and answers may hold anything. */
const storable = (text: string) => text.replaceAll('\0', '').toWellFormed()

const NOTHING: Answer = { status: null, body: null, retryAfter: undefined, error: null }

class TimedOut extends Error {}

/** What no look-up will be asked about. */
function unsafe(url: URL): string | undefined {
  if (url.protocol !== 'https:') return 'only https is sent to'
  const host = hostOf(url)
  const why = isIP(host) ? blockedAddress(host) : undefined
  return why && `${host} is ${why}`
}

function vetted(resolve: Resolve): LookupFunction {
  return (name, options, done) => {
    publicAddresses(name.replace(/\.$/, ''), resolve).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }))
        if (options.all) done(null, found)
        else done(null, found[0]!.address, found[0]!.family)
      },
      (error: NodeJS.ErrnoException) => done(error, []),
    )
  }
}

function verdict(status: number, { statusMessage, headers }: http.IncomingMessage): string {
  if (status >= 300 && status < 400)
    return `answered ${status}, a redirect, which is not followed (to ${headers.location?.slice(0, 500) ?? 'nowhere'})`
  return `answered ${status}${statusMessage ? ` ${statusMessage}` : ''}`
}

function inWords(error: NodeJS.ErrnoException, url: URL, timeoutMs: number): string {
  const { code = '', message } = error
  if (error instanceof TimedOut) return `timeout: no answer within ${timeoutMs / 1000} s`
  if (error instanceof Blocked) return `blocked: ${message}`
  if (/^(ENOTFOUND|ENODATA|ESERVFAIL|EAI_|ETIMEOUT|EREFUSED|EBADRESP|ECANCELLED)/.test(code))
    return `dns: ${url.hostname} could not be resolved (${code})`
  if (/CERT|TLS|SSL|SIGNATURE|UNABLE_TO|EPROTO/.test(code)) return `tls: ${message}`
  return `connect: ${message || code}`
}
