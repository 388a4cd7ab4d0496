/**
 * Fields that multiply or select a price: whatever value a client sends, the relay refuses the call by the name of the
 * field, or charges what the provider makes of the request that it gets.
 */
import * as fc from 'fast-check';
import { decisiveNames } from '../../server/src/dialects/priced-fields.js';
import { type RelayHarness, userMessage } from '../contract/relay-harness.js';
import { relaySuite } from '../contract/relay-suite.js';
import { askOverSocket } from '../support/responses-socket.js';
import { says } from '../support/upstream/families.js';
import { json } from '../support/upstream/replies.js';
import type { ReceivedRequest, Reply } from '../support/upstream/upstream.js';
import { pricedPaths, socketPath, underPrefix } from './priced-table.js';

const quotaPerDollar = 500_000;
const imagePrice = 0.02;
/** The balance pays for some hundred tokens of output. A call that may cost more is limited or refused. */
const smallBalance = 4000;

let relay: RelayHarness;
relaySuite((started) => (relay = started), {
  values: { SelfUseModeEnabled: true, ModelPrice: { drawer: imagePrice, 'dall-e-3': imagePrice } },
});

type Fields = Readonly<Record<string, unknown>>;
const counts = [
  'n',
  'best_of',
  'num_return_sequences',
  'num_images',
  'batch_size',
  'candidateCount',
  'candidate_count',
  'n_cmpl',
];
const limits = [
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'max_new_tokens', 'maxOutputTokens', 'num_predict'],
  ...['max_tokens_to_sample', 'max_length', 'max_gen_len'],
  'n_predict',
];
const containers = ['extra_body', 'parameters', 'options', 'generationConfig', 'generation_config'];

/** Reads a number as pydantic does (vLLM, SGLang, Xinference), and as gateways that take the first entry of a list. */
function lenient(value: unknown): number {
  const number = Number(Array.isArray(value) ? value[0] : value);
  return Number.isFinite(number) && number > 0 ? Math.floor(number) : 0;
}

const fieldsOf = (request: ReceivedRequest): Fields => request.body ?? formOf(request);

function formOf({ rawBody }: ReceivedRequest): Fields {
  const parts = rawBody.toString('latin1').matchAll(/name="([^"]*)"\r\n\r\n([^\r]*)\r\n/g);
  return Object.fromEntries([...parts].map(([, name = '', value]) => [name, value]));
}

/** Returns the largest of some numbers in a request, including numbers that gateways copy over its fields. */
function largest(fields: Fields, names: readonly string[]): number {
  const inner = containers.map((name) => fields[name]).filter((value) => typeof value === 'object' && value !== null);
  const all = [fields, ...(inner as Fields[])].flatMap((object) =>
    Object.entries(object).filter(([name]) => names.some((each) => each.toLowerCase() === name.toLowerCase())),
  );
  return Math.max(0, ...all.map(([, value]) => lenient(value)));
}

let written = 0;
/** Sends as many responses as the request allows, each as long as it allows. */
const writes: Reply = (response, request) => {
  const fields = fieldsOf(request);
  written = Math.max(1, largest(fields, counts)) * (largest(fields, limits) || 50);
  return says({ text: 'hi', promptTokens: 1, completionTokens: written })(response, request);
};

const word = (value: unknown): string => {
  const text: unknown = Array.isArray(value) ? value[0] : value;
  return typeof text === 'string' ? text.trim().toLowerCase() : '';
};
let drawnFor = 0;
/**
 * Draws as many images as the largest number in the request says, in the largest size and the best quality that it names.
 */
