import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { says } from '../support/upstream/families.js';
import { json } from '../support/upstream/replies.js';
import { RelayHarness } from './relay-harness.js';

/**
 * Downloads images and files that a call names by URL, for providers that do not download them
 * (docs/reference/relay/guarantees.md#security).
 */
let relay: RelayHarness;
let shelf: Server;
let address: string;
let asked: Array<{ readonly path: string; readonly headers: Readonly<Record<string, unknown>> }>;

const picture = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010806000000', 'hex');
const paper = Buffer.from('%PDF-1.7 a paper');
const most = 20 * 1024 * 1024;

const shelves: Readonly<Record<string, RequestListener>> = {
  '/a.png': (_request, response) => response.writeHead(200, { 'content-type': 'image/png; charset=x' }).end(picture),
  '/a.pdf': (_request, response) => response.writeHead(200, { 'content-type': 'application/pdf' }).end(paper),
  '/moved': (_request, response) => response.writeHead(302, { location: '/a.png' }).end(),
  '/moved-inside': (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/key' }).end(),
  '/moved-to-file': (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/page': (_request, response) => response.writeHead(200, { 'content-type': 'application/x-sh' }).end('x'),
  '/endless': (_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png' });
    const piece = Buffer.alloc(1024 * 1024);
    const more = (): void => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  },
};

beforeAll(async () => {
  relay = await RelayHarness.start({ outboundAllow: ['127.0.0.1'] });
  shelf = createServer((request, response) => {
    response.on('error', () => undefined);
    asked.push({ path: request.url ?? '', headers: request.headers });
    const found = shelves[request.url ?? ''];
    if (found) found(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => shelf.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(shelf.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await relay.stop();
  shelf.closeAllConnections();
  await new Promise((resolve) => shelf.close(resolve));
});
beforeEach(async () => {
  asked = [];
  relay.upstream.reset();
  relay.upstream.script({}, says({ text: 'ok' }));
  await relay.clearChannels();
});
afterEach(async () => {
  expect(await relay.openReservations()).toBe(0);
  expect(await relay.drift()).toEqual([]);
  expect(await relay.replayedDifferently()).toEqual([]);
});

const model = 'gemini-2.0-flash';
const base64 = (bytes: Buffer): string => bytes.toString('base64');

async function ask(url: string, path = '/v1/chat/completions'): Promise<{ status: number; error?: { code: unknown } }> {
  const { key } = await relay.addToken();
  const image = { type: 'image_url', image_url: { url } };
  const source = { type: 'image', source: { type: 'url', url } };
  const content = path === '/v1/messages' ? [source] : [image];
  const response = await relay.post(path, key, { model, max_tokens: 50, messages: [{ role: 'user', content }] });
  return { status: response.status, ...((await response.json()) as object) };
}

const partsSent = (): unknown => {
  const [content] = (relay.upstream.requests[0]?.body?.['contents'] ?? []) as Array<{ parts: unknown }>;
  return content?.parts;
};

describe('at a provider that fetches nothing', () => {
  beforeEach(() => relay.addChannel({ type: 24, models: model }));

  it.each(['/v1/chat/completions', '/v1/messages'])('a picture travels with the call, from %s', async (path) => {
    expect((await ask(`${address}/a.png`, path)).status).toBe(200);
    expect(partsSent()).toEqual([{ inlineData: { mimeType: 'image/png', data: base64(picture) } }]);
    // The request to the host of the image contains nothing about the caller.
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(asked[0]?.headers)).not.toMatch(/sk-|bearer|authorization|cookie/i);
  });

  it('a file, too', async () => {
    const { key } = await relay.addToken();
    const document = { type: 'document', source: { type: 'url', url: `${address}/a.pdf` } };
    const messages = [{ role: 'user', content: [document] }];
    expect((await relay.post('/v1/messages', key, { model, max_tokens: 50, messages })).status).toBe(200);
    expect(partsSent()).toEqual([{ inlineData: { mimeType: 'application/pdf', data: base64(paper) } }]);
  });

  it('one that is repeated is fetched once', async () => {
    const { key } = await relay.addToken();
    const image = { type: 'image_url', image_url: { url: `${address}/a.png` } };
    const messages = [{ role: 'user', content: [image, image] }];
    expect((await relay.chat(key, { model, messages })).status).toBe(200);
    expect(asked).toHaveLength(1);
    expect(partsSent()).toHaveLength(2);
  });

  it('follows a redirect', async () => {
    expect((await ask(`${address}/moved`)).status).toBe(200);
    expect(asked.map(({ path }) => path)).toEqual(['/moved', '/a.png']);
  });

  it.each(['/moved-inside', '/moved-to-file', '/page', '/nothing', '/endless'])(
    '%s is the client’s mistake, and nobody is asked or paid',
    async (path) => {
      const { status, error } = await ask(address + path);
      expect([status, error?.code]).toEqual([400, 'invalid_image']);
      expect(relay.upstream.requests).toHaveLength(0);
    },
  );

  it('more addresses than a call may name are refused before any is fetched', async () => {
    const { key } = await relay.addToken();
    const content = Array.from({ length: 65 }, (_none, index) => ({
      type: 'image_url',
      image_url: { url: `${address}/a.png?${index}` },
    }));
    const response = await relay.chat(key, { model, messages: [{ role: 'user', content }] });
    expect(response.status).toBe(400);
    expect(asked).toEqual([]);
  });
});

it('a provider that fetches by itself gets the address', async () => {
  await relay.addChannel({ type: 14, models: model });
  expect((await ask(`${address}/a.png`)).status).toBe(200);
  expect(asked).toEqual([]);
  expect(JSON.stringify(relay.upstream.requests[0]?.body)).toContain(`${address}/a.png`);
});

it('reads no further than the size a picture may have', async () => {
  await relay.addChannel({ type: 24, models: model });
  const before = process.memoryUsage().arrayBuffers;
  expect((await ask(`${address}/endless`)).status).toBe(400);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(3 * most);
});

it('gives Bedrock the media of a client of its own dialect, which it does not fetch', async () => {
  const claude = 'claude-sonnet-4-20250514';
  await relay.addChannel({ type: 33, key: 'AKIAFAKE|secret-fake|us-east-1', models: claude });
  const { key } = await relay.addToken();
  const answer = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'ok' }],
    stop_reason: 'end_turn',
  };
  relay.upstream.script({}, json({ id: 'm', model: claude, ...answer, usage: { input_tokens: 3, output_tokens: 1 } }));
  const source = { type: 'url', url: `${address}/a.png` };
  const messages = [{ role: 'user', content: [{ type: 'image', source }] }];
  const response = await relay.post('/v1/messages', key, { model: claude, max_tokens: 50, messages });
  expect(response.status).toBe(200);
  expect(relay.upstream.requests[0]?.body?.['messages']).toEqual([
    {
      role: 'user',
      content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64(picture) } }],
    },
  ]);
});
