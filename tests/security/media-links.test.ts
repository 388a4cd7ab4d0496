/** One small call with links to media must not make the server hold all of the media in memory. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RelayHarness } from '../contract/relay-harness.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { says } from '../support/upstream/families.js';

const mebibyte = 1024 * 1024;
const model = 'gemini-2.0-flash';
let relay: RelayHarness;
let host: Server;
let address: string;
let asked = 0;
let sent = 0;

/** The server has 20 MB at every address. With `?chunked` it does not announce the length. */
beforeAll(async () => {
  relay = await RelayHarness.start({ outboundAllow: ['127.0.0.1'] });
  const piece = Buffer.alloc(64 * 1024);
  host = createServer((request, response) => {
    asked++;
    response.on('error', () => undefined);
    const length = Number(new URL(request.url ?? '', 'http://x').searchParams.get('mb') ?? 20) * mebibyte;
    const announced = request.url?.includes('chunked') ? {} : { 'content-length': length };
    response.writeHead(200, { 'content-type': 'image/png', ...announced });
    let left = length;
    const more = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= piece.length;
        sent += piece.length;
        if (!response.write(piece)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await relay.stop();
  host.closeAllConnections();
  await new Promise((resolve) => host.close(resolve));
});
beforeEach(async () => {
  asked = 0;
  sent = 0;
  relay.upstream.reset();
  relay.upstream.script({}, says({ text: 'ok' }));
  await relay.clearChannels();
  await relay.addChannel({ type: 24, models: model });
});
afterEach(async () => {
  await relay.idle();
  expect(await relay.openReservations()).toBe(0);
  expect(await relay.drift()).toEqual([]);
});

/** Each message has one image, so that no limit of images per message applies. */
const calling = (urls: readonly string[]): object => ({
  model,
  max_tokens: 50,
  messages: urls.map((url) => ({ role: 'user', content: [{ type: 'image_url', image_url: { url } }] })),
});

async function ask(body: object): Promise<{ status: number; message: string }> {
  const { key } = await relay.addToken();
  const response = await relay.chat(key, body);
  const answer = (await response.json()) as { error?: { message: string } };
  return { status: response.status, message: answer.error?.message ?? '' };
}

/** @returns the bytes by which the process grew at most during the work */
async function growthWhile(work: () => Promise<unknown>): Promise<number> {
  collectGarbage();
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);
  await work();
  clearInterval(timer);
  return Math.max(most, process.memoryUsage().rss) - before;
}

it.each(['', 'chunked&'])('64 links of 20 MB change memory by less than 100 MB: %s', async (how) => {
  const urls = Array.from({ length: 64 }, (_none, index) => `${address}/?${how}n=${index}`);
  const growth = await growthWhile(async () => {
    const { status, message } = await ask(calling(urls));
    expect([status, message]).toEqual([400, expect.stringContaining('all of them together may have 24 MB')]);
  });
  expect(growth).toBeLessThan(100 * mebibyte);
  expect(asked).toBeLessThanOrEqual(8);
  expect(sent).toBeLessThan(100 * mebibyte);
  expect(relay.upstream.requests).toHaveLength(0);
});

it('the number is checked first: more images than the provider takes are not fetched', async () => {
  const content = Array.from({ length: 17 }, (_none, index) => ({
    type: 'image_url',
    image_url: { url: `${address}/?mb=1&n=${index}` },
  }));
  const { status, message } = await ask({ model, messages: [{ role: 'user', content }] });
  expect([status, message]).toEqual([400, expect.stringContaining('at most 16 images')]);
  expect(asked).toBe(0);
});

it('what fits the budget arrives whole, and the budget is free again after the call', async () => {
  const urls = [6, 7, 8].map((mb) => `${address}/?mb=${mb}&chunked`);
  for (let turn = 0; turn < 12; turn++) expect(await ask(calling(urls))).toMatchObject({ status: 200 });
  const { contents } = relay.upstream.requests.at(-1)?.body as {
    contents: Array<{ parts: Array<{ inlineData: { data: string } }> }>;
  };
  const lengths = contents.flatMap(({ parts }) =>
    parts.map((part) => Buffer.from(part.inlineData.data, 'base64').length),
  );
  expect(lengths).toEqual([6 * mebibyte, 7 * mebibyte, 8 * mebibyte]);
});
