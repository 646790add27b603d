import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { blockedAddress, brokenUrl, publicAddresses } from './address.ts'
import { openTransport } from './transport.ts'

/** Refused on the face of it, when a webhook is saved and again when it is sent to. */
const HOSTILE_URLS = [
  'http://hooks.example.com/',
  'ftp://hooks.example.com/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_FLUSHALL',
  'javascript:alert(1)',
  'https://',
  'https://user:secret@hooks.example.com/',
  'https://hooks.example.com@127.0.0.1/',
  'https://hooks.example.com/#fragment',
  'https://localhost/',
  'https://LOCALHOST:443/',
  'https://localhost./',
  'https://foo.localhost/',
  'https://printer/',
  'https://nas.local/',
  'https://db.internal/',
  'https://metadata.google.internal/computeMetadata/v1/',
  'https://router.lan/',
  'https://crm.corp/',
  'https://1.0.0.127.in-addr.arpa/',
  'https://127.0.0.1/',
  'https://127.0.0.1./',
  'https://127.1/',
  'https://127.000.000.001/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.0.0.1/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://%31%32%37.0.0.1/',
  'https://①②⑦.⓪.⓪.①/',
  'https://127。0。0。1/',
  'https://0/',
  'https://0.0.0.0/',
  'https://10.0.0.1/',
  'https://10.255.255.255:8443/',
  'https://172.16.0.1/',
  'https://172.31.255.254/',
  'https://192.168.1.1/',
  'https://192.168.257/',
  'https://100.64.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://0xa9fea9fe/',
  'https://169.254.43518/',
  'https://192.0.0.192/',
  'https://192.0.2.1/',
  'https://198.18.0.1/',
  'https://198.51.100.7/',
  'https://203.0.113.9/',
  'https://224.0.0.1/',
  'https://239.255.255.250/',
  'https://240.0.0.1/',
  'https://255.255.255.255/',
  'https://[::1]/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::ffff:169.254.169.254]/',
  'https://[::127.0.0.1]/',
  'https://[::ffff:0:10.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[64:ff9b::169.254.169.254]/',
  'https://[64:ff9b:1::a00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[2002:c0a8:101::1]/',
  'https://[2001:0:4136:e378:8000:63bf:80ff:fffe]/',
  'https://[2001:db8::1]/',
  'https://[fe80::1]/',
  'https://[fe80::1%25eth0]/',
  'https://[fec0::1]/',
  'https://[fc00::1]/',
  'https://[fd00:ec2::254]/',
  'https://[ff02::1]/',
  'https://[100::1]/',
  'https://[2606:4700::5efe:10.0.0.1]/',
  'https://[4000::1]/',
]

/** Names that look innocent, and what they resolve to: refused when they are connected to. */
const HOSTILE_ANSWERS: Record<string, string[]> = {
  'loopback.example.com': ['127.0.0.1'],
  'private.example.com': ['10.1.2.3'],
  'metadata.example.com': ['169.254.169.254'],
  'one-of-two.example.com': ['93.184.215.14', '192.168.0.1'],
  'mapped.example.com': ['::ffff:10.0.0.1'],
  'hex-mapped.example.com': ['::ffff:a00:1'],
  'six.example.com': ['::1'],
  'unique-local.example.com': ['fd12:3456::1'],
  'nat64.example.com': ['64:ff9b::a00:1'],
  'sixtofour.example.com': ['2002:a00:1::1'],
  'link-local.example.com': ['fe80::1'],
  'zone.example.com': ['fe80::1%lo'],
  'any.example.com': ['0.0.0.0'],
  'shared.example.com': ['100.127.255.255'],
  'multicast.example.com': ['ff05::2'],
  'nonsense.example.com': ['not-an-address'],
  'mixed-families.example.com': ['2606:4700::1111', '172.20.0.1'],
}

