/**
 * Partial images of streams. OpenAI bills 100 tokens for each, beside those of the image
 * (https://platform.openai.com/docs/guides/image-generation, November 2026).
 */
import type { RelayHarness } from '../contract/relay-harness.js';
import { relaySuite } from '../contract/relay-suite.js';
import { events, json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';

type Json = Record<string, unknown>;

const model = 'gpt-image-1.5';
let relay: RelayHarness;
relaySuite((started) => (relay = started), { values: { PriceCards: { [model]: 'built-in', 'gpt-4o': 'built-in' } } });
afterEach(async () => {
  expect(await relay.unexplained()).toEqual([]);
  expect(await relay.replayedDifferently()).toEqual([]);
});

/** Quota of a token: text at $5 a million, images at $32. */
const [ofText, ofImage] = [2.5, 16];
const square = 1056;

/** Draws as many partial images as the request asks for, which OpenAI sends in streams alone. */
const draws =
  (isReported: boolean): Reply =>
  (response, request) => {
    const form = (name: string): string =>
      new RegExp(`name="${name}"\r\n\r\n([^\r]*)`).exec(request.rawBody.toString('latin1'))?.[1] ?? '';
    const read = (name: string): unknown => request.body?.[name] ?? form(name);
    const [n, partial] = [Number(read('n')) || 1, Number(read('partial_images')) || 0];
    const tokens = (images: number): Json => ({
      usage: {
        input_tokens: 10,
        output_tokens: images,
        total_tokens: 10 + images,
        input_tokens_details: { text_tokens: 10, image_tokens: 0 },
        output_tokens_details: { text_tokens: 0, image_tokens: images },
      },
    });
    // Servers in Python read a boolean of a form in many spellings.
    if (!/^(?:true|t|yes|y|on|1)$/i.test(String(read('stream')))) {
      const data = Array<object>(n).fill({ b64_json: 'AA==' });
      return json({ created: 1, data, ...(isReported ? tokens(n * square) : {}) })(response, request);
    }
    const parts = Array.from({ length: partial }, (_, index) => ({
      type: 'image_generation.partial_image',
      partial_image_index: index,
      b64_json: 'AA==',
    }));
    const usage = isReported ? tokens(square + partial * 100) : {};
    const last = { type: 'image_generation.completed', b64_json: 'AA==', ...usage };
    const all = Array.from({ length: n }, () => [...parts, last]).flat();
    return events(
      all.map((event) => JSON.stringify(event)),
      { done: false },
    )(response, request);
  };

const order = { model, prompt: 'a cat', size: '1024x1024', quality: 'medium' };
/** Posts an order as JSON, or as a form with an image. */
async function post(
  path: string,
  body: Json,
  quota = 1_000_000,
): Promise<{ status: number; text: string; quota: number }> {
  const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota }) });
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) form.set(name, String(value));
  form.set('image', new File(['x'], 'a.png', { type: 'image/png' }));
  const response = await (path.endsWith('edits') ? relay.postForm(path, key, form) : relay.post(path, key, body));
  const text = await response.text();
  const [row] = response.status === 200 ? await relay.logsOf(userId, 1) : [];
  return { status: response.status, text, quota: row?.quota ?? 0 };
}
const paths = ['/v1/images/generations', '/v1/images/edits', `/openai/deployments/${model}/images/generations`];

describe.each(paths)('%s', (path) => {
  beforeEach(() => relay.addChannel({ models: model }).then(() => undefined));

  it.each([
    [0, 1],
    [1, 1],
    [3, 1],
    [3, 2],
  ])('charges %i partial images of each of %i images', async (partial, n) => {
    const body = { ...order, n, stream: true, partial_images: partial };
    relay.upstream.script({}, draws(true));
    const reported = await post(path, body);
    expect(reported).toMatchObject({ status: 200, quota: n * (10 * ofText + (square + partial * 100) * ofImage) });
    relay.upstream.script({}, draws(false));
    const counted = await post(path, body);
    expect(counted.status).toBe(200);
    const others = counted.quota - n * (square + partial * 100) * ofImage;
    // The text of the prompt, and the image of an edit at its most.
    expect(others).toBeLessThan(path.endsWith('edits') ? 6600 * 4 : 20);
    expect(others).toBeGreaterThanOrEqual(5);
  });

  it('charges none without a stream', async () => {
    relay.upstream.script({}, draws(false));
    const [plain, asked] = [await post(path, order), await post(path, { ...order, partial_images: 3 })];
    expect([asked.status, asked.quota]).toEqual([200, plain.quota]);
  });

  it('reserves them: a balance that pays for the image alone is refused', async () => {
    relay.upstream.script({}, draws(true));
    const { quota } = await post(path, { ...order, stream: true });
    // An image of the request is reserved at 6,500 tokens.
    const least = path.endsWith('edits') ? quota + 6500 * ofText : quota;
    const { status, text } = await post(path, { ...order, stream: true, partial_images: 3 }, least + 200);
    expect([status, text]).toEqual([403, expect.stringContaining('not enough')]);
    expect(relay.upstream.requests).toHaveLength(1);
  });

  it.each(['4', '-1', '1.5', '[2]', '1e2', '"2 "', '"x"', 'true'])('refuses %s of them', async (value) => {
    relay.upstream.script({}, draws(true));
    const { status, text } = await post(path, { ...order, stream: true, partial_images: JSON.parse(value) as unknown });
    const isForm = path.endsWith('edits');
    if (isForm && value === '[2]') return expect(status).toBe(200);
    expect([status, text]).toEqual([400, expect.stringContaining('partial_images')]);
    expect(relay.upstream.requests).toHaveLength(0);
  });
});

