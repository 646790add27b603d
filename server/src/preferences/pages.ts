import { createHash } from 'node:crypto'
import { escaped } from '../core/html.ts'
import type { Standing } from './queries.ts'

const STYLE = `body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:0 auto;padding:1.5rem;color:#1a1a1a;background:#fff}
h1{font-size:1.5rem}fieldset{border:1px solid #767676;border-radius:.4rem;margin:0 0 1rem;padding:.5rem 1rem}legend{font-weight:600}
label{display:block;padding:.4rem 0}button{font:inherit;padding:.6rem 1.2rem;border:0;border-radius:.4rem;background:#14507a;color:#fff}
a{color:#14507a}button:focus-visible,input:focus-visible,a:focus-visible{outline:3px solid #b35900;outline-offset:2px}
.done{border-left:.3rem solid #1b6e3c;padding:.5rem 1rem;background:#eef7f0}`

/** Nothing but the style above and our own form. */
export const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const page = (title: string, content: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`

export function unsubscribePage({ company_name, channels }: Standing, token: string): string {
  const email = channels.find(({ channel }) => channel === 'email')
  if (!email?.allowed) return donePage(company_name, token)
  return page(
    'Stop e-mail',
    `<p>Do you want no more e-mail from ${escaped(company_name)} to ${masked(email.address)}?</p>
<form method="post" action="/u/${token}">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<button type="submit">Stop e-mail</button>
</form>
<p><a href="/preferences/${token}">Choose about calls and texts, too</a></p>`,
  )
}

export const donePage = (company_name: string, token: string): string =>
  page(
    'No more e-mail',
    `<p class="done" role="status">You will get no more e-mail from ${escaped(company_name)}.</p>
<p><a href="/preferences/${token}">Choose about calls and texts, or change your mind</a></p>`,
  )

const CHANNELS = { call: 'Calls', sms: 'Text messages', email: 'E-mail' }

export function preferencesPage({ company_name, channels }: Standing, saved: boolean): string {
  if (channels.length === 0)
    return page('How we reach you', `<p>${escaped(company_name)} has no number and no e-mail address of yours.</p>`)
  const choices = channels.map(
    ({ channel, address, allowed }) => `<fieldset>
<legend>${CHANNELS[channel]} to ${masked(address)}</legend>
<label><input type="radio" name="${channel}" value="yes"${allowed ? ' checked' : ''}> Yes, about my case</label>
<label><input type="radio" name="${channel}" value="no"${allowed ? '' : ' checked'}> No</label>
</fieldset>`,
  )
  return page(
    'How we reach you',
    `${saved ? '<p class="done" role="status">Your choice is saved, and holds from now on.</p>\n' : ''}<p>May ${escaped(company_name)} reach you by</p>
<form method="post">
${choices.join('\n')}
<button type="submit">Save</button>
</form>`,
  )
}

export const unknownPage = (): string =>
  page('Unknown link', '<p>This link is not complete or not valid any more. Please open it again from the message.</p>')

/** Enough for the one whose it is. */
function masked(address: string): string {
  const at = address.lastIndexOf('@')
  if (at < 0) return `the number ending in ${escaped(address.slice(-2))}`
  return escaped(`${address.slice(0, 1)}…${address.slice(at)}`)
}