const draws: Reply = (response, request) => {
  const fields = fieldsOf(request);
  const images = Math.min(1000, Math.max(1, largest(fields, counts)));
  const isLarge = ['1792x1024', '1024x1792'].includes(word(fields['size'] ?? fields['image_size']));
  const isBetter = fields['model'] === 'dall-e-3' && word(fields['quality']) === 'hd';
  drawnFor = Math.round(
    imagePrice * quotaPerDollar * images * (isLarge ? 2 : 1) * (isBetter ? (isLarge ? 1.5 : 2) : 1),
  );
  const data = Array.from({ length: images }, () => ({ url: 'https://x.example' }));
  return json({ data })(response, request);
};

const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
const chat = { model: 'gpt-4o', messages: userMessage('hi'), max_tokens: 50 };
const ofClaude = { anthropic_version: 'v', messages: userMessage('hi'), max_tokens: 50 };
const ofGemini = { contents, generationConfig: { maxOutputTokens: 50 } };
const converse = { messages: [{ role: 'user', content: [{ text: 'hi' }] }], inferenceConfig: { maxTokens: 50 } };
const response = { model: 'gpt-4o', input: 'hi', max_output_tokens: 50 };
const interaction = { model: 'gemini-x', input: 'hi', generation_config: { max_output_tokens: 50 } };
const texts: ReadonlyArray<readonly [path: (typeof pricedPaths.texts)[number], body: Fields]> = [
  ['/v1/chat/completions', { model: 'gpt-4o', messages: userMessage('hi'), max_tokens: 50 }],
  ['/v1/chat/completions', { model: 'claude-x', messages: userMessage('hi'), max_tokens: 50 }],
  ['/v1/chat/completions', { model: 'gemini-x', messages: userMessage('hi'), max_tokens: 50 }],
  ['/v1/completions', { model: 'gpt-4o', prompt: 'hi', max_tokens: 50 }],
  ['/v1/responses', response],
  ['/v1/messages', { model: 'claude-x', messages: userMessage('hi'), max_tokens: 50 }],
  ['/v1/messages', { model: 'gpt-4o', messages: userMessage('hi'), max_tokens: 50 }],
  ['/v1beta/models/gemini-x:generateContent', ofGemini],
  ['/v1beta/models/gpt-4o:generateContent', ofGemini],
  ['/v1/fim/completions', { model: 'codestral', prompt: 'a', suffix: 'b', max_tokens: 50 }],
  ['/openai/deployments/gpt-4o/chat/completions', { messages: userMessage('hi'), max_tokens: 50 }],
  ['/v1beta/openai/chat/completions', { model: 'gemini-x', messages: userMessage('hi'), max_tokens: 50 }],
  ['/model/claude-x/invoke', ofClaude],
  ['/model/claude-x/converse', converse],
  ['/v1/projects/p/locations/l/publishers/anthropic/models/claude-x:rawPredict', ofClaude],
  ['/v1/projects/p/locations/l/publishers/google/models/gemini-x:generateContent', ofGemini],
  // New rows are at the end, so that the seed sends the same calls to those before.
  [socketPath, response],
  ['/v1/responses/compact', response],
  ['/v1beta/models/gemini-x:streamGenerateContent?alt=sse', ofGemini],
  ['/v1/models/gemini-x:generateContent', ofGemini],
  ['/v1beta/google/gemini-x:generateContent', ofGemini],
  ['/openai/deployments/gpt-4o/completions', { prompt: 'hi', max_tokens: 50 }],
  ['/model/claude-x/invoke-with-response-stream', ofClaude],
  ['/model/claude-x/converse-stream', converse],
  ['/v1beta1/projects/p/locations/l/publishers/anthropic/models/claude-x:rawPredict', ofClaude],
  ['/v1beta1/projects/p/locations/l/publishers/google/models/gemini-x:generateContent', ofGemini],
  ['/v1beta/interactions', interaction],
  ['/v1/interactions', interaction],
];
it('every route of texts and images has a row', () => {
  expect(new Set(texts.map(([path]) => path))).toEqual(new Set(pricedPaths.texts));
  expect(new Set(images.map(([path]) => path))).toEqual(new Set(pricedPaths.images));
});
beforeEach(async () => {
  await relay.addChannel({ type: 42, models: 'codestral' });
  await relay.addChannel({ models: 'gpt-4o,drawer,dall-e-3' });
  await relay.addChannel({ type: 14, models: 'claude-x' });
  await relay.addChannel({ type: 24, models: 'gemini-x,google/gemini-x' });
});

