/** A pattern for `ilike` of texts that contain the given one; its own wildcards are plain characters. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`
