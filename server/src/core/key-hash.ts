import { createHash } from 'node:crypto'

/** What is kept of an API key: 32 bytes, enough to know it again and useless to who reads the table. */
export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest()