/** A JSON value as a client writes it, which need not be one that `JSON.stringify` makes. */
const oddValues = fc.constantFrom(
  ...[
    '"128"',
    '128',
    '[128]',
    '["128"]',
    '{"a":128}',
    '128.5',
    '"128.0"',
    '-1',
    '0',
    '1e400',
    '1.28e2',
    '"1e2"',
    '" 128 "',
  ],
  ...['true', 'null', '"NaN"', '"\uff11\uff12\uff18"', '100000000000000000000', '"0x80"', '2'],
);
const oddWords = fc.constantFrom(
  ...['"hd"', '"HD"', '"hd "', '["hd"]', '"\\u0068d"', 'null', '1', '{"a":"hd"}', '"1792x1024"', '["1792x1024"]'],
  ...['"1792X1024"', '" 1792x1024"', '"1024x1792"', '"1024x1024"', '"1792\u00d71024"'],
);
const values = fc.oneof(
  { weight: 1, arbitrary: oddValues },
  { weight: 1, arbitrary: fc.constantFrom('1', '2', '3', '60', '300', 'null') },
);
const names = fc.constantFrom(...counts, ...limits);
const spelled = names.chain((name) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(name) },
    { weight: 1, arbitrary: fc.constant(name.toUpperCase()) },
    { weight: 1, arbitrary: fc.constant(`\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}`) },
  ),
);
const numbers = fc.record({
  within: fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constantFrom(...containers) }),
  members: fc.array(fc.tuple(spelled, values), { minLength: 1, maxLength: 2 }),
});
const membersOf = (members: ReadonlyArray<readonly [string, string]>): string =>
  members.map(([name, value]) => `"${name}":${value}`).join(',');

/** Appends members to a body, where they may repeat its own members. */
function withMembers(body: Fields, { within, members }: { within: string; members: Array<[string, string]> }): string {
  const text = membersOf(members);
  return `${JSON.stringify(body).slice(0, -1)},${within === '' ? text : `"${within}":{${text}}`}}`;
}

/** Whether a call was refused before a provider got it, because of one of its fields or because of its cost. */
async function isRefused(response: Response, body: string): Promise<boolean> {
  const text = await response.text();
  if (response.status === 200) return false;
  const plain = body.replace(/\\u([0-9a-f]{4})/g, (_match, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  const named = [...plain.matchAll(/"(\w+)":/g)].map(([, name = '']) => name.toLowerCase());
  const isNamed = named.some((name) => new RegExp(`\\b${name}\\b`).test(text.toLowerCase()));
  const isClear = isNamed || /a field is repeated|required|not enough/.test(text);
  expect([body, text, isClear, response.status, relay.upstream.requests.length]).toEqual([
    ...[body, text, true, response.status === 403 ? 403 : 400, 0],
  ]);
  return true;
}

/** Sends each call under another prefix of the path than the one before. */
function post(path: string, key: string, body: string): Promise<Response> {
  if (path === socketPath) return askOverSocket(relay.url, key, body);
  return relay.post(underPrefix(path, turn++), key, body);
}
let turn = 0;

async function expectTextCharged(path: string, body: string): Promise<boolean> {
  relay.upstream.reset();
  relay.upstream.script({}, writes);
  const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: smallBalance }) });
  if (await isRefused(await post(path, key, body), body)) return false;
  const [row] = await relay.logsOf(userId, 1);
  expect([path, body, row?.completion_tokens, row?.other['uncharged_quota'] ?? 0]).toEqual([
    ...[path, body, written, 0],
  ]);
  return true;
}

