import { chat, events, json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';
import { payloadsOf, userMessage, type LogRow, type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

/** Usage that chunks of a stream report, at the relay over a real database (docs/reference/relay/billing.md#usage). */

let relay: RelayHarness;

relaySuite((started) => (relay = started));

const usage = (prompt_tokens: number, completion_tokens: number): object => ({
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
});
const chunk = (choices: readonly object[], more: object = {}): string =>
  JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 7, model: 'gpt-4o', choices, ...more });
const delta = (content: object, more: object = {}, finish: string | null = null): string =>
  chunk([{ index: 0, delta: content, finish_reason: finish }], more);
const finish = delta({}, {}, 'stop');

const body = { model: 'gpt-4o', max_tokens: 100, messages: userMessage('hi'), stream: true };

async function streamed(reply: Reply, path: string, more: object = {}): Promise<{ text: string; log?: LogRow }> {
  const { key, userId } = await relay.addToken();
  relay.upstream.script({}, reply);
  const response = await relay.post(path, key, { ...body, ...more });
  expect(response.status).toBe(200);
  const text = await response.text();
  const [log] = await relay.logs(userId);
  return { text, log };
}

describe('a provider that reports the usage of a stream only when asked', () => {
  const reported = {
    prompt_tokens: 4000,
    completion_tokens: 900,
    prompt_tokens_details: { cached_tokens: 3500 },
    completion_tokens_details: { reasoning_tokens: 890 },
  };
  const claude = events(
    [
      {
        type: 'message_start',
        message: { id: 'm', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 4000 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 900 } },
      { type: 'message_stop' },
    ].map((event) => JSON.stringify(event)),
    { done: false },
  );
  const whole = (): string => `${relay.upstream.url}/v1/chat/completions`;
  // `conformance.test.ts` checks every provider of the table. These rows have the different forms of an address.
  const rows: ReadonlyArray<[name: string, type: number, place: () => { baseUrl?: string; key?: string }]> = [
    ['OpenAI', 1, () => ({})],
    ['Custom', 8, () => ({ baseUrl: whole() })],
    ['iFlytek Spark by HTTP', 18, () => ({ key: 'password' })],
    ['FastGPT', 22, () => ({})],
    ['Tencent Hunyuan by chat', 23, () => ({ key: 'secret' })],
    ['Perplexity', 27, () => ({})],
  ];
  const clients = [
    ['asks', { stream_options: { include_usage: true } }],
    ['does not ask', {}],
    ['asks for none', { stream_options: { include_usage: false } }],
  ] as const;

  it.each(rows)('charges what %s reports, and shows it to clients that ask', async (_name, type, place) => {
    await relay.addChannel({ type, baseUrl: relay.upstream.url, ...place() });
    for (const [client, more] of clients) {
      const { text, log } = await streamed(chat({ text: 'Hi', usage: reported }), '/v1/chat/completions', more);
      expect([client, log?.prompt_tokens, log?.completion_tokens]).toEqual([client, 4000, 900]);
      expect(log?.other).toMatchObject({ cache_tokens: 3500 });
      expect(log?.other['counted_locally']).toBeUndefined();
      expect([client, text.includes('4000')]).toEqual([client, client === 'asks']);
    }
  });

  it.each([1, 8])('charges legacy completions of type %i by what it reports', async (type) => {
    const url = `${relay.upstream.url}/v1/completions`;
    await relay.addChannel({ type, baseUrl: type === 8 ? url : relay.upstream.url });
    for (const [client, more] of clients) {
      const { text, log } = await streamed(
        async (response, request) => {
          const options = request.body?.['stream_options'] as { include_usage?: boolean } | undefined;
          const text = JSON.stringify({ id: 'c', choices: [{ index: 0, text: 'Hi', finish_reason: 'stop' }] });
          const last = JSON.stringify({ id: 'c', choices: [], usage: reported });
          await events(options?.include_usage === true ? [text, last] : [text])(response, request);
        },
        '/v1/completions',
        { messages: undefined, prompt: 'hi', ...more },
      );
      expect([client, log?.prompt_tokens, log?.completion_tokens]).toEqual([client, 4000, 900]);
      expect([client, text.includes('4000')]).toEqual([client, client === 'asks']);
    }
  });

  // @openrouter/ai-sdk-provider 3.1.0 and LiteLLM's `openrouter/` (November 2026) send no `stream_options`.
  it.each([1, 8, 14, 20, 43])('shows it to clients that ask as those of OpenRouter do: type %i', async (type) => {
    relay.setOptions({ SelfUseModeEnabled: true });
    await relay.addChannel({ type, baseUrl: type === 8 ? whole() : relay.upstream.url });
    const ask = { usage: { include: true } };
    const answer: Reply = async (response, request) => {
      const isRefused = request.body?.['usage'] !== undefined && type !== 20;
      const error = { message: 'Unrecognized request argument supplied: usage', type: 'invalid_request_error' };
      const reply = type === 14 ? claude : chat({ text: 'Hi', usage: reported });
      await (isRefused ? json({ error }, 400) : reply)(response, request);
    };
    const { text, log } = await streamed(answer, '/v1/chat/completions', ask);
    expect([text.includes('4000'), log?.prompt_tokens]).toEqual([true, 4000]);
  });

  it.each([
    ['OpenRouter always does, to all of its clients', {}],
    ['but to none that asks for none', { stream_options: { include_usage: false } }],
  ])('%s', async (_name, more) => {
    await relay.addChannel({ type: 20 });
    const { text } = await streamed(chat({ text: 'Hi', usage: reported }), '/v1/chat/completions', more);
    expect(text.includes('4000')).toBe(!('stream_options' in more));
  });

  it('is not asked where the channel removes the field, for servers that refuse it', async () => {
    const override = '{"operations":[{"path":"stream_options","mode":"delete"}]}';
    await relay.addChannel({ type: 8, baseUrl: whole(), override });
    const { log } = await streamed(chat({ text: 'Hi', usage: reported }), '/v1/chat/completions');
    expect(relay.upstream.requests[0]?.body).not.toHaveProperty('stream_options');
    expect(log?.other['counted_locally']).toBe(true);
  });
});