const PUBLIC = ['93.184.215.14', '8.8.8.8', '172.32.0.1', '11.0.0.1', '2606:4700::1111', '2a00:1450:4001:82a::200e']

/** Everything that is connected to on any loopback address of the port is counted. */
async function trap(): Promise<{ port: number; connected: () => number }> {
  let connected = 0
  const server = net.createServer((socket) => {
    connected++
    socket.destroy()
  })
  server.listen(0)
  after(() => server.close())
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, connected: () => connected }
}

test('hostile addresses are refused on save and at every attempt, and never connected to', async () => {
  const { port, connected } = await trap()
  const post = openTransport({ allowPrivate: false, resolve: async () => ['127.0.0.1'] })
  for (const url of HOSTILE_URLS) {
    assert.notEqual(brokenUrl(url, false), undefined, url)
    if (!URL.canParse(url)) continue
    const aimed = new URL(url)
    aimed.port = String(port)
    const { status, error } = await post(aimed.href, {}, '{}')
    assert.equal(status, null, url)
    assert.match(error!, /^blocked: /, url)
  }
  assert.equal(connected(), 0)
})

test('names that resolve to hostile addresses are not connected to', async () => {
  const { port, connected } = await trap()
  const post = openTransport({ allowPrivate: false, resolve: async (name) => HOSTILE_ANSWERS[name]! })
  for (const name of Object.keys(HOSTILE_ANSWERS)) {
    await assert.rejects(
      publicAddresses(name, async () => HOSTILE_ANSWERS[name]!),
      name,
    )
    const { status, error } = await post(`https://${name}:${port}/`, {}, '{}')
    assert.deepEqual([status, error!.startsWith(`blocked: ${name} resolves to`)], [null, true], `${name}: ${error}`)
  }
  assert.equal(connected(), 0)
})

test('a name that was public when it was looked at and is not when it is connected to is refused then', async () => {
  const { port, connected } = await trap()
  const answers = [['93.184.215.14'], ['127.0.0.1']]
  const resolve = async () => answers.shift() ?? ['127.0.0.1']
  assert.deepEqual(await publicAddresses('rebinds.example.com', resolve), ['93.184.215.14'])
  const post = openTransport({ allowPrivate: false, resolve })
  assert.match((await post(`https://rebinds.example.com:${port}/`, {}, '{}')).error!, /^blocked: .* loopback/)
  assert.equal(connected(), 0)
})

test('the connection goes to the address that was checked: the name is asked about once', async () => {
  let asked = 0
  const resolve = async () => {
    asked++
    // Public, and nobody there: what matters is where it is looked for.
    return ['2001:4860:4860::8888', '8.8.8.8']
  }
  const connecting: string[] = []
  const { connect } = net.Socket.prototype
  net.Socket.prototype.connect = function (this: net.Socket, ...args: never[]) {
    this.on('connectionAttempt', (ip: string) => {
      connecting.push(ip)
      setImmediate(() => this.destroy(new Error('seen enough')))
    })
    return connect.apply(this, args as never)
  } as never
  after(() => {
    net.Socket.prototype.connect = connect
  })
  const post = openTransport({ allowPrivate: false, resolve, timeoutMs: 1000 })
  await post('https://hooks.example.com/', {}, '{}')
  net.Socket.prototype.connect = connect
  assert.equal(asked, 1)
  assert.ok(connecting.length > 0)
  for (const address of connecting) assert.ok(['2001:4860:4860::8888', '8.8.8.8'].includes(address), address)
})

test('public addresses and any port are fine', () => {
  for (const address of PUBLIC) assert.equal(blockedAddress(address), undefined, address)
  for (const url of [
    'https://hooks.example.com/a?b=c',
    'https://example.com:8443/',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
  ])
    assert.equal(brokenUrl(url, false), undefined, url)
  for (const url of ['http://localhost:3000/', 'https://10.0.0.1/']) assert.equal(brokenUrl(url, true), undefined, url)
})
