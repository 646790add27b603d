import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

export interface MailServer {
  url: string
  received: (Email & { raw: string; to_address: string })[]
  /** Recipients that were named, refused ones included. */
  asked: string[]
  /** How a recipient is answered: an SMTP code with its words, or nothing for yes. */
  recipient: (address: string, tries: number) => { code: number; words: string } | undefined
  /** What happens when a message has been received whole: refused, or the line is cut before the answer. */
  contents: (address: string) => { code: number; words: string } | 'cut' | 'held' | undefined
}

/** A real SMTP server on loopback; closed after the file's tests. */
export async function startMailServer(): Promise<MailServer> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    // Whoever mails keeps its connections open.
    closeTimeout: 100,
    onRcptTo({ address }, _session, done) {
      mail.asked.push(address)
      const refusal = mail.recipient(address, mail.asked.filter((each) => each === address).length)
      done(refusal && Object.assign(new Error(refusal.words), { responseCode: refusal.code }))
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk) => chunks.push(chunk))
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks).toString()
        const to_address = session.envelope.rcptTo[0]!.address
        const fate = mail.contents(to_address)
        if (typeof fate === 'object') return done(Object.assign(new Error(fate.words), { responseCode: fate.code }))
        mail.received.push({ ...(await PostalMime.parse(raw)), raw, to_address })
        if (fate === 'held') return
        if (fate === 'cut') {
          for (const connection of (server as unknown as { connections: Set<{ _socket: { destroy(): void } }> })
            .connections)
            connection._socket.destroy()
          return
        }
        done()
      })
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  after(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const mail: MailServer = {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    received: [],
    asked: [],
    recipient: () => undefined,
    contents: () => undefined,
  }
  return mail
}
