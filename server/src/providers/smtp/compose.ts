import type { SendMailOptions } from 'nodemailer'
import { escaped } from '../../core/html.ts'
import type { OutgoingEmail, WaysOut } from '../email.ts'

/** A message as it goes out: plain text and HTML, with the ways out where it goes to a contact. */
export function compose(message: OutgoingEmail, from: string): SendMailOptions {
  const { to, from_name, subject, text, ways_out, attachments } = message
  return {
    from: { name: from_name, address: from },
    to: { name: '', address: to },
    subject,
    text: ways_out ? `${text}\n\n-- \n${footer(from_name, ways_out)}\n` : text,
    html: page(text, ways_out && linked(footer(from_name, ways_out))),
    headers: ways_out ? waysOutHeaders(ways_out, from) : undefined,
    attachments: attachments?.map(({ filename, content_type, content }) => ({
      filename,
      contentType: content_type,
      content,
    })),
  }
}

/** RFC 2369 and RFC 8058. Whoever reads the mailbox of `mailto` finds the link in the message. */
function waysOutHeaders({ unsubscribe_url }: WaysOut, from: string): Record<string, { prepared: true; value: string }> {
  const body = encodeURIComponent(`Please send me no more e-mail: ${unsubscribe_url}`)
  const mailto = `mailto:${encodeURIComponent(from).replace('%40', '@')}?subject=unsubscribe&body=${body}`
  return {
    // Prepared: an encoded or otherwise changed address would be no link any more.
    'List-Unsubscribe': { prepared: true, value: `<${unsubscribe_url}>,\r\n <${mailto}>` },
    'List-Unsubscribe-Post': { prepared: true, value: 'List-Unsubscribe=One-Click' },
  }
}

const footer = (firm: string, { unsubscribe_url, preferences_url }: WaysOut): string =>
  `Sent for ${firm}.\nNo more e-mail: ${unsubscribe_url}\nCalls, texts and e-mail, as you like: ${preferences_url}`

function page(text: string, footer: string | undefined): string {
  const paragraphs = text
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${linked(paragraph.trim()).replaceAll('\n', '<br>\n')}</p>`)
  if (footer) paragraphs.push(`<hr>\n<p><small>${footer.replaceAll('\n', '<br>\n')}</small></p>`)
  return `<!doctype html>\n<html>\n<body>\n${paragraphs.join('\n')}\n</body>\n</html>\n`
}

/** Escaped, with web addresses as links. A full stop or a bracket after one does not belong to it. */
export function linked(text: string): string {
  return text
    .split(/(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]])/)
    .map((part, index) => (index % 2 === 1 ? `<a href="${escaped(part)}">${escaped(part)}</a>` : escaped(part)))
    .join('')
}