describe('a form', () => {
  const path = '/v1/images/edits';
  beforeEach(() => relay.addChannel({ models: model }).then(() => undefined));

  it.each(['True', 'TRUE', '1', 'yes', 'On', 't'])(
    'with the stream %s is a stream, whose partial images cost',
    async (stream) => {
      relay.upstream.script({}, draws(true));
      const { status, text, quota } = await post(path, { ...order, stream, partial_images: 3 });
      expect([status, quota]).toEqual([200, 10 * ofText + (square + 300) * ofImage]);
      expect(text).toContain('image_generation.completed');
      expect(relay.upstream.requests[0]?.rawBody.toString()).toContain('name="stream"\r\n\r\ntrue\r\n');
    },
  );

  it.each(['False', '0', 'no', ''])('with the stream "%s" is none', async (stream) => {
    relay.upstream.script({}, draws(true));
    const { text, quota } = await post(path, { ...order, stream, partial_images: 3 });
    expect([JSON.parse(text), quota]).toEqual([
      expect.objectContaining({ created: 1 }),
      10 * ofText + square * ofImage,
    ]);
  });

  it.each([path, '/v1/audio/transcriptions'])('with a stream that is no boolean is refused at %s', async (route) => {
    const { key } = await relay.addToken();
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...order, stream: 'true ' })) form.set(name, value);
    for (const name of ['image', 'file']) form.set(name, new File(['x'], 'a.png'));
    const response = await relay.postForm(route, key, form);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('stream')]);
    expect(relay.upstream.requests).toHaveLength(0);
  });
});

it('are charged where a client leaves before the image that a tool draws is complete', async () => {
  await relay.addChannel({ type: 1, models: 'gpt-4o' });
  const { key, userId } = await relay.addToken();
  const item = { type: 'image_generation_call', id: 'ig_1', status: 'completed', size: '1024x1024', quality: 'medium' };
  const created = {
    id: 'resp_1',
    status: 'in_progress',
    model: 'gpt-4o',
    tools: [{ type: 'image_generation', partial_images: 3 }],
  };
  const partial = (index: number): string =>
    JSON.stringify({
      type: 'response.image_generation_call.partial_image',
      item_id: 'ig_1',
      partial_image_index: index,
      partial_image_b64: 'A'.repeat(100_000),
    });
  relay.upstream.script(
    {},
    events(
      [
        JSON.stringify({ type: 'response.created', response: created }),
        ...[0, 1, 2].map(partial),
        JSON.stringify({ type: 'response.output_item.done', item }),
        JSON.stringify({
          type: 'response.completed',
          response: {
            ...created,
            status: 'completed',
            output: [item],
            usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
          },
        }),
      ],
      { done: false, gapMilliseconds: 150 },
    ),
  );
  const abort = new AbortController();
  const body = {
    model: 'gpt-4o',
    input: 'a cat',
    stream: true,
    tools: [{ type: 'image_generation', partial_images: 3 }],
  };
  const response = await relay.post('/v1/responses', key, body, { signal: abort.signal });
  const reader = response.body?.getReader();
  let text = '';
  while (!text.includes('"partial_image_index":2')) {
    text += Buffer.from((await reader?.read())?.value ?? []).toString();
  }
  abort.abort();
  await relay.idle();
  const [row] = await relay.logsOf(userId, 1);
  // The image of gpt-image-2 at $30 a million.
  expect(row?.quota).toBeGreaterThanOrEqual((square + 300) * 15);
});
