import type { Detail } from '../core/errors.ts'

/** The names that consents are proven by; others are kept as they come. */
const TEXTS = ['form_version', 'ip', 'user_agent', 'url', 'proof', 'signature']
const BOXES = ['ticked', 'pre_ticked', 'none']

/** What is wrong with the evidence of a consent: a box that was ticked beforehand proves none. */
export function brokenEvidence(kind: 'consent' | 'suppression', evidence: Record<string, unknown>): Detail[] {
  const details = TEXTS.filter((name) => evidence[name] != null && typeof evidence[name] !== 'string').map((name) => ({
    field: `evidence.${name}`,
    message: 'must be a text',
  }))
  const { box } = evidence
  if (box != null && !BOXES.includes(box as string))
    details.push({ field: 'evidence.box', message: `must be one of ${BOXES.join(', ')}` })
  else if (box === 'pre_ticked' && kind === 'consent')
    details.push({ field: 'evidence.box', message: 'must not be pre_ticked: that is no consent' })
  return details
}
