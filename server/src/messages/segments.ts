/** The characters that a text can hold at seven bits each (GSM 03.38); those of the second line take two. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const EXTENDED = '^{}\\[~]|€\f'

/** How many parts a text is cut into when it is sent: what a carrier charges for. */
export function segmentsOf(text: string): number {
  let units = 0
  for (const sign of text) {
    if (EXTENDED.includes(sign)) units += 2
    else if (BASIC.includes(sign)) units += 1
    else return parts(text.length, 70, 67)
  }
  return parts(units, 160, 153)
}

const parts = (units: number, alone: number, joined: number) => (units <= alone ? 1 : Math.ceil(units / joined))
