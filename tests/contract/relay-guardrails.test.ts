/** Guardrails for input and output (docs/reference/relay/guardrails.md). */
import { createHmac } from 'node:crypto';
import type { OptionValues } from '../../server/src/options/option-registry.js';
import { until } from '../faults/traffic.js';
import { longestTurnDuring } from '../support/growth.js';
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';
import { chat, events, json } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

type Rule = OptionValues['guardrails.rules'][number];

let relay: RelayHarness;
let service: ScriptedServer;
const values = { ModelPrice: { 'gpt-4o': 0.1 } };
relaySuite((started) => (relay = started), { values, outboundAllow: ['127.0.0.1'] });
beforeAll(async () => {
  service = await startScriptedServer(() => ({ body: {} }));
});
afterAll(() => service.stop());
beforeEach(() => {
  service.calls.length = 0;
});

const rules = (...list: Rule[]): void => relay.setOptions({ ...values, 'guardrails.rules': list });
const patterns = (more: Partial<Rule> = {}): Rule =>
  ({
    name: 'personal',
    stage: 'both',
    action: 'mask',
    check: 'patterns',
    patterns: ['email', 'card'],
    ...more,
  }) as Rule;
const words = (more: Partial<Rule> = {}): Rule =>
  ({
    name: 'no-fruit',
    stage: 'both',
    action: 'block',
    check: 'words',
    words: ['pineapple', 'regex:dur+ian'],
    ...more,
  }) as Rule;
const moderation = (more: Partial<Rule> = {}): Rule =>
  ({
    name: 'moderated',
    stage: 'input',
    action: 'block',
    check: 'moderation',
    url: `${service.url}/v1/moderations`,
    model: 'omni-moderation-latest',
    timeout_ms: 1000,
    on_failure: 'closed',
    ...more,
  }) as Rule;
const webhook = (more: Partial<Rule> = {}): Rule =>
  ({
    name: 'hook',
    stage: 'both',
    action: 'mask',
    check: 'webhook',
    url: `${service.url}/hook`,
    timeout_ms: 1000,
    on_failure: 'open',
    ...more,
  }) as Rule;

interface Asked {
  readonly status: number;
  readonly text: string;
  readonly key: string;
  readonly userId: number;
}

async function ask(
  content: string,
  { path = '/v1/chat/completions', group = '', ...given }: Record<string, unknown> = {},
): Promise<Asked> {
  const { key, userId } = await relay.addToken({ group: group as string });
  const response = await relay.post(path as string, key, { model: 'gpt-4o', messages: userMessage(content), ...given });
  return { status: response.status, text: await response.text(), key, userId };
}

/** Returns the details of the caller's newest log row of any type. */
async function rowOf({ userId }: Asked): Promise<Record<string, unknown>> {
  let rows: Array<{ other: string }> = [];
  await until(
    async () =>
      (rows = await relay.sql('SELECT other FROM logs WHERE user_id = $1 ORDER BY id DESC', [userId])).length > 0,
    10,
    'a row is written',
  );
  return JSON.parse(rows[0]?.other ?? '{}') as Record<string, unknown>;
}
const notesOf = async (asked: Asked): Promise<unknown> =>
  ((await rowOf(asked))['admin_info'] as Record<string, unknown> | undefined)?.['guardrails'];
