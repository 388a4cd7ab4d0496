import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { startConnectProxy, startSocksProxy, type TestProxy } from '../support/proxies.js';
import * as faults from '../support/upstream/faults.js';
import { toEvent } from '../support/upstream/recordings.js';
import { chat, chatChunks, chatCompletion, json } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage, type HarnessOptions } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

/** Connections to providers: proxies and timeouts. */
let relay: RelayHarness;

const options: HarnessOptions = {
  // The resolution of one name never ends, and another name resolves to a cloud's metadata service.
  resolver: (hostname, _options, callback) => {
    if (hostname === 'nowhere.example') return;
    callback(null, [{ address: hostname === 'metadata.example' ? '169.254.169.254' : '127.0.0.1', family: 4 }]);
  },
};

relaySuite((started) => (relay = started), options);

const body = { model: 'gpt-4o', messages: userMessage('hi') };
const errorOf = async (response: Response): Promise<{ status: number; code: unknown; message: string }> => {
  const { error } = (await response.json()) as { error: { code: unknown; message: string } };
  return { status: response.status, code: error.code, message: error.message };
};

describe('the proxy of a channel', () => {
  const login = { username: 'me', password: 'p@ss:word' };
  const kinds: ReadonlyArray<readonly [string, string, typeof startSocksProxy]> = [
    ['http', 'CONNECT', startConnectProxy],
    ['socks5', 'SOCKS 5', startSocksProxy],
  ];
  let proxy: TestProxy;
  afterEach(() => proxy.stop());

  const through = (scheme: string, credentials = ''): Promise<number> =>
    relay.addChannel({ setting: JSON.stringify({ proxy: `${scheme}://${credentials}127.0.0.1:${proxy.port}` }) });

  it.each(kinds)('of %s (%s) carries whole answers and streams, on one connection', async (scheme, _name, start) => {
    proxy = await start();
    await through(scheme);
    const { key, userId } = await relay.addToken();
    expect((await relay.chat(key, body)).status).toBe(200);
    const streamed = await (await relay.chat(key, { ...body, stream: true })).text();
    expect(streamed).toMatch(/data: \[DONE\]\n\n$/);
    expect(relay.upstream.requests).toHaveLength(2);
    expect(proxy.asked).toEqual([new URL(relay.upstream.url).host]);
    expect(await relay.logs(userId)).toHaveLength(2);
  });

  it.each(kinds)('of %s (%s) wants its own name and word', async (scheme, _name, start) => {
    proxy = await start({ credentials: login });
    await through(scheme, `${login.username}:${encodeURIComponent(login.password)}@`);
    const { key } = await relay.addToken();
    expect((await relay.chat(key, body)).status).toBe(200);
    await relay.clearChannels();
    await through(scheme, 'me:wrong@');
    const refused = await errorOf(await relay.chat(key, body));
    expect(refused).toMatchObject({ status: 500, code: 'do_request_failed' });
    expect(refused.message).not.toMatch(/127\.0\.0\.1|wrong|p@ss/);
    expect(relay.upstream.requests).toHaveLength(1);
  });

  it.each(kinds)('of %s (%s) is used for uploads, too', async (scheme, _name, start) => {
    proxy = await start();
    await relay.addChannel({
      models: 'text-embedding-3-small',
      setting: JSON.stringify({ proxy: `${scheme}://127.0.0.1:${proxy.port}` }),
    });
    const { key } = await relay.addToken();
    const input = 'x'.repeat(200_000);
    const response = await relay.post('/v1/embeddings', key, { model: 'text-embedding-3-small', input });
    expect(response.status).toBe(200);
    expect(relay.upstream.requests[0]?.body?.['input']).toBe(input);
    expect(proxy.asked).toHaveLength(1);
  });

  it('that is gone fails the call, and another channel serves it', async () => {
    proxy = await startConnectProxy();
    await relay.addChannel({
      priority: 9,
      setting: JSON.stringify({ proxy: `socks5://127.0.0.1:${proxy.port}` }),
    });
    await proxy.stop();
    const { key } = await relay.addToken();
    expect(await errorOf(await relay.chat(key, body))).toMatchObject({ status: 500, code: 'do_request_failed' });
    relay.setOptions({ RetryTimes: 1 });
    await relay.addChannel({ priority: 1 });
    expect((await relay.chat(key, body)).status).toBe(200);
  });

  it.each(['http://169.254.169.254', 'http://metadata.example', 'socks5://169.254.169.254', 'ftp://127.0.0.1', 'x'])(
    'is never %s',
    async (address) => {
      proxy = await startConnectProxy();
      const id = await relay.addChannel();
      // A row that the console would refuse must not be called either.
      await relay.sql('UPDATE channels SET setting = $2 WHERE id = $1', [id, { proxy: address }]);
      await relay.changed({ kind: 'channel', id });
      const { key } = await relay.addToken();
      expect(await errorOf(await relay.chat(key, body))).toMatchObject({ status: 500, code: 'do_request_failed' });
      expect(relay.upstream.requests).toHaveLength(0);
    },
  );
});

