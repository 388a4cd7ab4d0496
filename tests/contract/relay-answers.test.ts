import { families, says } from '../support/upstream/families.js';
import { chat, json } from '../support/upstream/replies.js';
import { payloadsOf, type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

/** Tests of the metadata that clients read in responses, and of its place in the log. */
let relay: RelayHarness;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });
beforeEach(async () => {
  relay.upstream.script({}, says({ text: 'ok' }));
});

const asked = 'our-model';
/** A call in each client dialect, with or without a stream. */
const calls: ReadonlyArray<readonly [name: string, path: (stream: boolean) => string, body: object]> = [
  ['chat', () => '/v1/chat/completions', { messages: userMessage('hi'), stream_options: { include_usage: true } }],
  ['messages', () => '/v1/messages', { max_tokens: 50, messages: userMessage('hi') }],
  ['responses', () => '/v1/responses', { input: 'hi' }],
  [
    'gemini',
    (stream) => `/v1beta/models/${asked}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  ],
];

/** Returns every model name in any field of a response. */
const namesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/"model(?:Version)?":"([^"]*)"/g)].map(([, name]) => name ?? '')),
];

describe.each(families)('a model that a channel of $name maps', ({ type, model }) => {
  const cases = calls.flatMap((call) => [false, true].map((stream) => [...call, stream] as const));

  it.each(cases)('has the asked name in an answer to %s', async (_name, path, body, stream) => {
    await relay.addChannel({ type, models: asked, mapping: JSON.stringify({ [asked]: model }) });
    const { key, userId } = await relay.addToken();
    const given = { model: asked, ...body, ...(stream ? { stream } : { stream_options: undefined }) };
    const response = await relay.post(path(stream), key, given);
    const text = await response.text();
    expect([response.status, namesIn(text)]).toEqual([200, [asked]]);
    expect(text).toContain('ok');
    const [row] = await relay.logsOf(userId, 1);
    expect(row?.model_name).toBe(asked);
    expect(row?.other).toMatchObject({ is_model_mapped: true, upstream_model_name: model });
  });
});

describe('the name of a mapped model', () => {
  const mapping = JSON.stringify({ [asked]: 'gpt-4o' });
  const say = async (stream: boolean): Promise<string> => {
    const { key } = await relay.addToken();
    return (await relay.chat(key, { model: asked, messages: userMessage('hi'), stream })).text();
  };

  it('is the provider’s where the admin wants that', async () => {
    relay.setOptions({ SelfUseModeEnabled: true, 'global.requested_model_in_answers': false });
    await relay.addChannel({ models: asked, mapping });
    expect(namesIn(await say(false))).toEqual(['gpt-4o']);
    expect(namesIn(await say(true))).toEqual(['gpt-4o']);
  });

  it('is what the client asked for with its routing prefix', async () => {
    await relay.addChannel({ models: asked, mapping, prefix: 'eu/' });
    const { key } = await relay.addToken();
    const response = await relay.chat(key, { model: `eu/${asked}`, messages: userMessage('hi') });
    expect(namesIn(await response.text())).toEqual([`eu/${asked}`]);
  });

  it('changes nothing else: what was said may look like a name', async () => {
    await relay.addChannel({ models: asked, mapping });
    const said = 'its "model":"gpt-4o", data: {"model":"x"}\n\n';
    relay.upstream.script({}, chat({ text: [said], extra: { unknown: { model: 'kept' } } }));
    const events = (await say(true)).split('\n\n').filter((event) => event.startsWith('data: {'));
    const chunks = events.map((event) => JSON.parse(event.slice('data: '.length)) as Record<string, unknown>);
    expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set([asked]));
    expect(chunks).toContainEqual(
      expect.objectContaining({ choices: [expect.objectContaining({ delta: { content: said } })] }),
    );
    expect(JSON.stringify(chunks)).toContain('"unknown":{"model":"kept"}');
  });

  it('stands in embeddings, too', async () => {
    await relay.addChannel({ models: asked, mapping });
    const { key } = await relay.addToken();
    const data = [{ object: 'embedding', index: 0, embedding: [0.5] }];
    relay.upstream.script({}, json({ object: 'list', data, model: 'gpt-4o', usage: { prompt_tokens: 1 } }));
    const response = await relay.post('/v1/embeddings', key, { model: asked, input: 'hi' });
    expect(await response.json()).toMatchObject({ model: asked, data });
  });
});

describe('what a provider cannot have', () => {
  const model = 'some-model';
  const pathOf = (name: string, stream: boolean): string =>
    calls
      .find(([client]) => client === name)?.[1](stream)
      .replace(asked, model) ?? '';
  const bodyOf = (name: string): object => calls.find(([client]) => client === name)?.[2] ?? {};
  const google = (config: object): object => ({ generationConfig: config });

  it.each([
    ['chat', 14, { seed: 7, user: 'somebody' }, ['seed']],
    ['chat', 24, { logit_bias: { '1': 2 }, user: 'somebody' }, ['logit_bias', 'user']],
    ['messages', 1, { top_k: 5 }, ['top_k']],
    ['messages', 24, { metadata: { user_id: 'somebody' } }, ['metadata.user_id']],
    ['gemini', 1, google({ topK: 5 }), ['generationConfig.topK']],
    ['gemini', 14, google({ seed: 7 }), ['generationConfig.seed']],
    ['responses', 14, { text: { verbosity: 'low' } }, ['text.verbosity']],
    ['responses', 24, { safety_identifier: 's' }, ['safety_identifier']],
    ['chat', 24, { tools: [{ type: 'x' }] }, ['tools[0].x']],
  ])(
    'of %s at type %i is left out, and said so in the answer and in the log: %j',
    async (client, type, more, names) => {
      await relay.addChannel({ type, models: model });
      for (const stream of [false, true]) {
        const { key, userId } = await relay.addToken();
        const streams = stream && client !== 'gemini' ? { stream } : {};
        const given = { model, ...bodyOf(client), stream_options: undefined, ...more, ...streams };
        const response = await relay.post(pathOf(client, stream), key, given);
        await response.text();
        const told = response.headers.get('x-tollgate-dropped')?.split(', ');
        expect([response.status, told?.sort()]).toEqual([200, [...names].sort()]);
        const [row] = await relay.logsOf(userId, 1);
        expect((row?.other['dropped_parameters'] as string[]).sort()).toEqual([...names].sort());
      }
    },
  );

  it.each([
    ['chat', 14, { n: 2 }, 'n'],
    ['chat', 24, { tools: [{ type: 'x' }], tool_choice: 'required' }, 'tools'],
    ['chat', 34, { n: 2 }, 'n'],
    ['messages', 1, { mcp_servers: [{ type: 'url', url: 'https://x.example', name: 'n' }] }, 'mcp_servers'],
    ['gemini', 14, google({ candidateCount: 2 }), 'generationConfig.candidateCount'],
    ['gemini', 1, { cachedContent: 'cachedContents/1' }, 'cachedContent'],
    ['responses', 24, { background: true }, 'background'],
  ])(
    'of %s at type %i is refused by its name where it would mean something else: %j',
    async (client, type, more, name) => {
      await relay.addChannel({ type, models: model });
      const { key, userId } = await relay.addToken();
      const given = { model, ...bodyOf(client), stream_options: undefined, ...more };
      const response = await relay.post(pathOf(client, false), key, given);
      const { error } = (await response.json()) as { error: { message: string } };
      expect(response.status).toBe(400);
      expect(error.message.startsWith(name)).toBe(true);
      expect(relay.upstream.requests).toHaveLength(0);
      expect((await relay.balance(userId)).used).toBe(0);
      // Another channel may serve the call. The user's own channel may also serve calls with unknown ids and tools.
      relay.setOptions({ SelfUseModeEnabled: true, RetryTimes: 1, UnpricedTools: 'free' });
      const own = { chat: 1, messages: 14, gemini: 24, responses: 1 }[client] ?? 1;
      await relay.addChannel({ type: own, models: model, priority: -1, ownerId: userId });
      expect((await relay.post(pathOf(client, false), key, given)).status).toBe(200);
    },
  );

  it('of responses is refused where no provider can know the response that a call continues', async () => {
    await relay.addChannel({ type: 14, models: model });
    const { key, userId } = await relay.addToken();
    const given = { model, ...bodyOf('responses'), stream_options: undefined, previous_response_id: 'resp_old' };
    const response = await relay.post(pathOf('responses', false), key, given);
    const { error } = (await response.json()) as { error: { code: string } };
    expect([response.status, error.code]).toEqual([400, 'previous_response_not_found']);
    expect(relay.upstream.requests).toHaveLength(0);
    expect((await relay.balance(userId)).used).toBe(0);
    // The user's own account may have created the id.
    await relay.addChannel({ type: 1, models: model, priority: -1, ownerId: userId });
    expect((await relay.post(pathOf('responses', false), key, given)).status).toBe(200);
  });
});

describe('option LogChatContentEnabled', () => {
  const kept = async (path: string, body: object): Promise<Record<string, unknown> | undefined> => {
    relay.setOptions({ SelfUseModeEnabled: true, LogChatContentEnabled: true });
    await relay.addChannel({ models: 'gpt-4o' });
    const { key, userId } = await relay.addToken();
    const response = await relay.post(path, key, { model: 'gpt-4o', ...body });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
    return (await relay.logsOf(userId, 1))[0]?.other;
  };
  const secret = 'my key is sk-abcdefghijklmnop';

  it.each([
    [
      '/v1/messages',
      {
        max_tokens: 5,
        system: [{ type: 'text', text: 'be kind' }],
        messages: [
          { role: 'user', content: 'one' },
          { role: 'assistant', content: 'two' },
          { role: 'user', content: [{ type: 'text', text: 'three' }, { type: 'image' }].slice(0, 1) },
        ],
      },
      { input_content: 'three', context: 'user: one\nassistant: two', system_prompt: 'be kind', output_content: 'ok' },
    ],
    [
      '/v1/responses',
      { instructions: 'be kind', input: [{ role: 'user', content: [{ type: 'input_text', text: 'one' }] }] },
      { input_content: 'one', system_prompt: 'be kind', output_content: 'ok' },
    ],
    ['/v1/responses', { input: 'just this' }, { input_content: 'just this', output_content: 'ok' }],
    [
      '/v1beta/models/gpt-4o:generateContent',
      {
        systemInstruction: { parts: [{ text: 'be kind' }] },
        contents: [
          { role: 'model', parts: [{ text: 'before' }] },
          { role: 'user', parts: [{ text: 'one' }, { text: 'two' }] },
        ],
      },
      { input_content: 'one\ntwo', context: 'model: before', system_prompt: 'be kind', output_content: 'ok' },
    ],
  ])('keeps what was said at %s', async (path, body, expected) => {
    expect(await kept(path, body)).toMatchObject(expected);
  });

  it.each([
    ['/v1/completions', { prompt: secret }, { choices: [{ text: 'ok', index: 0 }], usage: { prompt_tokens: 1 } }, 'ok'],
    ['/v1/embeddings', { input: [secret] }, { data: [], usage: { prompt_tokens: 1 } }, ''],
    ['/v1/moderations', { input: secret }, { results: [] }, ''],
    ['/v1/rerank', { query: secret, documents: ['x'] }, { results: [], usage: { total_tokens: 1 } }, ''],
    ['/v1/images/generations', { prompt: secret }, { data: [{ b64_json: 'aGk=' }] }, ''],
    ['/v1/audio/speech', { input: secret }, {}, ''],
  ])('keeps what was asked for at %s, without keys', async (path, body, answer, output) => {
    relay.upstream.script({}, json(answer));
    const other = await kept(path, body);
    expect(other?.['input_content']).toBe('my key is [key]');
    expect(other?.['output_content']).toBe(output);
  });
});

it('F77-pseudo-stream: a channel that cannot stream is asked for a whole answer, which comes as one chunk', async () => {
  await relay.addChannel({ setting: '{"stream_support":"NON_STREAM_ONLY"}' });
  const { key } = await relay.addToken();
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hey' }, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 };
  const head = { id: 'c5', created: 1_718_700_000, model: 'gpt-4o' };
  relay.upstream.script({}, json({ ...head, object: 'chat.completion', choices, usage }));
  const streamed = { stream: true, stream_options: { include_usage: true } };
  const response = await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi'), ...streamed });
  const payloads = payloadsOf(await response.text());
  expect(payloads.slice(0, -1).map((each) => JSON.parse(each) as unknown)).toEqual([
    {
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { role: 'assistant', content: 'Hey' }, finish_reason: 'stop' }],
    },
    expect.objectContaining({ choices: [], usage }),
  ]);
  expect(payloads.at(-1)).toBe('[DONE]');
  const sent = relay.upstream.requests[0]?.body ?? {};
  expect([sent['stream'] ?? false, 'stream_options' in sent]).toEqual([false, false]);
});

describe('at OpenRouter', () => {
  const headersSent = async (options: object): Promise<unknown[]> => {
    relay.setOptions(options);
    await relay.addChannel({ type: 20 });
    const { key } = await relay.addToken();
    expect((await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') })).status).toBe(200);
    const headers = relay.upstream.requests[0]?.headers ?? {};
    return [headers['http-referer'], headers['x-title']];
  };

  it.each([
    [{ ServerAddress: 'https://gate.example/', SystemName: 'My gate' }, ['https://gate.example/', 'My gate']],
    [{ ServerAddress: 'https://gate.example/ü', SystemName: '模型' }, ['https://gate.example/%C3%BC', 'Tollgate']],
    [{ ServerAddress: '', SystemName: 'a\r\nb' }, [undefined, 'ab']],
  ])('the site tells its own address and name: %j', async (options, expected) => {
    expect(await headersSent(options)).toEqual(expected);
  });
});
