import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { startConnectProxy, startSocksProxy, type TestProxy } from '../../../../tests/support/proxies.js';
import { OutboundGuard } from '../../platform/outbound/outbound-guard.js';
import { openTunnel, type TunnelEnd } from './tunnel.js';

/** A server that sends back everything it receives. */
let echo: Server;
let echoPort: number;
let proxy: TestProxy | null;
const opened: Socket[] = [];

beforeAll(async () => {
  echo = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  echoPort = (echo.address() as AddressInfo).port;
});
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy();
  await proxy?.stop();
  proxy = null;
});
afterAll(() => void echo.close());

async function tunnel(address: string, end: Partial<TunnelEnd> = {}, milliseconds = 5000): Promise<Socket> {
  const socket = await openTunnel(
    new URL(address),
    { host: '127.0.0.1', port: echoPort, ...end },
    { guard: new OutboundGuard(), milliseconds, signal: new AbortController().signal },
  );
  opened.push(socket);
  return socket;
}

async function says(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [data] = (await once(socket, 'data')) as [Buffer];
  return data.toString();
}

const credentials = { username: 'me@here', password: 'p:ß' };
const login = `${encodeURIComponent(credentials.username)}:${encodeURIComponent(credentials.password)}`;

describe.each([
  ['http', startConnectProxy],
  ['socks5', startSocksProxy],
  ['socks5h', startSocksProxy],
])('through %s', (scheme, start) => {
  it('carries bytes both ways', async () => {
    proxy = await start();
    const socket = await tunnel(`${scheme}://127.0.0.1:${proxy.port}`);
    expect(await says(socket, 'hello')).toBe('hello');
    expect(proxy.asked).toEqual([`127.0.0.1:${echoPort}`]);
  });

  it('leaves a name to the proxy', async () => {
    proxy = await start({ names: { 'only.the.proxy.knows': '127.0.0.1' } });
    const socket = await tunnel(`${scheme}://127.0.0.1:${proxy.port}`, { host: 'only.the.proxy.knows' });
    expect(await says(socket, 'hello')).toBe('hello');
  });

  it('signs in, and fails with a wrong password', async () => {
    proxy = await start({ credentials });
    const socket = await tunnel(`${scheme}://${login}@127.0.0.1:${proxy.port}`);
    expect(await says(socket, 'hello')).toBe('hello');
    await expect(tunnel(`${scheme}://me:wrong@127.0.0.1:${proxy.port}`)).rejects.toThrow(/proxy/);
    await expect(tunnel(`${scheme}://127.0.0.1:${proxy.port}`)).rejects.toThrow(/proxy/);
  });

  it('fails where nothing can be reached', async () => {
    proxy = await start();
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    await expect(tunnel(`${scheme}://127.0.0.1:${proxy.port}`, { port })).rejects.toThrow();
    await expect(tunnel(`${scheme}://127.0.0.1:${port}`)).rejects.toThrow(/ECONNREFUSED/);
  });

  it('does not wait for ever for a proxy that says nothing, and does not end an open tunnel when that time is over', async () => {
    const silent = createServer((socket) => void opened.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    await expect(tunnel(`${scheme}://127.0.0.1:${port}`, {}, 50)).rejects.toThrow();
    silent.close();
    proxy = await start();
    const socket = await tunnel(`${scheme}://127.0.0.1:${proxy.port}`, {}, 1000);
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(await says(socket, 'still here')).toBe('still here');
  });
});

it('names addresses of version 6 as addresses', async () => {
  proxy = await startSocksProxy({ names: { '[2001:0db8:0000:0000:0000:0000:0000:00ff]': '127.0.0.1' } });
  const socket = await tunnel(`socks5://127.0.0.1:${proxy.port}`, { host: '2001:db8::ff' });
  expect(await says(socket, 'hello')).toBe('hello');
});