const sentTexts = (): unknown => (relay.upstream.requests.at(-1)?.body as { messages?: unknown } | null)?.messages;
/** A stream of the Responses dialect. */
function responsesEvents(text: readonly string[]): string[] {
  const head = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-4o' };
  const item = { id: 'msg_1', type: 'message', role: 'assistant' };
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const part = { type: 'output_text', text: text.join(''), annotations: [] };
  const output = [{ ...item, status: 'completed', content: [part] }];
  const usage = { input_tokens: 12, output_tokens: 5, total_tokens: 17 };
  return [
    { type: 'response.created', response: { ...head, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    ...text.map((delta) => ({ type: 'response.output_text.delta', ...at, delta })),
    { type: 'response.output_text.done', ...at, text: part.text },
    { type: 'response.content_part.done', ...at, part },
    { type: 'response.output_item.done', output_index: 0, item: output[0] },
    { type: 'response.completed', response: { ...head, status: 'completed', output, usage } },
  ].map((event) => JSON.stringify(event));
}
/** The text of a chat stream. */
const streamed = (text: string): string =>
  [...text.matchAll(/^data: (\{.*)$/gm)]
    .map(
      ([, data]) =>
        (JSON.parse(data ?? '') as { choices: Array<{ delta?: { content?: string } }> }).choices[0]?.delta?.content ??
        '',
    )
    .join('');

/** A hundred texts. The pattern needs quadratic time for each of them. */
const slowPattern = 'regex:\\w+@evil\\.example';
const slowTexts = Array.from({ length: 100 }, () => ({ role: 'user', content: 'a'.repeat(10_000) }));

/** Three thousand texts. The pattern needs only some milliseconds for each of them. */
const cubicPattern = 'regex:\\w+\\w+@evil\\.example';
const manyTexts = Array.from({ length: 3000 }, () => ({ role: 'user', content: 'a'.repeat(200) }));

describe('input', () => {
  beforeEach(() => relay.addChannel());

  it.each([
    ['a guardrail', () => rules(words({ words: [slowPattern] })), slowTexts, 'guardrail_blocked'],
    [
      'blocked words',
      () => relay.setOptions({ SensitiveWords: [cubicPattern] }),
      manyTexts,
      'sensitive_words_detected',
    ],
  ])(
    'is refused by %s that would take too long for all texts, while other calls go on',
    async (_, set, messages, code) => {
      set();
      let asked: Asked | undefined;
      const longest = await longestTurnDuring(async () => {
        asked = await ask('', { messages });
      });
      expect(asked).toMatchObject({ status: 400, text: expect.stringContaining(code) });
      expect(longest).toBeLessThan(0.5);
      expect(relay.upstream.requests).toHaveLength(0);
    },
  );

  it('is masked as a whole, or passes with a note, where the time was not enough', async () => {
    rules(words({ words: [slowPattern], action: 'mask' }));
    expect((await ask('', { messages: slowTexts })).status).toBe(200);
    expect((sentTexts() as unknown[]).at(-1)).toEqual({ role: 'user', content: '[removed]' });
    // The short answer earns three milliseconds, which a busy machine may need for it.
    rules(words({ words: [slowPattern], action: 'log', stage: 'input' }));
    const asked = await ask('', { messages: slowTexts });
    expect(asked.status).toBe(200);
    expect((sentTexts() as unknown[]).at(-1)).toEqual(slowTexts.at(-1));
    expect(await notesOf(asked)).toEqual([{ rule: 'no-fruit', stage: 'input', action: 'log', matched: [slowPattern] }]);
  });

  it('masks what patterns find, in every text and not in ids, and logs the kinds only', async () => {
    rules(patterns());
    const messages = [
      { role: 'system', content: 'Mail ann@mail.example.' },
      { role: 'user', content: [{ type: 'text', text: 'card 4111 1111 1111 1111' }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'ann@mail.example', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'ann@mail.example', content: 'none' },
    ];
    const asked = await ask('', { messages });
    expect(asked.status).toBe(200);
    expect(sentTexts()).toEqual([
      { role: 'system', content: 'Mail [email].' },
      { role: 'user', content: [{ type: 'text', text: 'card [card]' }] },
      messages[2],
      messages[3],
    ]);
    expect(await notesOf(asked)).toEqual([
      { rule: 'personal', stage: 'input', action: 'mask', matched: ['email', 'card'] },
    ]);
    expect(JSON.stringify(await rowOf(asked))).not.toMatch(/4111|ann@/);
  });

  it.each([
    '/v1/chat/completions',
    '/v1/messages',
    '/v1/responses',
    '/v1beta/models/gpt-4o:generateContent',
    '/v1/embeddings',
  ])('masks at %s', async (path) => {
    rules(patterns({ stage: 'input' }));
    await relay.addChannel({ models: 'gpt-4o,text-embedding-3-small' });
    const text = 'I am ann@mail.example';
    const given = path.includes('embeddings')
      ? { input: text, messages: undefined }
      : path.includes('responses')
        ? { input: text, messages: undefined }
        : path.includes('v1beta')
          ? { contents: [{ role: 'user', parts: [{ text }] }], messages: undefined, model: undefined }
          : { max_tokens: 50 };
    await ask(text, { path, ...given });
    const sent = relay.upstream.requests.at(-1)?.rawBody.toString() ?? '';
    expect(sent).toContain('I am [email]');
    expect(sent).not.toContain('ann@');
  });

  it('blocks before anything is reserved or sent, and writes a row with the rule', async () => {
    rules(words());
    const asked = await ask('a PINEapple, please');
    expect([asked.status, asked.text]).toEqual([400, expect.stringContaining('guardrail_blocked')]);
    expect(asked.text).toContain('no-fruit');
    expect(relay.upstream.requests).toEqual([]);
    expect(await rowOf(asked)).toMatchObject({ error_code: 'guardrail_blocked', status_code: 400 });
    expect(await notesOf(asked)).toEqual([
      { rule: 'no-fruit', stage: 'input', action: 'block', matched: ['pineapple'] },
    ]);
    expect((await ask('a durrrian')).status).toBe(400);
    expect((await ask('an apple')).status).toBe(200);
  });

  it('logs without a change where the action is log', async () => {
    rules(words({ action: 'log' }));
    const asked = await ask('a pineapple');
    expect(asked.status).toBe(200);
    expect(JSON.stringify(sentTexts())).toContain('a pineapple');
    expect(await notesOf(asked)).toEqual([{ rule: 'no-fruit', stage: 'input', action: 'log', matched: ['pineapple'] }]);
  });

  it('concerns the groups and tokens that the rule names, and no others', async () => {
    relay.setOptions({
      ...values,
      UserUsableGroups: { default: '', vip: '' },
      GroupRatio: { default: 1, vip: 1 },
      'guardrails.rules': [words({ groups: ['vip'] })],
    });
    await relay.addChannel({ group: 'vip' });
    expect((await ask('a pineapple', { group: 'vip' })).status).toBe(400);
    const free = await ask('a pineapple');
    expect(free.status).toBe(200);
    expect(await notesOf(free)).toBeUndefined();
    const { key, id } = await relay.addToken();
    rules(words({ tokens: [id] }));
    expect((await relay.chat(key, { model: 'gpt-4o', messages: userMessage('a pineapple') })).status).toBe(400);
    expect((await ask('a pineapple')).status).toBe(200);
  });
});

describe('moderation', () => {
  beforeEach(() => relay.addChannel());
  const result = (flagged: boolean, score: number) => ({
    body: {
      results: [
        {
          flagged,
          categories: { violence: flagged, harassment: false },
          category_scores: { violence: score, harassment: 0.2 },
        },
      ],
    },
  });

  it('blocks what the service flags, with its key', async () => {
    relay.setOptions({ ...values, 'guardrails.rules': [moderation()], 'guardrails.moderation_token': 'sk-moderation' });
    service.answer = () => result(true, 0.9);
    const asked = await ask('fight');
    expect(asked.status).toBe(400);
    expect(await notesOf(asked)).toEqual([
      { rule: 'moderated', stage: 'input', action: 'block', matched: ['violence'] },
    ]);
    expect(service.calls[0]?.headers['authorization']).toBe('Bearer sk-moderation');
    expect(JSON.parse(service.calls[0]?.body ?? '')).toEqual({ model: 'omni-moderation-latest', input: ['fight'] });
    service.answer = () => result(false, 0.1);
    expect((await ask('peace')).status).toBe(200);
  });

  it('counts scores from a threshold, in the chosen categories', async () => {
    service.answer = () => result(false, 0.5);
    rules(moderation({ threshold: 0.4 }));
    expect((await ask('fight')).status).toBe(400);
    rules(moderation({ threshold: 0.4, categories: ['harassment'] }));
    expect((await ask('fight')).status).toBe(200);
  });

  it.each([
    ['closed', 503, 'failed_closed'],
    ['open', 200, 'failed_open'],
  ] as const)('fails %s as the operator chose: %i', async (on_failure, status, action) => {
    rules(moderation({ on_failure, timeout_ms: 100 }));
    for (const answer of [
      () => ({ status: 500 }),
      () => ({ body: { wrong: true } }),
      () => new Promise<never>(() => undefined),
    ]) {
      service.answer = answer;
      const asked = await ask('hello');
      expect(asked.status).toBe(status);
      expect(await notesOf(asked)).toEqual([{ rule: 'moderated', stage: 'input', action, matched: [] }]);
    }
  });
});

describe('webhook', () => {
  beforeEach(() => relay.addChannel());

  it('gets texts with a signature and masks them', async () => {
    relay.setOptions({
      ...values,
      'guardrails.rules': [webhook({ stage: 'input' })],
      'guardrails.webhook_secret': 'hook-secret',
    });
    service.answer = ({ body }) => {
      const { texts } = JSON.parse(body) as { texts: string[] };
      return { body: { matched: ['name'], texts: texts.map((text) => text.replace('Ann', '***')) } };
    };
    const asked = await ask('I am Ann');
    expect(asked.status).toBe(200);
    expect(sentTexts()).toEqual(userMessage('I am ***'));
    const [call] = service.calls;
    const signature = createHmac('sha256', 'hook-secret')
      .update(call?.body ?? '')
      .digest('hex');
    expect(call?.headers['x-tollgate-signature']).toBe(`sha256=${signature}`);
    expect(JSON.parse(call?.body ?? '')).toMatchObject({
      rule: 'hook',
      stage: 'input',
      model: 'gpt-4o',
      group: 'default',
      texts: ['I am Ann'],
    });
    expect(await notesOf(asked)).toEqual([{ rule: 'hook', stage: 'input', action: 'mask', matched: ['name'] }]);
  });

  it('sees a stream in windows, and the client gets a window when it has passed', async () => {
    rules(webhook({ stage: 'output' }));
    service.answer = ({ body }) => {
      const { texts } = JSON.parse(body) as { texts: string[] };
      return { body: { matched: ['x'], texts: texts.map((text) => text.replaceAll('b', 'B')) } };
    };
    const text = Array.from({ length: 300 }, (_, at) => `abc ${at} `);
    relay.upstream.script({}, chat({ text }));
    const asked = await ask('hi', { stream: true });
    expect(streamed(asked.text)).toBe(text.join('').replaceAll('b', 'B'));
    expect(asked.text).toContain('[DONE]');
    const windows = service.calls.map(({ body }) => (JSON.parse(body) as { texts: string[] }).texts.join(''));
    expect(windows.join('')).toBe(text.join(''));
    expect(windows.length).toBeGreaterThan(1);
  });

  it('is asked once about all sources of a frame of a stream', async () => {
    rules(webhook({ stage: 'output' }));
    const asked: string[][] = [];
    service.answer = ({ body }) => {
      const { texts } = JSON.parse(body) as { texts: string[] };
      asked.push(texts);
      return { body: { matched: ['x'], texts: texts.map((text) => text.replace('Page', 'Site')) } };
    };
    const titles = Array.from({ length: 10 }, (_, at) => `Page ${at}`);
    const annotations = titles.map((title, at) => ({
      type: 'url_citation',
      url_citation: { url: `https://${at}.example`, title, start_index: 0, end_index: 2 },
    }));
    const chunk = (delta: object, more: object = {}) => ({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'gpt-4o',
      choices: [{ index: 0, delta, finish_reason: null, ...more }],
    });
    const frames = [chunk({ content: 'hi' }), chunk({ annotations }), chunk({}, { finish_reason: 'stop' })];
    relay.upstream.script({}, events(frames.map((frame) => JSON.stringify(frame))));
    const { text } = await ask('hi', { stream: true });
    expect([...text.matchAll(/"title":"(.*?)"/g)].map(([, title]) => title)).toEqual(
      titles.map((title) => title.replace('Page', 'Site')),
    );
    expect(asked).toEqual([titles, ['hi']]);
  });
});

describe('output', () => {
  beforeEach(() => relay.addChannel());
  const pieces = [
    'Write to ',
    'ann',
    '@mail',
    '.exam',
    'ple or pay with 4111',
    ' 1111 1111',
    ' 1111',
    ' today. ',
    'x '.repeat(200),
    'Bye',
  ];
  const masked = `Write to [email] or pay with [card] today. ${'x '.repeat(200)}Bye`;

  it('masks a response in one piece', async () => {
    rules(patterns({ stage: 'output' }));
    relay.upstream.script({}, chat({ text: pieces }));
    const asked = await ask('hi');
    expect(
      (JSON.parse(asked.text) as { choices: Array<{ message: { content: string } }> }).choices[0]?.message.content,
    ).toBe(masked);
    expect(await notesOf(asked)).toEqual([
      { rule: 'personal', stage: 'output', action: 'mask', matched: ['email', 'card'] },
    ]);
  });

  it('masks a match that a stream sends in parts', async () => {
    rules(patterns({ stage: 'output' }));
    relay.upstream.script({}, chat({ text: pieces }));
    const asked = await ask('hi', { stream: true, stream_options: { include_usage: true } });
    expect(streamed(asked.text)).toBe(masked);
    expect(asked.text).toContain('"prompt_tokens":12');
    expect(asked.text.trimEnd().endsWith('data: [DONE]')).toBe(true);
  });

  it.each([
    ['/v1/messages', { max_tokens: 50 }, 'event: message_stop'],
    ['/v1/responses', { input: 'hi', messages: undefined }, 'response.completed'],
    [
      '/v1beta/models/gpt-4o:streamGenerateContent?alt=sse',
      { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], messages: undefined, model: undefined },
      'STOP',
    ],
    ['/v1/completions', { prompt: 'hi', messages: undefined }, '[DONE]'],
  ])('masks the stream of %s', async (path, given, end) => {
    rules(patterns({ stage: 'output' }));
    const completion = {
      choices: [{ index: 0, text: pieces.join(''), finish_reason: 'stop' }],
      usage: { prompt_tokens: 12, completion_tokens: 5 },
    };
    relay.upstream.script(
      {},
      path.endsWith('/completions')
        ? (response, request) => {
            expect(request.stream).toBe(false);
            response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion));
          }
        : path.endsWith('/responses')
          ? events(responsesEvents(pieces), { done: false })
          : chat({ text: pieces }),
    );
    const asked = await ask('hi', { path, stream: true, ...given });
    expect(asked.status).toBe(200);
    expect(asked.text).not.toMatch(/ann@|4111/);
    expect(asked.text).toContain('[email]');
    expect(asked.text).toContain(end);
  });

  it.each([false, true])('blocks: the client gets the error and the call is charged (stream: %s)', async (stream) => {
    rules(words({ stage: 'output' }));
    relay.upstream.script({}, chat({ text: ['Take a pine', 'apple', '.'] }));
    const asked = await ask('hi', { stream });
    expect([asked.status, asked.text]).toEqual([400, expect.stringContaining('guardrail_blocked')]);
    expect(asked.text).not.toContain('Take');
    const [row] = await relay.logsOf(asked.userId, 1);
    expect(row).toMatchObject({ quota: 50_000 });
    expect(await notesOf(asked)).toEqual([
      { rule: 'no-fruit', stage: 'output', action: 'block', matched: ['pineapple'] },
    ]);
    // The failure is not the fault of the channel, so its key has no cooldown.
    expect(relay.health.cooldowns).toEqual([]);
  });

  it('ends a stream that has begun with the error, in the dialect', async () => {
    rules(words({ stage: 'output' }));
    relay.upstream.script({}, chat({ text: ['fine '.repeat(100), 'a pineapple', ' and more'], gapMilliseconds: 100 }));
    const asked = await ask('hi', { stream: true });
    expect(asked.status).toBe(200);
    expect(streamed(asked.text.split('data: {"error"')[0] ?? '')).toMatch(/^(fine )+/);
    expect(asked.text).toContain('guardrail_blocked');
    expect(asked.text).not.toMatch(/pineapple|and more/);
    expect(await notesOf(asked)).toMatchObject([{ action: 'block' }]);
  });

  describe('and is charged', () => {
    const text = ['fine '.repeat(100), 'a pineapple', ' and more '.repeat(50)];
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 5200,
      total_tokens: 5212,
      completion_tokens_details: { reasoning_tokens: 5000 },
    };
    const charged = async (model: string) => {
      rules(words({ stage: 'output' }));
      await relay.clearChannels();
      await relay.addChannel({ models: model });
      const { key, userId } = await relay.addToken();
      const response = await relay.chat(key, { model, messages: userMessage('hi'), max_tokens: 9000, stream: true });
      expect(await response.text()).not.toMatch(/pineapple|and more/);
      const [row] = await relay.logsOf(userId, 1);
      return row;
    };

    it('with the reasoning that the provider reports', async () => {
      relay.upstream.script({}, chat({ text, usage, gapMilliseconds: 50 }));
      expect(await charged('o3-mini')).toMatchObject({ prompt_tokens: 12, completion_tokens: 5200 });
    });

    it('as it was reserved where the provider never comes to its report and may have reasoned', async () => {
      relay.upstream.script({}, (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const content = text.join('');
        response.write(`data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content } }] })}\n\n`);
        setTimeout(() => response.destroy(), 200);
      });
      expect(await charged('o3-mini')).toMatchObject({ completion_tokens: 9000 });
    });

    it('for its text, and not read on, where the model hides nothing', async () => {
      relay.upstream.script({}, (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const content = text.join('');
        response.write(`data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content } }] })}\n\n`);
      });
      const row = await charged('gpt-4o-mini');
      expect(row?.completion_tokens).toBeGreaterThan(100);
      expect(row?.completion_tokens).toBeLessThan(400);
      await until(
        () => Promise.resolve(relay.upstream.requests[0]?.aborted === true),
        10,
        'the upstream call is ended',
      );
    });
  });

  it('does not touch streams of callers without a rule', async () => {
    rules(patterns({ groups: ['other'] }));
    const data = ['{"id":"c","own":1,"choices":[{"index":0,"delta":{"content":"ann@mail.example"}}]}'];
    relay.upstream.script({}, events(data));
    expect((await ask('hi', { stream: true })).text).toContain(data[0]);
  });
});

