import { copyFile, open, truncate } from 'node:fs/promises'
import path from 'node:path'
import { giveToOwnerOf } from './account.ts'

const LARGEST = 10 * 1024 * 1024

/** PostgreSQL's own log, kept in `file` and, of what came before, as much again in `file.1`. */
export interface ServerLog {
  /** Append-only, to be handed to the server as its standard error. */
  fd: number
  /** The last line written since it was opened. */
  lastLine(): Promise<string>
  close(): Promise<void>
}

export async function openServerLog(file: string): Promise<ServerLog> {
  const handle = await open(file, 'a+', 0o600)
  await giveToOwnerOf(path.dirname(file), file)
  await shorten()
  const start = (await handle.stat()).size
  const timer = setInterval(() => shorten().catch(() => {}), 60_000).unref()

  /** The server goes on writing to the same file, so it is copied and emptied rather than renamed. */
  async function shorten() {
    if ((await handle.stat()).size < LARGEST) return
    await copyFile(file, `${file}.1`)
    await giveToOwnerOf(path.dirname(file), `${file}.1`)
    await truncate(file)
  }

  return {
    fd: handle.fd,
    async lastLine() {
      const { size } = await handle.stat()
      const from = Math.max(size - 8192, Math.min(start, size))
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(8192), 0, 8192, from)
      return buffer.toString('utf8', 0, bytesRead).trim().split('\n').at(-1) ?? ''
    },
    async close() {
      clearInterval(timer)
      await handle.close()
    },
  }
}