describe('a stream that reports usage in every chunk and ends early', () => {
  const cutText = events([delta({ content: 'one ' }, usage(50, 1)), delta({ content: 'two' }, usage(50, 2))], {
    done: false,
  });
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'pay', arguments: '{"to":"Al' } };
  const cutCall = events([delta({ role: 'assistant', tool_calls: [call] }, usage(50, 4))], { done: false });

  it.each([
    ['text', cutText],
    ['half a tool call', cutCall],
  ])('is broken: %s', async (_name, reply) => {
    const id = await relay.addChannel();
    const chat = await streamed(reply, '/v1/chat/completions');
    const payloads = payloadsOf(chat.text);
    expect(payloads.at(-1)).toBe('[DONE]');
    expect(JSON.parse(payloads.at(-2) ?? '')).toMatchObject({ error: { code: 'stream_response_error' } });
    const messages = await streamed(reply, '/v1/messages');
    expect(messages.text).toContain('event: error\n');
    expect(messages.text).not.toMatch(/message_stop|"stop_reason":"/);
    for (const { log } of [chat, messages]) {
      expect(log).toMatchObject({ prompt_tokens: 50, other: { stream_error: 'stream_response_error' } });
    }
    expect(await relay.metric(`tollgate_upstream_errors_total{channel="${id}"`)).toEqual([
      expect.stringMatching(/ 2$/),
    ]);
  });
});

