import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Pool } from '../core/db.ts'
import { installationSecret } from '../core/installation-secret.ts'
import { optIn, optOut } from '../messages/choices.ts'
import { type Holder, holderOf } from './links.ts'
import { donePage, POLICY, preferencesPage, unknownPage, unsubscribePage } from './pages.ts'
import { selectStanding } from './queries.ts'

/** Of the words on the page, kept as evidence. */
const FORM_VERSION = 'preferences@1'

const CHANNELS = ['call', 'sms', 'email'] as const

/**
 * The ways out that stand in each message: by link, without a login and without cookies. A GET never changes anything,
 * for mail scanners open every link; mail programs unsubscribe by a POST of `List-Unsubscribe=One-Click` (RFC 8058).
 */
export function addPreferencePages(app: FastifyInstance, pool: Pool): void {
  app.register(async (routes) => {
    routes.removeAllContentTypeParsers()
    routes.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 16_384 },
      (_request, body, done) => {
        done(null, new URLSearchParams(body as string))
      },
    )
    // RFC 8058 allows for this one, too; the fields are found without taking it apart.
    routes.addContentTypeParser(
      'multipart/form-data',
      { parseAs: 'string', bodyLimit: 16_384 },
      (_request, body, done) => {
        const found = /name="?List-Unsubscribe"?\s[\s\S]*?One-Click/i.test(body as string)
        done(null, new URLSearchParams(found ? 'List-Unsubscribe=One-Click' : ''))
      },
    )

    routes.get('/u/:token', async (request, reply) => {
      const known = await standingOf(request)
      return known
        ? send(reply, 200, unsubscribePage(known.standing, tokenIn(request)))
        : send(reply, 404, unknownPage())
    })

    routes.post('/u/:token', async (request, reply) => {
      const known = await standingOf(request)
      if (!known) return send(reply, 404, unknownPage())
      if (fieldsOf(request).get('List-Unsubscribe') !== 'One-Click')
        return send(reply, 400, unsubscribePage(known.standing, tokenIn(request)))
      await choose(request, known, new Set(['email']), new Set())
      return send(reply, 200, donePage(known.standing.company_name, tokenIn(request)))
    })

    routes.get('/preferences/:token', async (request, reply) => {
      const known = await standingOf(request)
      return known ? send(reply, 200, preferencesPage(known.standing, false)) : send(reply, 404, unknownPage())
    })

    routes.post('/preferences/:token', async (request, reply) => {
      const known = await standingOf(request)
      if (!known) return send(reply, 404, unknownPage())
      const fields = fieldsOf(request)
      const wants = (value: string) => new Set(CHANNELS.filter((channel) => fields.get(channel) === value))
      await choose(request, known, wants('no'), wants('yes'))
      return send(reply, 200, preferencesPage((await standingOf(request))!.standing, true))
    })
  })

  async function standingOf(request: FastifyRequest) {
    const holder = holderOf(await installationSecret(pool), tokenIn(request))
    const standing = holder && (await selectStanding(pool, holder))
    return holder && standing ? { holder, standing } : null
  }

  /** What stands as it is asked to stand is left alone. */
  async function choose(
    request: FastifyRequest,
    { holder, standing }: NonNullable<Awaited<ReturnType<typeof standingOf>>>,
    out: ReadonlySet<string>,
    back: ReadonlySet<string>,
  ): Promise<void> {
    const choices = (wanted: ReadonlySet<string>, allowed: boolean) =>
      standing.channels
        .filter((each) => wanted.has(each.channel) && each.allowed === allowed)
        .map(({ channel, address }) => ({
          channel,
          address,
          source: 'unsubscribe' as const,
          evidence: evidence(request, holder),
          obtained_at: new Date(),
        }))
    const [ending, beginning] = [choices(out, true), choices(back, false)]
    await pool.transaction(async (db) => {
      if (ending.length > 0)
        await optOut(db, holder.company_id, ending, 'the contact asked for it by the link in a message')
      if (beginning.length > 0) await optIn(db, holder.company_id, beginning)
    })
  }
}

const evidence = (request: FastifyRequest, { message_id }: Holder) => ({
  form_version: FORM_VERSION,
  url: request.routeOptions.url,
  message_id: message_id || null,
  ip: request.ip,
  user_agent: request.headers['user-agent']?.slice(0, 500) ?? null,
})

const tokenIn = ({ params }: FastifyRequest): string => (params as { token: string }).token

const fieldsOf = ({ body }: FastifyRequest): URLSearchParams =>
  body instanceof URLSearchParams ? body : new URLSearchParams()

function send(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply
    .code(status)
    .header('Content-Security-Policy', POLICY)
    .header('Referrer-Policy', 'no-referrer')
    .header('Cache-Control', 'no-store')
    .header('X-Robots-Tag', 'noindex')
    .type('text/html; charset=utf-8')
    .send(page)
}
