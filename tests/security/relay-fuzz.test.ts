import fc from 'fast-check';
import { endpoints } from '../../server/src/services/endpoints.js';
import { RelayHarness, userMessage } from '../contract/relay-harness.js';
import { families, says } from '../support/upstream/families.js';
import { recordedEvents } from '../support/upstream/recordings.js';
import { openStream } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';

/**
 * Random input from clients and providers causes no crash, no unhandled rejection, no response that contains internal
 * names and no call without its charge, and the ledger stays exact. FUZZ_CASES sets the number of cases; `npm test --
 * --full` uses 100,000.
 */
const cases = Number(process.env['FUZZ_CASES'] ?? 1000);
/** Set this variable to repeat a failed run. */
const seed = process.env['FUZZ_SEED'] ? { seed: Number(process.env['FUZZ_SEED']) } : {};
/** Concurrent calls. */
const together = 16;

jest.setTimeout(Math.max(120_000, cases * 60));

let relay: RelayHarness;
let key: string;
let userId: number;
const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => void unhandled.push(reason);

beforeAll(async () => {
  process.on('unhandledRejection', onUnhandled);
  relay = await RelayHarness.start({ settings: { firstByteTimeout: 2000, idleTimeout: 2000 } });
  relay.setOptions({ SelfUseModeEnabled: true, RetryTimes: 1 });
  for (const { type, model } of families) await relay.addChannel({ type, models: `${model},tts-1,whisper-1,dall-e-3` });
  await relay.addChannel({ type: 42, models: 'codestral-2508' });
  ({ key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 9_000_000_000_000 }) }));
});
afterAll(async () => {
  await relay.stop();
  process.off('unhandledRejection', onUnhandled);
});
afterEach(async () => {
  await relay.idle();
  expect(await relay.openReservations()).toBe(0);
  expect(await relay.drift()).toEqual([]);
  expect(await relay.unexplained()).toEqual([]);
  expect(unhandled).toEqual([]);
  expect(relay.logLines.filter((line) => line.includes('relay call failed'))).toEqual([]);
  const [row] = await relay.sql<{ low: string | null }>('SELECT min(quota) AS low FROM logs WHERE user_id = $1', [
    userId,
  ]);
  expect(Number(row?.low ?? 0)).toBeGreaterThanOrEqual(0);
});

const models = families.map(({ model }) => model);
const chatBody = {
  messages: [...userMessage('hi'), { role: 'assistant', content: 'x', tool_calls: [] }],
  tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
  response_format: { type: 'json_object' },
  max_tokens: 5,
};
const good: ReadonlyArray<readonly [path: string, body: Readonly<Record<string, unknown>>]> = [
  ['/v1/chat/completions', chatBody],
  ['/v1/messages', { max_tokens: 5, system: 's', messages: userMessage('hi'), thinking: { type: 'disabled' } }],
  ['/v1/responses', { input: [{ role: 'user', content: [{ type: 'input_text', text: 'hi' }] }], tools: [] }],
  ['/v1beta/models/gpt-4o:generateContent', { contents: [{ parts: [{ text: 'hi' }] }], generationConfig: { topK: 1 } }],
  ['/v1/completions', { prompt: 'hi' }],
  ['/v1/fim/completions', { model: 'codestral-2508', prompt: 'hi', suffix: 'there', max_tokens: 5 }],
  ['/v1/embeddings', { input: ['hi'] }],
  ['/v1/engines/gpt-4o/embeddings', { input: 'hi' }],
  ['/v1/rerank', { query: 'q', documents: ['a'] }],
  ['/v1/moderations', { input: 'hi' }],
  ['/v1/images/generations', { prompt: 'p', n: 1, size: '1024x1024' }],
  ['/v1/images/edits', { prompt: 'p', images: [{ image_url: 'data:image/png;base64,iVBORw0KGgo=' }] }],
  ['/v1/images/variations', { image: 'i', n: 1, size: '1024x1024' }],
  ['/v1/audio/speech', { input: 'hi', voice: 'alloy' }],
];

const strange = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(-1, 0, 1e308, 2 ** 53, '', '\u0000', '__proto__', 'a'.repeat(3000), [], {}, [[[]]], null, true),
);

/** A valid body in which some values at any depth are replaced. */
function mutated(body: unknown, at: readonly number[], put: unknown): unknown {
  const [step, ...rest] = at;
  if (step === undefined || typeof body !== 'object' || body === null) return put;
  const keys = Object.keys(body);
  const chosen = keys[step % Math.max(1, keys.length)];
  if (chosen === undefined) return put;
  const inner = mutated((body as Record<string, unknown>)[chosen], rest, put);
  if (Array.isArray(body)) return body.map((each: unknown, index) => (String(index) === chosen ? inner : each));
  return { ...body, [chosen]: inner };
}

const mutatedCall = fc
  .record({
    which: fc.nat(good.length - 1),
    model: fc.constantFrom(...models),
    stream: fc.boolean(),
    mutations: fc.array(fc.tuple(fc.array(fc.nat(5), { maxLength: 4, minLength: 1 }), strange), { maxLength: 3 }),
  })
  .map(({ which, model, stream, mutations }) => {
    const [path, body] = good[which] ?? ['/', {}];
    const whole: unknown = { model, ...body, ...(stream ? { stream } : {}) };
    return { path, body: JSON.stringify(mutations.reduce((sum, [at, put]) => mutated(sum, at, put), whole)) };
  });
