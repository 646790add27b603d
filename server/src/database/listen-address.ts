import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Account } from './account.ts'

/** Where a server listens, as its settings. `remove` clears what was made for it. */
export interface ListenAddress {
  settings: Record<string, string>
  /** Of the socket; empty where there is none. */
  folder: string
  remove(): Promise<void>
}

/** Characters of a folder's path that leave room for the socket's name: a socket's path ends at 103 on macOS. */
const LONGEST_FOLDER = 60

/**
 * A Unix socket in a private folder, so that no port is taken and none is open. It doesn't lie in the data folder, whose
 * path may be too long and which may be a mounted one that knows no sockets. On Windows a port of the loopback address.
 */
export async function chooseAddress(account: Account | undefined): Promise<ListenAddress> {
  if (process.platform === 'win32') {
    const port = String(await freePort())
    return {
      settings: { listen_addresses: '127.0.0.1', unix_socket_directories: '', port },
      folder: '',
      remove: async () => {},
    }
  }
  // Root's TMPDIR may be one that the account can't enter.
  const parent = account || tmpdir().length > LONGEST_FOLDER ? '/tmp' : tmpdir()
  const folder = await mkdtemp(path.join(parent, 'docketcall-'))
  if (account) await chown(folder, account.uid, account.gid)
  return {
    settings: { listen_addresses: '', unix_socket_directories: folder, port: '5432' },
    folder,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
