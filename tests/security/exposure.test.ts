/** Everything an anonymous visitor can see or occupy. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { anywhere, Site, type Person } from '../contract/site.js';

let site: Site;
let root: Person;
beforeAll(async () => {
  site = await Site.open({
    REQUEST_BODY_GRACE: '1',
    REQUEST_BODY_TIMEOUT: '4',
    MAX_CONNECTIONS_PER_ADDRESS: '40',
    TRUSTED_PROXIES: '127.0.0.2',
  });
  root = await site.setUp();
});
afterAll(() => site.stop());

const port = (): number => Number(new URL(site.server.url).port);

/** A raw connection from one of this machine's own addresses. */
async function dial(head = '', localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port: port(), host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (head) socket.write(head);
  return socket;
}

const head = (path: string, ...lines: string[]): string =>
  [`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...lines, '', ''].join('\r\n');

describe('metrics show turnover, so without a token they are for this machine alone', () => {
  const read = (headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${site.server.url}/metrics`, { headers });

  it('answers a loopback connection', async () => {
    const response = await read();
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('tollgate_')]);
  });

  it.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])('refuses what a proxy forwarded (%s)', async (name) => {
    const response = await read({ [name]: '203.0.113.9' });
    const text = await response.text();
    expect([response.status, text]).toEqual([401, expect.stringContaining('METRICS_TOKEN')]);
    expect(text).not.toContain('tollgate_');
  });

  const readRaw = async (version: string, host: string): Promise<string> => {
    const socket = await dial(`GET /metrics ${version}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    let text = '';
    for await (const piece of socket) text += String(piece);
    return text;
  };

  it.each(['localhost', 'LOCALHOST:3000', 'gate.localhost:3000', '127.0.0.1:3000', '127.1.2.3', '[::1]:3000'])(
    'answers at every name of this machine alone: %s',
    async (host) => expect(await readRaw('HTTP/1.1', host)).toMatch(/^HTTP\/1\.1 200 /),
  );

  it.each([
    ['a proxy that adds no header of its own', 'HTTP/1.1', 'gate.example'],
    ['nginx with its defaults', 'HTTP/1.0', '127.0.0.1:3000'],
    ['a page whose name points here', 'HTTP/1.1', 'evil.example:3000'],
    ['a name that only begins like one of this machine', 'HTTP/1.1', 'localhost.evil.example'],
  ])('refuses %s', async (_name, version, host) => {
    const text = await readRaw(version, host);
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
    expect(text).not.toContain('tollgate_');
  });
});

it('request ids reveal no counter: nothing after the milliseconds follows from the id before', async () => {
  const ids: string[] = [];
  for (let call = 0; call < 60; call++) {
    const { headers } = await fetch(`${site.server.url}/healthz`);
    ids.push(headers.get('x-oneapi-request-id') ?? '');
  }
  expect(new Set(ids).size).toBe(60);
  const counts = ids.map((id) => Number(/^\d{17}(\d{6})\w{8}$/.exec(id)?.[1]));
  const steps = counts.slice(1).map((count, index) => count - (counts[index] ?? 0));
  // If the ids were counted, every step would be small and positive.
  expect(steps.filter((step) => step < 0).length).toBeGreaterThan(10);
  expect(steps.filter((step) => Math.abs(step) > 1000).length).toBeGreaterThan(50);
  expect(new Set(ids.map((id) => id.slice(-8))).size).toBe(60);
});

describe('cookies are Secure when the public address is https', () => {
  const cookieOf = async (headers: Record<string, string> = {}): Promise<string> => {
    const { username, password } = root;
    const answer = await site.rest(null, 'POST', '/api/user/login', { username, password }, headers);
    return answer.headers.get('set-cookie') ?? '';
  };

  it('follows the page and the configured address where TLS ends at a proxy nobody configured', async () => {
    expect(await cookieOf()).not.toContain('Secure');
    expect(await cookieOf({ origin: 'https://gate.example' })).toContain('Secure');
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'ServerAddress', value: 'https://gate.example' });
    expect(await cookieOf()).toContain('Secure');
    // A page that was opened over plain http could not store a secure cookie.
    expect(await cookieOf({ origin: 'http://10.0.0.5:3000' })).not.toContain('Secure');
  });
});

describe('bodies of callers who are not signed in', () => {
  const large = JSON.stringify({ key: 'Notice', value: 'x'.repeat(200_000) });

  it.each([
    ['REST', 'PUT', '/api/option/'],
    ['GraphQL', 'POST', '/graphql'],
    ['a public route', 'POST', '/api/user/login'],
  ])('are refused above a small limit before they are read: %s', async (_name, method, path) => {
    const answer = await site.rest(null, method, path, large, anywhere());
    expect(answer.status).toBe(413);
    expect(JSON.stringify(answer.body)).toContain('PAYLOAD_TOO_LARGE');
  });

  it('are refused at the limit when their length is not announced', async () => {
    const socket = await dial(head('/api/user/login', 'Transfer-Encoding: chunked'));
    let received = '';
    socket.on('data', (piece) => (received += String(piece)));
    for (let piece = 0; piece < 40 && !received; piece++) {
      socket.write(`1000\r\n${'x'.repeat(4096)}\r\n`);
      await delay(5);
    }
    for (let wait = 0; wait < 2000 && !received; wait++) await delay(10);
    expect(received).toMatch(/^HTTP\/1.1 413 /);
    socket.destroy();
  });

  it('a signed-in caller keeps the limit of the route', async () => {
    const answer = await site.rest(root, 'PUT', '/api/option/', large);
    expect(answer.body).toMatchObject({ success: true });
  });

  it.each([
    ['nested 100,000 deep', '['.repeat(100_000)],
    ['a million values', `{"a":[${'[],'.repeat(1_000_000)}0]}`],
  ])('a signed-in caller cannot send what grows fiftyfold when parsed: %s', async (_name, body) => {
    const rest = await site.rest(root, 'PUT', '/api/option/', body);
    expect(rest.body).toMatchObject({ success: false, code: 'INVALID_INPUT' });
    expect((rest.body as { message?: string }).message).toMatch(/nested more than|has more than/);
    const graphql = await site.rest(root, 'POST', '/graphql', body.slice(0, 1_000_000));
    expect(graphql.status).toBe(400);
  });
});

describe('slow bodies and many connections', () => {
  it.each(['/api/user/login', '/graphql', '/v1/chat/completions'])('closes a dripping body: %s', async (path) => {
    const socket = await dial(head(path, 'Content-Length: 1000'));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const drip = setInterval(() => socket.write(' '), 100);
    await closed.finally(() => clearInterval(drip));
  });

  it('closes a body that is fast enough and never ends', async () => {
    const socket = await dial(head('/api/user/login', 'Content-Length: 10000000'));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const drip = setInterval(() => socket.write('x'.repeat(1000)), 100);
    await closed.finally(() => clearInterval(drip));
  });

  it('limits connections of one address, not those of others or of a trusted proxy', async () => {
    const opened = await Promise.all(Array.from({ length: 60 }, () => dial('', '127.0.0.1')));
    const alive = (): number =>
      opened.filter((socket) => !socket.closed && !socket.destroyed && socket.readyState === 'open').length;
    while (alive() > 40) await delay(20);
    // No further connections are closed.
    await delay(300);
    expect(alive()).toBeGreaterThan(20);
    const proxied = await Promise.all(Array.from({ length: 60 }, () => dial('', '127.0.0.2')));
    const other = await dial('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', '127.0.0.3');
    const [first] = (await once(other, 'data')) as [Buffer];
    expect(String(first)).toMatch(/^HTTP\/1.1 200/);
    await delay(300);
    expect(proxied.every((socket) => socket.readyState === 'open')).toBe(true);
    for (const socket of [...opened, ...proxied, other]) socket.destroy();
    // The server notices the closed connections some time later.
    const status = (): Promise<number> =>
      fetch(`${site.server.url}/healthz`).then(
        (response) => response.status,
        () => 0,
      );
    while ((await status()) !== 200) await delay(20);
  });
});

it('a client that aborts its body is no database failure', async () => {
  const before = site.server.logLines().length;
  const socket = await dial(head('/api/user/login', 'Content-Length: 100') + '{"user');
  await delay(200);
  socket.destroy();
  await delay(300);
  const lines = site.server.logLines().slice(before).join('\n');
  expect(lines).not.toMatch(/away|unavailable|SERVICE_UNAVAILABLE|"level":(40|50)/);
});

it('only root chooses the addresses that receive the reader’s API key', async () => {
  const admin = await site.invite(root, 'admin');
  const change = { key: 'Chats', value: '[{"Chat":"https://evil.example/?k={key}"}]' };
  const answer = await site.rest(admin, 'PUT', '/api/option/', change);
  expect(answer.body).toMatchObject({ success: false, code: 'INSUFFICIENT_PRIVILEGES' });
  await site.expectSuccess(root, 'PUT', '/api/option/', change);
});
