/** The characters that a text can hold at seven bits each (GSM 03.38); those of the second line take two. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const EXTENDED = '^{}\\[~]|€\f'

/** How many parts a text is cut into when it is sent: what a carrier charges for. No sign is cut in two. */
export function segmentsOf(text: string): number {
  const signs = [...text]
  const basic = signs.every((sign) => BASIC.includes(sign) || EXTENDED.includes(sign))
  const sizes = signs.map((sign) => (basic ? (EXTENDED.includes(sign) ? 2 : 1) : sign.length))
  const [alone, joined] = basic ? [160, 153] : [70, 67]
  if (sizes.reduce((sum, size) => sum + size, 0) <= alone) return 1
  let parts = 1
  let filled = 0
  for (const size of sizes) {
    if (filled + size > joined) {
      parts++
      filled = 0
    }
    filled += size
  }
  return parts
}