it('checks a response that the client wants in the background, before its id is known', async () => {
  await relay.addChannel();
  rules(words({ stage: 'output' }));
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' };
  const content = [{ type: 'output_text', text: 'A pineapple', annotations: [] }];
  const made = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'gpt-4o',
    error: null,
    status: 'completed',
    output: [{ ...message, content }],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  };
  relay.upstream.script({}, (response, request) => {
    const isLater = request.body?.['background'] === true;
    void json(isLater ? { ...made, status: 'queued', output: [], usage: null } : made)(response, request);
  });
  const { status, text } = await ask('', { path: '/v1/responses', input: 'hi', messages: undefined, background: true });
  expect([status, text]).toEqual([400, expect.stringContaining('guardrail')]);
  expect(relay.upstream.requests[0]?.body).not.toHaveProperty('background');
});

describe('a response that is read by its id', () => {
  const read = async (path: string, key: string): Promise<[number, string]> => {
    const response = await fetch(`${relay.url}/v1/responses/${path}`, { headers: { authorization: `Bearer ${key}` } });
    return [response.status, await response.text()];
  };
  const responses = (text: string, stream: boolean): Promise<Asked> => {
    const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' };
    const made = {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      model: 'gpt-4o',
      status: 'completed',
      output: [{ ...message, content: [{ type: 'output_text', text, annotations: [] }] }],
      usage: { input_tokens: 12, output_tokens: 5, total_tokens: 17 },
    };
    relay.upstream.script({}, (response, request) => {
      if (request.stream) return events(responsesEvents([text]), { done: false })(response, request);
      if (!request.path.includes('input_items')) return json(made)(response, request);
      const given = {
        type: 'message',
        id: 'msg_0',
        role: 'user',
        content: [{ type: 'input_text', text: 'a pineapple' }],
      };
      return json({ object: 'list', data: [given, ...made.output], has_more: false })(response, request);
    });
    return ask('', { path: '/v1/responses', input: 'hi', messages: undefined, stream });
  };
  const idIn = (text: string): string => /"id":\s*"(resp_[\w-]+)"/.exec(text)?.[1] ?? '';

  it('was blocked: a native stream that has shown its id is neither read nor continued', async () => {
    await relay.addChannel();
    rules(words({ stage: 'output' }));
    const { key, text } = await responses(`${'Well. '.repeat(50)}A pineapple.`, true);
    expect(text).toContain('guardrail_blocked');
    expect(idIn(text)).toBe('resp_1');
    expect(await read('resp_1', key)).toEqual([404, expect.stringContaining('response_not_found')]);
    expect(await read('resp_1/input_items', key)).toEqual([404, expect.anything()]);
    const more = { model: 'gpt-4o', input: 'Repeat it', previous_response_id: 'resp_1' };
    const next = await relay.post('/v1/responses', key, more);
    expect([next.status, await next.text()]).toEqual([400, expect.stringContaining('previous_response_not_found')]);
    expect(relay.upstream.requests).toHaveLength(1);
  });

  it.each([true, false])("was masked: its provider's copy is masked too (stream: %s)", async (stream) => {
    await relay.addChannel();
    rules(patterns({ stage: 'output' }));
    const { key } = await responses('Mail ann@mail.example.', stream);
    expect(await read('resp_1', key)).toEqual([200, expect.stringContaining('Mail [email].')]);
    expect(await read('resp_1/input_items', key)).toEqual([200, expect.stringContaining('Mail [email].')]);
  });

  it('is checked when it is read, by rules that came later too; input is not output', async () => {
    await relay.addChannel();
    const { key } = await responses('A durian.', false);
    expect(await read('resp_1', key)).toEqual([200, expect.stringContaining('A durian.')]);
    rules(words({ stage: 'output', words: ['pineapple'] }));
    expect(await read('resp_1/input_items', key)).toEqual([200, expect.stringContaining('a pineapple')]);
    rules(words({ stage: 'output', words: ['durian'] }));
    expect(await read('resp_1', key)).toEqual([400, expect.stringContaining('guardrail_blocked')]);
    expect(await read('resp_1/input_items', key)).toEqual([400, expect.stringContaining('guardrail_blocked')]);
  });

  it.each([true, false])('is kept here as the client got it (stream: %s)', async (stream) => {
    await relay.addChannel({ type: 43 });
    rules(words({ stage: 'output' }), patterns({ stage: 'output' }));
    const made = (id: string, text: string) => chat({ text, extra: { id } });
    relay.upstream.script({}, made('one', 'Mail ann@mail.example.'), made('two', 'A pineapple.'));
    const body = { model: 'gpt-4o', input: 'hi', stream };
    const { key } = await relay.addToken();
    const masked = await (await relay.post('/v1/responses', key, body)).text();
    const [status, copy] = await read(idIn(masked), key);
    expect([status, JSON.parse(copy)]).toMatchObject([200, { usage: { input_tokens: 12, output_tokens: 5 } }]);
    expect(copy).toContain('Mail [email].');
    const blocked = await relay.post('/v1/responses', key, body);
    expect(await blocked.text()).toContain('guardrail_blocked');
    // The id of a blocked response would be derived from the request id.
    const id = `resp_${String(blocked.headers.get('x-oneapi-request-id'))}`;
    expect(await read(id, key)).toEqual([404, expect.anything()]);
  });
});