const randomCall = fc.record({
  path: fc.constantFrom(...good.map(([path]) => path)),
  body: fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.jsonValue().map((value) => JSON.stringify(value)),
  ),
});

interface Sent {
  readonly path: string;
  readonly body: string;
}

async function send({ path, body }: Sent): Promise<void> {
  const response = await relay.post(path, key, body);
  const text = await response.text();
  expect([200, 400, 403, 404, 413, 415, 429, 500, 502, 503]).toContain(response.status);
  expect(text).not.toMatch(/ at .*\.(?:ts|js):\d+|TypeError|ReferenceError|node_modules|sk-upstream-secret/);
  if (response.status === 200 || !text.includes('Internal error')) return;
  throw new Error(relay.logLines.findLast((each) => each.includes('"err"')) ?? text);
}

/** Runs the cases in overlapping batches. A failure names the calls of its batch. */
async function fuzz<Case>(count: number, one: fc.Arbitrary<Case>, run: (given: Case) => Promise<void>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: together, maxLength: together }), async (batch) => {
      await Promise.all(batch.map(run));
    }),
    { numRuns: Math.max(1, Math.round(count / together)), endOnFailure: true, ...seed },
  );
}

it('sends to every endpoint with a JSON body', () => {
  const ofForms = ['/audio/transcriptions', '/audio/translations'];
  const paths = new Set(good.map(([path]) => path));
  const missing = Object.keys(endpoints).filter((path) => !paths.has(`/v1${path.replace(':model', 'gpt-4o')}`));
  expect(missing).toEqual(ofForms);
});

it('takes bodies of every kind from clients', async () => {
  relay.upstream.reset();
  relay.upstream.script({}, says({ text: 'ok' }));
  await fuzz(cases * 0.6, fc.oneof({ weight: 4, arbitrary: mutatedCall }, { weight: 1, arbitrary: randomCall }), send);
});

const events = recordedEvents('openai/openai-text').slice(0, 12);
const line = fc.oneof(
  fc.constantFrom(...events),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.string({ unit: 'binary' }),
  fc
    .record({
      choices: strange,
      usage: fc.oneof(
        strange,
        fc.record({ prompt_tokens: strange, completion_tokens: strange, prompt_tokens_details: strange }),
      ),
      error: fc.option(strange, { nil: undefined }),
      type: fc.constantFrom(
        'message_start',
        'content_block_delta',
        'message_delta',
        'message_stop',
        'error',
        'response.completed',
      ),
      delta: strange,
      message: strange,
      candidates: strange,
      usageMetadata: strange,
      response: strange,
    })
    .map((value) => JSON.stringify(value)),
);
const providerAnswer = fc.record({
  lines: fc.array(line, { maxLength: 8 }),
  done: fc.boolean(),
  whole: fc.oneof(fc.json(), fc.string({ unit: 'binary' }), line),
  status: fc.constantFrom(200, 200, 200, 200, 201, 400, 429, 500, 302),
  cut: fc.nat(400),
});
type ProviderAnswer = typeof providerAnswer extends fc.Arbitrary<infer Value> ? Value : never;

const answers =
  ({ lines, done, whole, status, cut }: ProviderAnswer): Reply =>
  (response, request) => {
    const streams = request.stream || request.path.includes('stream');
    if (!streams || status !== 200) {
      response.writeHead(status, { 'content-type': 'application/json' }).end(whole);
      return;
    }
    openStream(response);
    const bytes = Buffer.from(lines.map((each) => `data: ${each}\n\n`).join('') + (done ? 'data: [DONE]\n\n' : ''));
    response.write(bytes.subarray(0, cut));
    response.end(bytes.subarray(cut));
  };

it('takes answers of every kind from providers', async () => {
  let next = 0;
  const one = fc.record({
    answer: providerAnswer,
    call: fc.nat(3),
    model: fc.nat(models.length - 1),
    stream: fc.boolean(),
  });
  await fuzz(cases * 0.4, one, async ({ answer, call, model, stream }) => {
    const [path, body] = good[call] ?? ['/', {}];
    // Each call is identified by its end user field, so that responses of one batch do not mix.
    const mark = `caller-${++next}`;
    const named = models[model] ?? '';
    const target = path.includes('v1beta')
      ? `/v1beta/models/${named}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
      : path;
    pending.set(mark, answer);
    await send({
      path: target,
      body: JSON.stringify({
        ...withText(body, mark),
        model: named,
        ...(stream && !path.includes('v1beta') ? { stream } : {}),
      }),
    });
    pending.delete(mark);
  });
});

const pending = new Map<string, ProviderAnswer>();

/** Returns the body with a marker in place of the text of its dialect. */
const withText = (body: object, mark: string): Record<string, unknown> =>
  JSON.parse(JSON.stringify(body).replaceAll('"hi"', JSON.stringify(mark))) as Record<string, unknown>;

beforeEach(() => {
  relay.upstream.reset();
  relay.upstream.script({}, (response, request) => {
    const mark = /caller-\d+/.exec(request.rawBody.toString())?.[0] ?? '';
    const answer = pending.get(mark);
    return (answer ? answers(answer) : says({ text: 'ok' }))(response, request);
  });
});