async function expectImageCharged(path: string, body: string | FormData, shown: string): Promise<boolean> {
  relay.upstream.reset();
  relay.upstream.script({}, draws);
  const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 1_500_000 }) });
  const response = await (typeof body === 'string' ? post(path, key, body) : relay.postForm(path, key, body));
  if (await isRefused(response, shown)) return false;
  const [row] = await relay.logsOf(userId, 1);
  expect([path, shown, row?.quota]).toEqual([path, shown, drawnFor]);
  return true;
}

const image = { model: 'drawer', prompt: 'p' };
const better = { model: 'dall-e-3', prompt: 'p' };
const change = { ...image, images: [{ image_url: 'https://x.example/a.png' }] };
const images: ReadonlyArray<readonly [path: (typeof pricedPaths.images)[number], body: Fields]> = [
  ['/v1/images/generations', image],
  ['/v1/images/generations', better],
  ['/openai/deployments/drawer/images/generations', image],
  ['/v1/images/edits', change],
  ['/openai/deployments/drawer/images/edits', change],
];

describe('a text', () => {
  it.each<[field: string, index: number, more: string]>([
    ['n', 0, '"n":"128"'],
    ['n', 0, '"n":[100]'],
    ['n', 0, '"n":1.5'],
    ['best_of', 0, '"best_of":"128"'],
    ['best_of', 3, '"best_of":"128"'],
    ['num_return_sequences', 3, '"num_return_sequences":"64"'],
    ['max_new_tokens', 0, '"max_new_tokens":"90000"'],
    ['maxOutputTokens', 0, '"maxOutputTokens":-1'],
    ['n', 4, '"n":"128"'],
    ['n', 5, '"n":"128"'],
    ['max_new_tokens', 7, '"max_new_tokens":90000'],
    ['n', 7, '"n":"128"'],
    ['extra_body.n', 0, '"extra_body":{"n":128}'],
    ['extra_body.parameters.n', 0, '"extra_body":{"parameters":{"n":128}}'],
    ['options.generationConfig.candidateCount', 3, '"options":{"generationConfig":{"candidateCount":8}}'],
    ['extra_body.model', 0, '"extra_body":{"model":"o1-pro"}'],
    ['extra_body.Model', 0, '"extra_body":{"Model":"o1-pro"}'],
    ['extra_body.models', 4, '"extra_body":{"models":["o1-pro"]}'],
    ['extra_body.fallbacks', 5, '"extra_body":{"fallbacks":["o1-pro"]}'],
    ['extra_body.messages', 0, '"extra_body":{"messages":[]}'],
    ['extra_body.tools', 0, '"extra_body":{"tools":[{"type":"web_search"}]}'],
    ['extra_body.plugins', 0, '"extra_body":{"plugins":[{"id":"web"}]}'],
    ['extra_body.web_search_options', 0, '"extra_body":{"web_search_options":{}}'],
    ['parameters.enable_search', 0, '"parameters":{"enable_search":true}'],
    ['extra_body.service_tier', 7, '"extra_body":{"service_tier":"priority"}'],
    ['options.num_predict', 0, '"options":{"num_predict":90000}'],
    ['parameters.max_new_tokens', 3, '"parameters":{"max_new_tokens":90000}'],
    ['n_predict', 0, '"n_predict":"90000"'],
    ['n_cmpl', 3, '"n_cmpl":"64"'],
    ['extra_body.n_predict', 0, '"extra_body":{"n_predict":90000}'],
    ['tools must be a list', 0, '"tools":{"type":"web_search"}'],
    ['tools must be a list', 4, '"tools":{"0":{"type":"web_search"}}'],
    ['tools[0] must be an object', 0, '"tools":[[{"type":"web_search"}]]'],
    ['tools[0] must be an object', 4, '"tools":["web_search"]'],
    ['tools[0].type must be text', 4, '"tools":[{"type":["web_search"],"name":"a"}]'],
    ['tools[0].tools must be a list', 4, '"tools":[{"type":"namespace","name":"a","tools":{"type":"web_search"}}]'],
    ['tools', 5, '"tools":{"type":"web_search_20250305","name":"web_search"}'],
    ['type', 5, '"tools":[{"type":["web_search_20250305"],"name":"web_search"}]'],
    ['deferred', 0, '"deferred":true'],
    ['deferred', 4, '"deferred":"true"'],
    ['extra_body.deferred', 0, '"extra_body":{"deferred":true}'],
    ['service_tier', 0, '"service_tier":["priority"]'],
    ['service_tier', 4, '"service_tier":"Priority"'],
    ['speed', 5, '"speed":["fast"]'],
  ])('is refused by %s: route %i with %s', async (field, index, more) => {
    const [path = '', fields = {}] = texts[index] ?? [];
    const { key } = await relay.addToken();
    const response = await relay.post(path, key, `${JSON.stringify(fields).slice(0, -1)},${more}}`);
    const { error } = (await response.json()) as { error: { message: string } };
    expect([response.status, error.message]).toEqual([400, expect.stringContaining(field)]);
    expect(relay.upstream.requests).toHaveLength(0);
  });

  it.each([
    ['input must be text or a list', { type: 'additional_tools', tools: [{ type: 'web_search' }] }],
    ['input[0].tools must be a list', [{ type: 'additional_tools', tools: { type: 'web_search' } }]],
    ['input[0].tools[0] must be an object', [{ type: 'tool_search_output', tools: ['web_search'] }]],
  ])('declares no tool in another form: %s', async (message, input) => {
    const { key } = await relay.addToken();
    const sent = await relay.post('/v1/responses', key, { model: 'gpt-4o', input });
    expect([sent.status, await sent.text()]).toEqual([400, expect.stringContaining(message)]);
    expect(relay.upstream.requests).toHaveLength(0);
  });

  it.each([
    ['messages[0].tools must be a list', { type: 'builtin_function', function: { name: '$web_search' } }],
    ['messages[0].tools[0] must be an object', [[{ type: 'builtin_function', function: { name: '$web_search' } }]]],
  ])('declares no tool of a message in another form: %s', async (message, tools) => {
    const { key } = await relay.addToken();
    const messages = [
      { role: 'system', tools },
      { role: 'user', content: 'hi' },
    ];
    const sent = await relay.post('/v1/chat/completions', key, { model: 'gpt-4o', messages });
    expect([sent.status, await sent.text()]).toEqual([400, expect.stringContaining(message)]);
    expect(relay.upstream.requests).toHaveLength(0);
  });

  it.each<[path: string, body: Fields]>([
    ['/v1/embeddings', { model: 'gpt-4o', input: 'hi' }],
    ['/v1/moderations', { model: 'gpt-4o', input: 'hi' }],
    ['/v1/rerank', { model: 'gpt-4o', query: 'q', documents: ['a'] }],
  ])('has no other model inside of a field: %s', async (path, body) => {
    const { key } = await relay.addToken();
    const response = await relay.post(path, key, { ...body, extra_body: { model: 'o1-pro' } });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('extra_body.model')]);
    expect(relay.upstream.requests).toHaveLength(0);
  });

  it.each([
    ['generationConfig', 'serviceTier'],
    ['generation_config', 'service_tier'],
  ])('has no tier in %s: %s', async (config, tier) => {
    const { key } = await relay.addToken();
    const body = { contents, [config]: { maxOutputTokens: 50, [tier]: 'priority' } };
    const response = await relay.post('/v1beta/models/gemini-x:generateContent', key, body);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(tier)]);
    expect(relay.upstream.requests).toHaveLength(0);
  });

  const foldings = decisiveNames.flatMap((name) => [
    [name, name.replace('s', '\u017f')] as const,
    [name, name.replace('k', '\u212a')] as const,
  ]);
  it.each(foldings.filter(([name, folded]) => name !== folded))(
    'has no %s with a letter that Go reads as another case: %s',
    async (name, folded) => {
      const { key } = await relay.addToken();
      const response = await relay.post('/v1/responses', key, { model: 'gpt-4o', input: 'hi', [folded]: 1 });
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(name)]);
      expect(relay.upstream.requests).toHaveLength(0);
    },
  );

  it.each(decisiveNames)('has no %s in another case', async (name) => {
    const { key } = await relay.addToken();
    for (const spelled of [name.toUpperCase(), `${name.charAt(0).toUpperCase()}${name.slice(1)}`]) {
      const response = await relay.post('/v1/chat/completions', key, { ...chat, [spelled]: 1 });
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(name)]);
    }
    expect(relay.upstream.requests).toHaveLength(0);
  });

  it('may be as long as the longest limit that it names, and is charged for that', async () => {
    for (const name of ['max_new_tokens', 'num_predict', 'n_predict', 'max_output_tokens']) {
      expect(
        await expectTextCharged('/v1/chat/completions', withMembers(chat, { within: '', members: [[name, '300']] })),
      ).toBe(true);
    }
  });

  it('is limited by each name of a limit where the balance pays for less', async () => {
    const body = withMembers(chat, { within: '', members: [['max_new_tokens', '90000']] });
    expect(await expectTextCharged('/v1/chat/completions', body)).toBe(true);
    const [sent] = relay.upstream.requests;
    expect(sent?.body?.['max_tokens']).toBe(50);
    expect(sent?.body?.['max_new_tokens']).toBeLessThan(2000);
  });

  it('keeps fields that decide no price', async () => {
    const more = { top_k: 7, extra_body: { google: { thinking: true } }, brand_new: 'HD', size: 'HD' };
    const { key } = await relay.addToken();
    expect((await relay.post('/v1/chat/completions', key, { ...chat, ...more, n: 2 })).status).toBe(200);
    expect(relay.upstream.requests[0]?.body).toMatchObject({ ...more, n: 2 });
  });

  it('is charged as it is sent, whatever stands in a field of a number', async () => {
    let served = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...texts), numbers, async ([path, body], more) => {
        if (await expectTextCharged(path, withMembers(body, more))) served++;
      }),
      { numRuns: 480, seed: 7 },
    );
    expect(served).toBeGreaterThan(10);
  });
});

