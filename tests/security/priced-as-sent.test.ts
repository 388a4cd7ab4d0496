/** A call is priced as it is sent. The relay refuses a request that another parser could read differently. */
import { type RelayHarness, userMessage } from '../contract/relay-harness.js';
import { relaySuite } from '../contract/relay-suite.js';
import { says } from '../support/upstream/families.js';
import { json } from '../support/upstream/replies.js';
import { wav } from '../support/wav.js';

let relay: RelayHarness;
relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });

const call = { model: 'gpt-4o', messages: userMessage('hi') };

interface Part {
  readonly disposition: string;
  readonly headers?: string;
  readonly value: string | Buffer;
}
const field = (name: string, value: string): Part => ({ disposition: `name="${name}"`, value });
const file = (name: string, value: Buffer): Part => ({ disposition: `name="${name}"; filename="a.wav"`, value });

async function postParts(path: string, parts: readonly Part[]): Promise<number> {
  const { key } = await relay.addToken();
  const body = Buffer.concat([
    ...parts.flatMap(({ disposition, headers = '', value }) => [
      Buffer.from(`--b\r\ncontent-disposition: form-data; ${disposition}\r\n${headers}\r\n`),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--b--\r\n'),
  ]);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=b' };
  const response = await fetch(relay.url + path, { method: 'POST', body: new Uint8Array(body), headers });
  await response.text();
  return response.status;
}

describe('a form', () => {
  const recording = [field('model', 'whisper-1'), file('file', wav(1))];
  const edit = [field('model', 'dall-e-2'), field('prompt', 'p'), field('n', '1'), file('image', wav(1))];

  it('with every field once is served, and lists may have several', async () => {
    await relay.addChannel({ models: 'whisper-1,dall-e-2' });
    relay.upstream.script({}, json({ text: 'hello' }));
    const granularities = ['word', 'segment'].map((value) => field('timestamp_granularities[]', value));
    expect(await postParts('/v1/audio/transcriptions', [...recording, ...granularities])).toBe(200);
    relay.upstream.script({}, json({ data: [{ url: 'https://x.example' }] }));
    expect(await postParts('/v1/images/edits', [...edit, file('image', wav(1))])).toBe(200);
    expect(relay.upstream.requests).toHaveLength(2);
  });

  it.each([
    ['both forms, as .NET sends it', `filename="=?utf-8?B?bA==?="; filename*=utf-8''l%C3%A4rm.wav`, 'lärm.wav'],
    ['the extended form alone', `filename*=utf-8''l%C3%A4rm.wav`, 'lärm.wav'],
    ['an extended form that cannot be read', `filename=a.wav; filename*=utf-8''%ff`, 'a.wav'],
  ])('whose file has a name in %s is sent with one name', async (_name, names, shown) => {
    await relay.addChannel({ models: 'whisper-1' });
    relay.upstream.script({}, json({ text: 'hello' }));
    const named: Part = { disposition: `name=file; ${names}`, headers: 'content-type: audio/wav\r\n', value: wav(1) };
    expect(await postParts('/v1/audio/transcriptions', [field('model', 'whisper-1'), named])).toBe(200);
    const sent = relay.upstream.requests[0];
    expect(sent?.rawBody.toString('utf8')).toContain(`name="file"; filename="${shown}"\r\n`);
  });

  const transcription = '/v1/audio/transcriptions';
  const edits = '/v1/images/edits';
  it.each<readonly [string, string, readonly Part[]]>([
    ['two recordings', transcription, [...recording, file('file', wav(5))]],
    ['a recording in another case', transcription, [...recording, file('File', wav(5))]],
    ['a recording in a list', transcription, [...recording, file('file[]', wav(5))]],
    ['two models', transcription, [...recording, field('model', 'tts-1')]],
    ['two numbers', edits, [...edit, field('n', '10')]],
    ['a number in another case', edits, [...edit, field('N', '10')]],
    ['a number as a file', edits, [...edit.slice(0, 2), { disposition: 'name="n"; filename=""', value: '10' }]],
    ['two sizes', edits, [...edit, field('size', '256x256'), field('size', '1792x1024')]],
    ['any field twice', edits, [...edit, field('user', 'a'), field('User', 'b')]],
    ['a part with two names', edits, [...edit, { disposition: 'name="x"; name="n"', value: '10' }]],
    [
      'a file with two names',
      edits,
      [...edit.slice(0, 3), { disposition: `name=image; filename*=utf-8''a; filename*=utf-8''b`, value: 'a' }],
    ],
    [
      'a number as a file by its extended name',
      edits,
      [...edit.slice(0, 2), { disposition: `name="n"; filename*=utf-8''a`, value: '10' }],
    ],
    ['a name in the extended form', edits, [...edit, { disposition: `name="x"; name*=utf-8''n`, value: '10' }]],
    [
      'a part with two dispositions',
      edits,
      [...edit, { disposition: 'name="x"', headers: 'content-disposition: form-data; name="n"\r\n', value: '10' }],
    ],
    [
      'an encoded part',
      edits,
      [
        ...edit.slice(0, 2),
        { disposition: 'name="n"', headers: 'content-transfer-encoding: base64\r\n', value: 'MTA=' },
      ],
    ],
  ])('with %s is refused', async (_name, path, parts) => {
    await relay.addChannel({ models: 'whisper-1,dall-e-2' });
    expect(await postParts(path, parts)).toBe(400);
    expect(relay.upstream.requests).toHaveLength(0);
  });
});

describe('JSON', () => {
  it.each([
    ['another model by case', '"Model":"o1-pro"'],
    ['another number by case', '"N":10'],
    ['another limit by case', '"Max_Tokens":100000'],
    ['a field twice', '"n":1,"n":10'],
    ['a text of a message twice', '"tools":[],"prediction":{"content":[{"type":"text","text":"a","text":"b"}]}'],
    ['a nested field twice', '"response_format":{"type":"text","type":"json_object"}'],
  ])('that names %s is refused', async (_name, more) => {
    await relay.addChannel({ models: 'gpt-4o,o1-pro' });
    const { key } = await relay.addToken();
    const response = await relay.chat(key, `${JSON.stringify(call).slice(0, -1)},${more}}`);
    expect(response.status).toBe(400);
    expect(relay.upstream.requests).toHaveLength(0);
  });
});

describe('another model than the one that is priced', () => {
  const ways: Array<[field: string, path: string, type: number, value: unknown]> = [
    ['models', '/v1/chat/completions', 20, ['o1-pro']],
    ['models', '/v1/chat/completions', 14, ['o1-pro']],
    ['models', '/v1/completions', 20, ['o1-pro']],
    ['models', '/v1/responses', 1, ['o1-pro']],
    ['models', '/v1/embeddings', 1, ['o1-pro']],
    ['fallbacks', '/v1/messages', 14, [{ model: 'o1-pro' }]],
    ['fallbacks', '/v1/chat/completions', 62, ['o1-pro']],
    ['route', '/v1/chat/completions', 20, 'fallback'],
    ['preset', '/v1/chat/completions', 20, 'dear'],
    // https://vercel.com/docs/ai-gateway/models-and-providers/model-fallbacks, October 2026
    ['providerOptions', '/v1/chat/completions', 8, { gateway: { models: ['o1-pro'], order: ['dear'] } }],
    ['providerOptions', '/v1/responses', 1, { gateway: { models: ['o1-pro'] } }],
  ];

  it.each(ways)('is not named to a provider by %s at %s (type %i)', async (field, path, type, value) => {
    await relay.addChannel({ type });
    const { key, userId } = await relay.addToken();
    const vectors = json({ object: 'list', data: [], usage: { prompt_tokens: 1, total_tokens: 1 } });
    relay.upstream.script({}, path.endsWith('embeddings') ? vectors : says({ text: 'hi' }));
    const input = path.endsWith('completions') || path.endsWith('messages') ? {} : { input: 'hi' };
    const prompt = path === '/v1/completions' ? { prompt: 'hi' } : {};
    const body = { ...call, ...input, ...prompt, max_tokens: 5, [field]: value };
    const response = await relay.post(path, key, body);
    await response.text();
    // At calls that write text, the list names fallbacks, which are priced and called here.
    const isServed = field === 'models' && !path.endsWith('embeddings');
    const named = isServed ? expect.not.stringContaining(field) : expect.stringContaining(field);
    expect(response.headers.get('x-tollgate-dropped') ?? '').toEqual(named);
    const [sent] = relay.upstream.requests;
    expect(sent?.body).not.toHaveProperty(field);
    expect(JSON.stringify(sent?.body)).not.toContain('o1-pro');
    const [row] = await relay.logsOf(userId, 1);
    expect(JSON.stringify(row?.other['dropped_parameters'] ?? [])).toEqual(named);
  });

  it('is not served by a provider that the client chooses', async () => {
    await relay.addChannel({ type: 20 });
    const { key, userId } = await relay.addToken();
    const policies = { data_collection: 'deny', max_price: { prompt: 1 } };
    // https://openrouter.ai/docs/features/provider-routing: each provider has its own price for a model.
    const provider = { ...policies, order: ['dear'], only: ['dear'], sort: 'throughput', ignore: ['cheap'] };
    const response = await relay.chat(key, { ...call, provider });
    expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([
      200,
      expect.stringContaining('provider.order'),
    ]);
    expect(relay.upstream.requests[0]?.body?.['provider']).toEqual(policies);
    const [row] = await relay.logsOf(userId, 1);
    expect(row?.other['dropped_parameters']).toContain('provider.only');
    expect((await relay.chat(key, { ...call, provider: ['dear'] })).status).toBe(200);
    expect(relay.upstream.requests[1]?.body).not.toHaveProperty('provider');
  });

  it('may be named by the operator of the channel', async () => {
    await relay.addChannel({ type: 20, override: '{"models":["gpt-4o","o1-pro"]}' });
    const { key } = await relay.addToken();
    expect((await relay.chat(key, { ...call, models: ['else'] })).status).toBe(200);
    expect(relay.upstream.requests[0]?.body).toMatchObject({ models: ['gpt-4o', 'o1-pro'] });
  });
});

describe('a tool with a model of its own', () => {
  const drawing = (model?: string) => [{ type: 'image_generation', ...(model ? { model } : {}) }];
  const advisor = [{ type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-6' }];
  const remote = [{ type: 'openrouter:advisor', parameters: { model: 'anthropic/claude-opus-4.6' } }];
  const own = [{ type: 'function', function: { name: 'f', parameters: { model: 'x' } }, model: 'x' }];

  it.each([
    ['/v1/responses', 1, drawing('gpt-image-1.5'), 403],
    ['/v1/responses', 1, drawing('gpt-image-2'), 200],
    ['/v1/responses', 1, drawing(), 200],
    ['/v1/messages', 14, advisor, 403],
    ['/v1/chat/completions', 20, remote, 403],
    ['/v1/chat/completions', 20, own, 200],
  ])('calls none that its key may not call: %s (type %i), %j', async (path, type, tools, status) => {
    await relay.addChannel({ type });
    relay.upstream.script({}, says({ text: 'hi' }));
    const { key } = await relay.addToken({ modelLimits: 'gpt-4o,gpt-image-2' });
    const body = { ...call, input: 'hi', max_tokens: 5, tools };
    const response = await relay.post(path, key, body);
    const answer = await response.text();
    expect([response.status, relay.upstream.requests.length]).toEqual([status, status === 200 ? 1 : 0]);
    if (status === 403) expect(answer).toContain('This token may not use model');
    const free = await relay.addToken();
    expect((await relay.post(path, free.key, body)).status).toBe(200);
  });

  const added = (definition?: object) => ({
    type: 'tool_addition',
    tool: { type: 'tool_definition', definition },
  });
  const afterTurn = (role: string, block: object) => ({ messages: [...call.messages, { role, content: [block] }] });
  const namespace = (...tools: object[]) => ({ type: 'namespace', name: 'n', description: 'd', tools });
  const search = { call_id: 'call_1', execution: 'client' };
  const found = (...tools: object[]) => [
    { role: 'user', content: 'hi' },
    { type: 'tool_search_call', ...search, arguments: { query: 'draw' } },
    { type: 'tool_search_output', ...search, tools },
  ];

  it.each<[string, string, number, object]>([
    ['a turn of instructions', '/v1/messages', 14, afterTurn('system', added(advisor[0]))],
    [
      'a compaction',
      '/v1/messages',
      14,
      afterTurn('assistant', { type: 'compaction', content: 'Hello', tool_changes: [added(advisor[0])] }),
    ],
    ['the output of a search', '/v1/responses', 1, { input: found(...drawing('gpt-image-1.5')) }],
    ['a namespace', '/v1/responses', 1, { input: 'hi', tools: [namespace(...drawing('gpt-image-1.5'))] }],
  ])('is found where the conversation defines it: in %s', async (_name, path, type, given) => {
    await relay.addChannel({ type });
    relay.upstream.script({}, says({ text: 'hi' }));
    const { key } = await relay.addToken({ modelLimits: 'gpt-4o' });
    const body = { model: 'gpt-4o', max_tokens: 5, ...given };
    const response = await relay.post(path, key, body);
    expect([response.status, await response.text()]).toEqual([
      403,
      expect.stringContaining('This token may not use model'),
    ]);
    expect(relay.upstream.requests).toHaveLength(0);
    const free = await relay.addToken();
    expect((await relay.post(path, free.key, body)).status).toBe(200);
    expect(relay.upstream.requests[0]?.body).toMatchObject(given);
  });

  it('stays out of a namespace, and so does a namespace without other tools', async () => {
    await relay.addChannel({ type: 1 });
    relay.upstream.script({}, says({ text: 'hi' }));
    const { key } = await relay.addToken({ modelLimits: 'gpt-4o' });
    const own = { type: 'function', name: 'f', parameters: {} };
    const tools = [namespace(own, ...drawing()), namespace(...drawing())];
    const response = await relay.post('/v1/responses', key, { model: 'gpt-4o', input: 'hi', tools });
    await response.text();
    expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([
      200,
      'tools[0].tools[1].image_generation, tools[1].tools[0].image_generation',
    ]);
    expect(relay.upstream.requests[0]?.body?.['tools']).toEqual([namespace(own)]);
  });

  it('stays out of the output of a search, which its call needs', async () => {
    await relay.addChannel({ type: 1 });
    relay.upstream.script({}, says({ text: 'hi' }));
    const { key } = await relay.addToken({ modelLimits: 'gpt-4o' });
    const response = await relay.post('/v1/responses', key, { model: 'gpt-4o', input: found(...drawing()) });
    await response.text();
    expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([
      200,
      'input[2].tools[0].image_generation',
    ]);
    expect(relay.upstream.requests[0]?.body).toMatchObject({ input: found() });
  });

  const run = { type: 'function', name: 'shell', parameters: {} };
  const declared = (...tools: object[]) => [
    { type: 'additional_tools', tools },
    { role: 'user', content: 'hi' },
  ];
  const openRouter = 'openrouter:image_generation';

  it.each<[string, string, number, object, object, string]>([
    ['alone', '/v1/responses', 1, { tools: drawing(), tool_choice: 'auto' }, {}, 'tools[0].image_generation'],
    [
      'beside others',
      '/v1/responses',
      1,
      { tools: [run, ...drawing()], tool_choice: 'required' },
      { tools: [run], tool_choice: 'required' },
      'tools[1].image_generation',
    ],
    [
      'in an item of the input',
      '/v1/responses',
      1,
      { input: declared(run, ...drawing()) },
      { input: declared(run) },
      'input[0].tools[1].image_generation',
    ],
    [
      'at OpenRouter',
      '/v1/chat/completions',
      20,
      { tools: [{ type: openRouter }] },
      {},
      'tools[0].openrouter_image_generation',
    ],
  ])(
    'that names none is left out where the key may not call it: %s',
    async (_name, path, type, given, left, dropped) => {
      await relay.addChannel({ type });
      relay.upstream.script({}, says({ text: 'hi' }));
      for (const [modelLimits, isDropped] of [
        ['gpt-4o', true],
        ['gpt-4o,gpt-image-1.5', true],
        ['gpt-4o,gpt-image-2,openai/gpt-5-image', false],
      ] as const) {
        relay.upstream.requests.length = 0;
        const { key } = await relay.addToken({ modelLimits });
        const response = await relay.post(path, key, { ...call, input: 'hi', ...given });
        await response.text();
        expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([
          200,
          isDropped ? dropped : null,
        ]);
        const { tools, tool_choice, input } = relay.upstream.requests[0]?.body ?? {};
        expect(JSON.parse(JSON.stringify({ tools, tool_choice, input }))).toEqual({
          input: 'hi',
          ...(isDropped ? left : given),
        });
      }
    },
  );

  it.each<[string, object]>([
    ['by its type', { tools: [run, ...drawing()], tool_choice: { type: 'image_generation' } }],
    ['as one of those allowed', { tools: drawing(), tool_choice: { type: 'allowed_tools', tools: drawing() } }],
    ['as the only one', { tools: drawing(), tool_choice: 'required' }],
    ['by its model', { input: declared(...drawing('gpt-image-1.5')) }],
  ])('that the call requires is refused: %s', async (_name, given) => {
    await relay.addChannel({ type: 1 });
    const { key } = await relay.addToken({ modelLimits: 'gpt-4o' });
    const response = await relay.post('/v1/responses', key, { model: 'gpt-4o', input: 'hi', ...given });
    expect([response.status, await response.text()]).toEqual([
      403,
      expect.stringMatching(/may not use model gpt-image/),
    ]);
    expect(relay.upstream.requests).toEqual([]);
  });

  it('calls none either where another model would serve the call', async () => {
    await relay.addChannel({ type: 1 });
    const { key } = await relay.addToken({ modelLimits: 'gone,gpt-4o', fallbackModels: 'gpt-4o' });
    const response = await relay.post('/v1/responses', key, { model: 'gone', input: 'hi', tools: drawing('o1-pro') });
    expect([response.status, relay.upstream.requests.length]).toEqual([403, 0]);
  });
});

describe('a query', () => {
  const lastPath = (): string => relay.upstream.requests.at(-1)?.path ?? '';

  it.each(['api_key=sk-OURKEY', 'Key=sk-OURKEY', 'model=o1-pro', 'api-version=2030', 'a=1&b=2'])(
    '%s stays here',
    async (query) => {
      await relay.addChannel();
      const { key } = await relay.addToken();
      expect((await relay.post(`/v1/chat/completions?${query}`, key, call)).status).toBe(200);
      expect(lastPath()).toBe('/v1/chat/completions');
    },
  );

  it('of Google tells events from a list, and the version of Azure is the client’s', async () => {
    await relay.addChannel({ type: 24, models: 'gemini-2.0-flash' });
    await relay.addChannel({ type: 3, models: 'gpt-4o' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, says({ text: 'Hello' }));
    const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
    const path = '/v1beta/models/gemini-2.0-flash:streamGenerateContent?alt=sse&api_key=x';
    const streamed = await relay.post(path, key, { contents });
    expect(streamed.headers.get('content-type')).toContain('text/event-stream');
    await streamed.text();
    expect(lastPath()).not.toContain('api_key');
    await (await relay.post('/v1/chat/completions?api-version=2030-01-01&x=1', key, call)).text();
    expect(lastPath()).toMatch(/\?api-version=2030-01-01$/);
  });

  it.each(['key=a&key=b', 'alt=sse&ALT=json', 'x=1&%78=2'])('with a parameter twice is refused: %s', async (query) => {
    await relay.addChannel();
    const { key } = await relay.addToken();
    expect((await relay.post(`/v1/chat/completions?${query}`, key, call)).status).toBe(400);
    expect(relay.upstream.requests).toHaveLength(0);
  });
});

describe('a path', () => {
  it.each([
    '/v1beta/models/..%2f..%2fadmin:generateContent',
    '/v1beta/models/%2e%2e:generateContent',
    '/v1beta/models/a%5c..%5cb:generateContent',
    '/v1beta/models/%252e%252e%252fx:generateContent',
  ])('that would leave the base path of a channel is refused: %s', async (path) => {
    await relay.addChannel({ type: 24, baseUrl: `${relay.upstream.url}/tenant/a`, models: '..,../../admin,x' });
    const { key } = await relay.addToken();
    const response = await relay.post(path, key, { contents: [{ parts: [{ text: 'hi' }] }] });
    expect(response.status).toBe(400);
    expect(relay.upstream.requests).toHaveLength(0);
  });
});
