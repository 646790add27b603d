import { createHmac } from 'node:crypto'
import type { Readable } from 'node:stream'
import nodemailer, { type SendMailOptions } from 'nodemailer'
import { CALENDAR_FILE, CALENDAR_METHOD, calendarOf } from '../calendar.ts'
import type { EmailProvider, OutgoingEmail } from '../email.ts'
import type { MessageRef } from '../message.ts'
import type { SmtpAccount } from './account.ts'
import { compose } from './compose.ts'
import { mailFailure } from './mail-errors.ts'

/** Connections to the mail server, per process. */
const CONNECTIONS = 5

const CONNECTION_MS = 20_000
/** A server may take long to make up its mind about the contents; RFC 5321 gives it ten minutes. */
const ANSWER_MS = 120_000

/**
 * Mail by a server of the firm's. Nothing can be asked of it later: where the line was cut between the last word of a
 * message and the answer, nobody knows whether it went out.
 *
 * @param secret Of the installation; names of messages and appointments are made of it and our keys.
 */
export function smtpEmail({ url, from }: SmtpAccount, secret: () => Promise<Buffer>): EmailProvider {
  const transport = nodemailer.createTransport({
    url,
    pool: true,
    maxConnections: CONNECTIONS,
    connectionTimeout: CONNECTION_MS,
    greetingTimeout: CONNECTION_MS,
    socketTimeout: ANSWER_MS,
    // What is in a message never makes us read a file or fetch an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = from.slice(from.lastIndexOf('@') + 1)
  // Whether a message was begun to be sent shows in its stream being read.
  const streams = new WeakMap<object, Readable>()
  transport.use('stream', (mail, done) => {
    const { message, data } = mail
    const create = message.createReadStream.bind(message)
    message.createReadStream = (options) => {
      const stream = create(options)
      streams.set((data as Marked).mark, stream)
      return stream
    }
    done()
  })

  /** The same at every try, and nothing that could be guessed. */
  async function nameOf({ company_id, key }: MessageRef): Promise<string> {
    const name = createHmac('sha256', await secret())
      .update(`message-id ${company_id} ${key}`)
      .digest('hex')
    return `${name.slice(0, 40)}@${domain}`
  }

  return {
    name: 'smtp',
    sandbox: false,
    idempotent: false,
    parallel: CONNECTIONS,
    async start() {},
    async send(message: OutgoingEmail) {
      const mark = {}
      const id = `<${await nameOf(message)}>`
      const { appointment } = message
      const icalEvent = appointment && {
        method: CALENDAR_METHOD,
        filename: CALENDAR_FILE,
        content: calendarOf(appointment, await nameOf(appointment), message.from_name, from),
      }
      try {
        const mail: SendMailOptions & Marked = { ...compose(message, from), icalEvent, messageId: id, mark }
        await transport.sendMail(mail)
        return { provider_message_id: id }
      } catch (error) {
        throw mailFailure(error, streams.get(mark)?.readableDidRead ?? false)
      }
    },
    async lookup() {
      return 'unclear'
    },
    async stop() {
      transport.close()
    },
  }
}

interface Marked {
  mark: object
}