describe('an image', () => {
  it.each([
    ['n', image, '"n":"128"'],
    ['num_images', image, '"num_images":[10]'],
    ['quality', better, '"quality":"HD"'],
    ['quality', better, '"quality":"hd "'],
    ['quality', better, '"quality":["hd"]'],
    ['size', image, '"size":["1792x1024"]'],
    ['size', image, '"size":"1792X1024"'],
    ['size', image, '"size":" 1792x1024"'],
    ['sequential_image_generation', image, '"sequential_image_generation":["auto"]'],
  ])('is refused by %s: %j with %s', async (field, body, more) => {
    const { key } = await relay.addToken();
    const response = await relay.post('/v1/images/generations', key, `${JSON.stringify(body).slice(0, -1)},${more}}`);
    const { error } = (await response.json()) as { error: { message: string; code: string } };
    expect([response.status, error.code, error.message]).toEqual([
      ...[400, 'invalid_image_request', expect.stringContaining(field)],
    ]);
    expect(relay.upstream.requests).toHaveLength(0);
  });

  it('is sent without the fields that its price does not know, and names them', async () => {
    const more = {
      best_of: 4,
      numberOfImages: 4,
      parameters: { n: 4 },
      extra_body: { n: 4 },
      steps: 900,
      num_inference_steps: 900,
      num_outputs: 4,
    };
    const kept = { style: 'vivid', seed: 7, n: 2, background: 'transparent' };
    const { key } = await relay.addToken();
    relay.upstream.script({}, draws);
    const response = await relay.post('/v1/images/generations', key, { ...image, ...more, ...kept });
    expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([200, Object.keys(more).join(', ')]);
    expect(relay.upstream.requests[0]?.body).toEqual({ ...image, ...kept });

    const form = new FormData();
    for (const [name, value] of Object.entries({ ...image, ...kept, num_outputs: '4' })) form.set(name, String(value));
    form.set('image', new File(['x'], 'a.png', { type: 'image/png' }));
    const edited = await relay.postForm('/v1/images/edits', key, form);
    expect([edited.status, edited.headers.get('x-tollgate-dropped')]).toEqual([200, 'num_outputs']);
    expect(relay.upstream.requests[1]?.rawBody.toString('latin1')).not.toContain('num_outputs');
  });

  it('is charged as it is sent, whatever stands in a field that multiplies or selects its price', async () => {
    const words = fc.tuple(fc.constantFrom('size', 'quality', 'image_size', 'Quality', '\\u0073ize'), oddWords);
    const route = fc.constantFrom(...images);
    let served = 0;
    await fc.assert(
      fc.asyncProperty(route, numbers, fc.array(words, { maxLength: 2 }), async ([path, body], more, chosen) => {
        const text = `${withMembers(body, more).slice(0, -1)}${chosen.length > 0 ? ',' : ''}${membersOf(chosen)}}`;
        if (await expectImageCharged(path, text, text)) served++;
      }),
      { numRuns: 200, seed: 7 },
    );
    expect(served).toBeGreaterThan(10);
  });

  /** Names of fields in forms that lenient parsers read as that of a number, a size or a quality. */
  it.each(['n', 'num_images', 'batch_size', 'size', 'image_size', 'quality', 'partial_images'])(
    'of a form is refused by another form of the field %s',
    async (name) => {
      const value = /size|quality/.test(name) ? '1792x1024' : '3';
      const bare = (text: string): string => text.replace(/[^a-z_].*/, '');
      for (const part of [`${name}[]`, `${name}[0]`, `${name}[a]`, `${name} `, name.toUpperCase(), `${name}; file`]) {
        const { key } = await relay.addToken();
        const form = new FormData();
        for (const [field, text] of Object.entries(image)) form.set(field, text);
        form.set('image', new File(['x'], 'a.png', { type: 'image/png' }));
        if (part.endsWith('file')) form.set(name, new File([value], 'a.txt', { type: 'text/plain' }));
        else form.set(part, value);
        const response = await relay.postForm('/v1/images/edits', key, form);
        expect([part, response.status, await response.text()]).toEqual([
          ...[part, 400, expect.stringContaining(bare(name)) as unknown],
        ]);
      }
      expect(relay.upstream.requests).toHaveLength(0);
    },
  );

  it('of a form is charged as it is sent', async () => {
    const odd = fc.constantFrom(
      '2',
      '128',
      ' 2',
      '2 ',
      '2.0',
      '1e1',
      '0x2',
      '[2]',
      '-1',
      '\uff12',
      'hd',
      'HD',
      '1792x1024',
    );
    const fields = fc.tuple(fc.constantFrom('n', 'num_images', 'batch_size', 'best_of', 'size', 'quality', 'N'), odd);
    await fc.assert(
      fc.asyncProperty(fc.array(fields, { minLength: 1, maxLength: 2 }), async (chosen) => {
        const form = new FormData();
        for (const [name, value] of [...Object.entries(image), ...chosen]) form.append(name, value);
        form.set('image', new File(['x'], 'a.png', { type: 'image/png' }));
        await expectImageCharged('/v1/images/edits', form, JSON.stringify(Object.fromEntries(chosen)));
      }),
      { numRuns: 40, seed: 7 },
    );
  });
});
