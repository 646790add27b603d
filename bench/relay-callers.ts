import twilio from 'twilio'
import { WebSocket } from 'ws'

/** A process of callers: each holds one relay session and answers whatever it hears, on and on. */
const { url, signedUrl, token, calls, company, turns } = JSON.parse(process.argv[2]!) as {
  url: string
  /** As the service gave it out. */
  signedUrl: string
  token: string
  calls: number[]
  company: number
  turns: number
}

/** Milliseconds from a `prompt` frame to the first `text` frame after it. */
const waits: number[] = []
const THINKS_MS = [4000, 12_000] as const

async function caller(call: number): Promise<void> {
  const path = `/providers/twilio/relay/${company}/${call}/0`
  const signature = twilio.getExpectedTwilioSignature(token, `${signedUrl}${path}`, {})
  const socket = new WebSocket(url + path, { headers: { 'x-twilio-signature': signature } })
  const over = Promise.withResolvers<void>()
  let asked = 0
  let left = turns
  socket.on('open', () => {
    socket.send(JSON.stringify({ type: 'setup', sessionId: `VX${call}`, callSid: `CA${call}`, customParameters: {} }))
  })
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data)) as { type: string; last?: boolean }
    if (frame.type === 'end') socket.close(1000)
    if (frame.type !== 'text') return
    if (asked > 0) waits.push(performance.now() - asked)
    asked = 0
    if (!frame.last) return
    if (left-- <= 0) {
      socket.close(1000)
      return
    }
    const [least, most] = THINKS_MS
    setTimeout(
      () => {
        socket.send(JSON.stringify({ type: 'info', name: 'agentSpeaking', value: 'off' }))
        asked = performance.now()
        socket.send(JSON.stringify({ type: 'prompt', voicePrompt: 'Yes, that is right.', lang: 'en-US', last: true }))
      },
      least + Math.random() * (most - least),
    )
  })
  socket.on('close', () => over.resolve())
  socket.on('error', (error) => over.reject(error))
  await over.promise
}

// Calls don't begin all in the same instant.
await Promise.all(
  calls.map((call, index) => new Promise((resolve) => setTimeout(resolve, index * 20)).then(() => caller(call))),
)
process.send!(waits, () => process.disconnect())
