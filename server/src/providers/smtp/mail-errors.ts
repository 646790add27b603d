import { MessagePutOff, MessageRefused, type RefusalReason } from '../message.ts'

/** Seconds until a server that can't be reached, or does not let us in, is asked again. */
const OUT_OF_REACH_SECONDS = 60
/** Greylisting lets nobody in before some minutes have passed. */
const LATER_SECONDS = 5 * 60

interface SmtpError extends Error {
  /** nodemailer's: `EENVELOPE` for MAIL FROM and RCPT TO, `EMESSAGE` for the contents, `EAUTH`, … */
  code?: string
  command?: string
  response?: string
  responseCode?: number
}

/**
 * What is certain about a message that was not accepted; anything else is answered as it is, and leaves it open.
 *
 * @param begun Some of its contents may have been transmitted.
 */
export function mailFailure(error: unknown, begun: boolean): unknown {
  const { code, command, response = '', responseCode = 0, message } = error as SmtpError
  const said = `the mail server says: ${response || message}`
  if (code === 'EENVELOPE' || code === 'EMESSAGE') {
    if (responseCode >= 500) return new MessageRefused(reasonOf(command, response), said)
    if (responseCode >= 400) return new MessagePutOff(LATER_SECONDS, said)
    // An address that can't even be said to a server, or more than it takes.
    if (!begun) return new MessageRefused(code === 'EENVELOPE' ? 'invalid_address' : 'not_allowed', message)
  }
  return begun ? error : new MessagePutOff(OUT_OF_REACH_SECONDS, said)
}

/** Of 5.1 and 5.2 those that are not about the recipient: the sender's address, a message that is too long. */
const NOT_THEIRS = new Set(['1.7', '1.8', '2.3'])

/**
 * By the enhanced status code (RFC 3463) where there is one: 5.1 is about the address, 5.2 about the mailbox. Some servers
 * say so only once they have read the message; there is one recipient.
 */
function reasonOf(command: string | undefined, response: string): RefusalReason {
  if (command === 'MAIL FROM') return 'not_allowed'
  const [, status] = /\b5\.(\d{1,3}\.\d{1,3})\b/.exec(response) ?? []
  if (status) return /^[12]\./.test(status) && !NOT_THEIRS.has(status) ? 'unreachable' : 'not_allowed'
  return command === 'RCPT TO' && /^(550|551|553)/.test(response) ? 'unreachable' : 'not_allowed'
}
