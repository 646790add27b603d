/** A day begins first in Guam and ends last in Pago Pago; between them lie all zones that a US contact can be in. */
export const FIRST_ZONE = 'Pacific/Guam'
export const LAST_ZONE = 'Pacific/Pago_Pago'