describe('an answer that is compressed although nobody asked for it', () => {
  const answer = JSON.stringify(chatCompletion({ text: 'Grüße, 世界' }, 'gpt-4o'));

  it.each([
    ['gzip', gzipSync(answer)],
    ['br', brotliCompressSync(answer)],
    ['deflate', deflateSync(answer)],
  ])('is read: %s', async (encoding, bytes) => {
    await relay.addChannel();
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, json(bytes, 200, { 'content-encoding': encoding }));
    const response = await relay.chat(key, body);
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(await response.text()).toBe(answer);
    expect(await relay.logs(userId)).toMatchObject([{ prompt_tokens: 12, completion_tokens: 5 }]);
  });

  it('is read event by event', async () => {
    await relay.addChannel();
    const { key } = await relay.addToken();
    const data = chatChunks({ text: ['Grüße', ', 世界'] }, 'gpt-4o', true);
    let goOn = (): void => undefined;
    const begun = new Promise<void>((resolve) => (goOn = resolve));
    relay.upstream.script({}, async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      const packer = createGzip({ flush: constants.Z_SYNC_FLUSH });
      packer.pipe(response);
      for (const item of data.slice(0, 3)) packer.write(toEvent(item));
      await begun;
      packer.end(data.slice(3).map(toEvent).join('') + toEvent('[DONE]'));
    });
    const response = await relay.chat(key, { ...body, stream: true });
    let text = '';
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (text.includes('世界')) goOn();
    }
    expect(text).toBe(data.slice(0, -1).map(toEvent).join('') + toEvent('[DONE]'));
  });

  it('is a broken one where its bytes are, and another channel serves the call', async () => {
    await relay.addChannel({ priority: 9, key: 'broken' });
    await relay.addChannel({ priority: 1 });
    relay.setOptions({ RetryTimes: 1 });
    const { key } = await relay.addToken();
    const cut = gzipSync(answer).subarray(0, 40);
    relay.upstream.script({ key: 'broken' }, json(cut, 200, { 'content-encoding': 'gzip' }));
    const response = await relay.chat(key, body);
    expect(response.status).toBe(200);
    expect(relay.upstream.requests.map((each) => each.key)).toEqual(['broken', expect.any(String)]);
  });
});

// The limit under test is short. The others are long, because a busy machine may be slow.
describe('time', () => {
  const took = async (call: () => Promise<unknown>): Promise<number> => {
    const since = performance.now();
    await call();
    return performance.now() - since;
  };

  describe('to connect', () => {
    relaySuite((started) => (relay = started), { ...options, settings: { connectTimeout: 1000 } });

    it('is limited, names and all', async () => {
      await relay.addChannel({ baseUrl: 'http://nowhere.example:81' });
      const { key, userId } = await relay.addToken();
      const time = await took(async () => {
        expect(await errorOf(await relay.chat(key, body))).toMatchObject({ status: 500, code: 'do_request_failed' });
      });
      expect(time).toBeGreaterThan(950);
      expect(await relay.logs(userId)).toEqual([]);
    });
  });

  describe('to the first byte', () => {
    relaySuite((started) => (relay = started), { ...options, settings: { firstByteTimeout: 1000 } });

    it('is limited', async () => {
      await relay.addChannel();
      const { key } = await relay.addToken();
      relay.upstream.script({}, faults.silence());
      const time = await took(async () => {
        expect((await errorOf(await relay.chat(key, body))).code).toBe('do_request_failed');
      });
      expect(time).toBeGreaterThan(950);
      await relay.upstream.requests[0]?.ended;
      expect(relay.upstream.requests[0]?.aborted).toBe(true);
    });
  });

  describe('between two bytes', () => {
    relaySuite((started) => (relay = started), { ...options, settings: { idleTimeout: 1000 } });

    it('is limited', async () => {
      await relay.addChannel();
      const { key, userId } = await relay.addToken();
      relay.upstream.script({}, faults.silenceAfter(5));
      const text = await (await relay.chat(key, { ...body, stream: true })).text();
      expect(text).toContain('"code":"stream_response_error"');
      await relay.upstream.requests[0]?.ended;
      expect(relay.upstream.requests[0]?.aborted).toBe(true);
      expect((await relay.logsOf(userId, 1))[0]).toMatchObject({ other: { stream_error: 'stream_response_error' } });
    });
  });

  describe('of the whole call', () => {
    relaySuite((started) => (relay = started), { ...options, settings: { totalTimeout: 2500 } });

    it('is limited, however often a byte comes', async () => {
      await relay.addChannel();
      const { key, userId } = await relay.addToken();
      // The response is longer than the test may take.
      relay.upstream.script({}, chat({ text: Array<string>(10_000).fill('word '), gapMilliseconds: 100 }));
      let text = '';
      const time = await took(async () => {
        text = await (await relay.chat(key, { ...body, stream: true })).text();
      });
      expect(time).toBeGreaterThan(2400);
      expect(text.split('word ').length).toBeGreaterThan(5);
      expect(text).toMatch(/longer than allowed.*\n\ndata: \[DONE\]\n\n$/s);
      await relay.upstream.requests[0]?.ended;
      expect(relay.upstream.requests[0]?.aborted).toBe(true);
      const [row] = await relay.logsOf(userId, 1);
      expect(row?.completion_tokens).toBeGreaterThan(5);
      expect(row?.quota).toBeGreaterThan(0);
    });
  });
});