describe('output that a stream reports as 0', () => {
  const words = Array.from({ length: 10 }, () => delta({ content: ' word' }));
  const wanted = { stream_options: { include_usage: true } };

  it.each<[string, readonly string[], number, boolean]>([
    ['after another report', [delta({ content: 'one' }, usage(50, 6)), finish, chunk([], usage(50, 0))], 6, false],
    ['in its first chunk alone', [delta({ role: 'assistant' }, usage(50, 0)), ...words, finish], 10, true],
    ['at its end', [...words, finish, chunk([], usage(50, 0))], 10, true],
    ['and does not have', [delta({ role: 'assistant' }), finish, chunk([], usage(50, 0))], 0, false],
  ])('%s', async (_name, sent, output, isCounted) => {
    await relay.addChannel();
    const { text, log } = await streamed(events(sent), '/v1/chat/completions', wanted);
    expect(log).toMatchObject({
      prompt_tokens: 50,
      completion_tokens: output,
      quota: Math.round((50 + 4 * output) * 1.25),
    });
    expect(log?.other['counted_locally']).toBe(isCounted ? true : undefined);
    expect(log?.other['stream_error']).toBeUndefined();
    const payloads = payloadsOf(text);
    expect(payloads.at(-1)).toBe('[DONE]');
    expect(JSON.parse(payloads.at(-2) ?? '')).toMatchObject({ choices: [], usage: { completion_tokens: output } });
  });
});

describe('a later report of a native stream that counts less', () => {
  const gemini = (text: string, usageMetadata?: object, finishReason?: string): string =>
    JSON.stringify({
      candidates: [
        { index: 0, content: { role: 'model', parts: [{ text }] }, ...(finishReason ? { finishReason } : {}) },
      ],
      ...(usageMetadata ? { usageMetadata } : {}),
    });
  const full = { promptTokenCount: 50, cachedContentTokenCount: 20, candidatesTokenCount: 6, thoughtsTokenCount: 4 };
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  const generate = '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse';

  it.each<[string, readonly string[], object]>([
    ['nothing', [gemini('one', full), gemini(' two', {}, 'STOP')], { prompt_tokens: 50, completion_tokens: 10 }],
    [
      'the prompt alone',
      [gemini('one', full), gemini(' two', { promptTokenCount: 51 }, 'STOP')],
      { prompt_tokens: 51, completion_tokens: 10 },
    ],
    [
      'the output alone',
      [gemini('one', full), gemini(' two', { candidatesTokenCount: 9 }, 'STOP')],
      { prompt_tokens: 50, completion_tokens: 9, other: { cache_tokens: 20 } },
    ],
    [
      'less of both, as a correction',
      [gemini('one', full), gemini(' two', { promptTokenCount: 40, candidatesTokenCount: 2 }, 'STOP')],
      { prompt_tokens: 40, completion_tokens: 2 },
    ],
  ])('Gemini: %s', async (_name, sent, expected) => {
    await relay.addChannel({ models: 'gemini-2.5-flash', type: 24 });
    const reply = events(sent, { done: false });
    for (const [path, given] of [
      [generate, { contents, max_tokens: undefined }],
      ['/v1/chat/completions', { model: 'gemini-2.5-flash' }],
    ] as const) {
      const { log } = await streamed(reply, path, given);
      expect(log).toMatchObject(expected);
      expect(log?.other['counted_locally']).toBeUndefined();
    }
  });

  const model = 'claude-sonnet-4-20250514';
  const claude = (...deltas: readonly object[]): Reply => {
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [] };
    const start = { ...message, usage: { input_tokens: 50, output_tokens: 1 } };
    const text = 'one two three four five';
    return events(
      [
        { type: 'message_start', message: start },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
        { type: 'content_block_stop', index: 0 },
        ...deltas.map((usage) => ({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage })),
        { type: 'message_stop' },
      ].map((event) => JSON.stringify(event)),
      { done: false },
    );
  };

  it.each<[string, Reply, number, boolean]>([
    ['the output once more as 0', claude({ output_tokens: 25 }, { output_tokens: 0 }), 25, false],
    ['less output, as a correction', claude({ output_tokens: 25 }, { output_tokens: 5 }), 5, false],
    // The number in the first event is a placeholder, so the output is counted here.
    ['no output but 0', claude({ output_tokens: 0 }), 5, true],
    ['no output at all', claude({}), 5, true],
  ])('Claude: %s', async (_name, reply, output, isCounted) => {
    await relay.addChannel({ models: model, type: 14 });
    for (const path of ['/v1/messages', '/v1/chat/completions']) {
      const { log } = await streamed(reply, path, { model });
      expect(log).toMatchObject({ prompt_tokens: 50, completion_tokens: output });
      expect(log?.other['counted_locally']).toBe(isCounted ? true : undefined);
    }
  });
});
