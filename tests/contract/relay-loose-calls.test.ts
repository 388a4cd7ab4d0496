/**
 * Calls of tools as providers of the OpenAI family stream them, for clients that read chat completions strictly
 * (opencode#43328, zed#38412, zed#42893, zed#54872, python-genai#2868).
 */
import type { Reply } from '../support/upstream/upstream.js';
import { json } from '../support/upstream/replies.js';
import { payloadsOf, type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });
afterEach(async () => expect(await relay.unexplained()).toEqual([]));

type Json = Record<string, unknown>;

const head = { id: 'chatcmpl-7', object: 'chat.completion.chunk', created: 1_718_700_000, model: 'm' };
const chunk = (delta: Json, finish: unknown = null, more: Json = {}): string =>
  JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }], ...more });
const calls = (...pieces: Json[]): Json => ({ tool_calls: pieces });
const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const usageChunk = JSON.stringify({ ...head, choices: [], usage });
const text = chunk({ role: 'assistant', content: 'I "look" at \u00e9: "tool_calls":[{' });
const sent =
  (events: readonly string[]): Reply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of [...events, usageChunk, '[DONE]']) response.write(`data: ${event}\n\n`);
    response.end();
  };

const first = { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"a"' } };
const later = { index: 0, function: { arguments: ':1}' } };
const second = { index: 1, id: 'call_2', type: 'function', function: { name: 'see', arguments: '{}' } };

/** Checks a delta against the schema of a strict client (Zed, the AI SDK). Returns the name of each violation. */
function violations(delta: Json): string[] {
  const found: string[] = [];
  for (const piece of (delta['tool_calls'] ?? []) as Json[]) {
    const called = (piece['function'] ?? {}) as Json;
    if (typeof piece['index'] !== 'number') found.push('index');
    for (const name of ['id', 'type']) if (name in piece && !piece[name]) found.push(name);
    if ('name' in called && !called['name']) found.push('name');
    if ('arguments' in called && typeof called['arguments'] !== 'string') found.push('arguments');
    if (called['name'] && (!piece['id'] || piece['type'] !== 'function')) found.push('begin');
  }
  return found;
}

/** Assembles calls by their index alone, as strict clients do. */
function read(payloads: readonly string[]): { calls: unknown[]; reasons: unknown[]; violations: string[] } {
  const found: Array<{ id: unknown; name: unknown; arguments: string }> = [];
  const reasons: unknown[] = [];
  const wrong: string[] = [];
  for (const payload of payloads.slice(0, -1)) {
    const { choices, usage: reported } = JSON.parse(payload) as { choices: Json[]; usage?: Json | null };
    if (reported && typeof reported['total_tokens'] !== 'number') wrong.push('usage');
    for (const { delta, finish_reason: reason } of choices) {
      if (reason === '') wrong.push('finish_reason');
      if (reason) reasons.push(reason);
      wrong.push(...violations(delta as Json));
      for (const piece of ((delta as Json)['tool_calls'] ?? []) as Json[]) {
        const called = piece['function'] as Json;
        const call = (found[Number(piece['index'])] ??= { id: piece['id'], name: called['name'], arguments: '' });
        call.arguments += (called as { arguments?: string }).arguments ?? '';
      }
    }
  }
  return { calls: found, reasons, violations: wrong };
}

const one = [{ id: 'call_1', name: 'look', arguments: '{"a":1}' }];
const two = [...one, { id: 'call_2', name: 'see', arguments: '{}' }];
const end = chunk({}, 'tool_calls');

const loose: ReadonlyArray<readonly [string, readonly string[], unknown]> = [
  [
    'null in later pieces',
    [
      chunk(calls(first)),
      chunk(calls({ index: 0, id: null, type: null, function: { name: null, arguments: ':1}' } })),
      end,
    ],
    one,
  ],
  [
    'empty texts in later pieces',
    [chunk(calls(first)), chunk(calls({ index: 0, id: '', type: '', function: { name: '', arguments: ':1}' } })), end],
    one,
  ],
  ['no type', [chunk(calls({ ...first, type: undefined })), chunk(calls(later)), end], one],
  ['a type of null', [chunk(calls({ ...first, type: null })), chunk(calls(later)), end], one],
  [
    'no index',
    [
      chunk(calls({ ...first, index: undefined })),
      chunk(calls({ function: { arguments: ':1}' } })),
      chunk(calls({ ...second, index: undefined })),
      end,
    ],
    two,
  ],
  [
    'index 0 for each call',
    [chunk(calls(first)), chunk(calls(later)), chunk(calls({ ...second, index: 0 })), end],
    two,
  ],
  [
    'index 0 for each call, and pieces of the second',
    [
      chunk(calls(first)),
      chunk(calls(later)),
      chunk(calls({ ...second, index: 0, function: { name: 'see', arguments: '' } })),
      chunk(calls({ index: 0, function: { arguments: '{' } })),
      chunk(calls({ index: 0, function: { arguments: '}' } })),
      end,
    ],
    two,
  ],
  [
    'null in the last piece alone',
    [
      chunk(calls({ ...first, function: { name: 'look', arguments: '' } })),
      chunk(calls({ index: 0, function: { arguments: '{"a"' } })),
      chunk(calls({ index: 0, function: { arguments: ':1}' }, id: null, type: null })),
      end,
    ],
    one,
  ],
  [
    'null in the second of two pieces',
    [
      chunk(calls(first)),
      chunk(calls(second)),
      chunk(calls(later, { index: 1, id: null, function: { arguments: '' } })),
      end,
    ],
    two,
  ],
  [
    'no id',
    [chunk(calls({ ...first, id: '' })), chunk(calls(later)), end],
    [{ ...one[0], id: expect.stringMatching(/^call_\w+$/) }],
  ],
  ['arguments as an object', [chunk(calls({ ...first, function: { name: 'look', arguments: { a: 1 } } })), end], one],
  [
    'no arguments, for a function without parameters',
    [
      chunk(calls({ ...first, function: { name: 'look', arguments: '' } })),
      chunk(calls({ index: 0, function: { arguments: '' } })),
      end,
    ],
    [{ id: 'call_1', name: 'look', arguments: '{}' }],
  ],
  [
    'no arguments in the first of two calls, and no reason',
    [chunk(calls({ ...first, function: { name: 'look', arguments: '' } })), chunk(calls(second))],
    [{ id: 'call_1', name: 'look', arguments: '{}' }, two[1]],
  ],
  ['the reason "stop"', [chunk(calls(first)), chunk(calls(later)), chunk({}, 'stop')], one],
  ['the reason "stop" with the call', [chunk(calls(first)), chunk(calls(later), 'stop')], one],
  ['the reason "" at the end', [chunk(calls(first)), chunk(calls(later)), chunk({}, '')], one],
  ['the reason "" in every chunk', [chunk(calls(first), ''), chunk(calls(later), '')], one],
  ['no reason', [chunk(calls(first)), chunk(calls(later))], one],
  ['an empty usage', [chunk(calls(first), null, { usage: {} }), chunk(calls(later), null, { usage: {} }), end], one],
];

/** Channel types whose streams pass through, one type whose stream is rebuilt, and a channel that rebuilds every stream. */
const kinds: ReadonlyArray<readonly [number, Json]> = [
  ...[1, 8, 17, 20, 25, 35, 40, 43, 62].map((type): [number, Json] => [type, {}]),
  [43, { setting: '{"force_format":true}' }],
];

describe.each(kinds)('type %i %j', (type, more) => {
  let key: string;
  beforeEach(async () => {
    const address = type === 8 ? { baseUrl: `${relay.upstream.url}/v1/chat/completions` } : {};
    await relay.addChannel({ type, models: 'm', ...address, ...more });
    ({ key } = await relay.addToken());
  });

  const stream = async (events: readonly string[], given: Json = {}): Promise<string[]> => {
    relay.upstream.script({}, sent(events));
    const asked = { model: 'm', stream: true, stream_options: { include_usage: true }, messages: userMessage('hi') };
    const body = { ...asked, ...given };
    const response = await relay.chat(key, body);
    expect(response.status).toBe(200);
    return payloadsOf(await response.text());
  };

  it.each(loose)('%s', async (_name, events, expected) => {
    const payloads = await stream([text, ...events]);
    expect(read(payloads)).toEqual({ calls: expected, reasons: ['tool_calls'], violations: [] });
    expect(payloads.at(-1)).toBe('[DONE]');
    expect(JSON.parse(payloads.at(-2) ?? '')).toMatchObject({ choices: [], usage });
  });

  // OpenAI itself ends with "stop" when the call names the tool.
  const named = { tools: [{ type: 'function', function: { name: 'look' } }] };
  const choices = [
    [{ type: 'function', function: { name: 'look' } }, 'stop'],
    [{ type: 'function', name: 'look' }, 'stop'],
    ['required', 'tool_calls'],
    ['auto', 'tool_calls'],
  ] as const;

  it.each(choices)('a call with the tool choice %j ends with "%s"', async (choice, reason) => {
    const given = { ...named, tool_choice: choice };
    for (const events of [
      [chunk(calls(first)), chunk(calls(later)), chunk({}, 'stop')],
      [chunk(calls(first)), chunk(calls(later))],
    ])
      expect(read(await stream(events, given)).reasons).toEqual([reason]);
    const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    relay.upstream.script({}, json({ ...head, choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));
    const response = await relay.chat(key, { model: 'm', messages: userMessage('hi'), ...given });
    expect(await response.json()).toMatchObject({ choices: [{ message, finish_reason: reason }] });
  });

  it('no arguments where the output limit may have cut them off', async () => {
    const begun = { ...first, function: { name: 'look', arguments: '' } };
    expect(read(await stream([chunk(calls(begun)), chunk({}, 'length')]))).toEqual({
      calls: [{ id: 'call_1', name: 'look', arguments: '' }],
      reasons: ['length'],
      violations: [],
    });
  });

  it('a whole answer with a call without arguments', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '' } };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    relay.upstream.script({}, json({ ...head, choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage }));
    const response = await relay.chat(key, { model: 'm', messages: userMessage('hi') });
    expect(await response.json()).toMatchObject({
      choices: [{ message: { tool_calls: [{ ...call, function: { name: 'look', arguments: '{}' } }] } }],
    });
  });

  it.each(['stop', ''])('a whole answer with the reason "%s"', async (reason) => {
    const call = { id: 'call_1', function: { name: 'look', arguments: '{"at":"é 12345678901234567890"}' } };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    relay.upstream.script({}, json({ ...head, choices: [{ index: 0, message, finish_reason: reason }], usage }));
    const response = await relay.chat(key, { model: 'm', messages: userMessage('hi') });
    expect(await response.json()).toMatchObject({
      choices: [{ message: { tool_calls: [{ ...call, type: 'function' }] }, finish_reason: 'tool_calls' }],
    });
  });
});

it('force_format concerns every chunk', async () => {
  await relay.addChannel({ type: 43, models: 'm', setting: '{"force_format":true,"thinking_to_content":true}' });
  const { key } = await relay.addToken();
  const thought = chunk({ reasoning_content: 'I look.' }, null, { own: 1 });
  const shape = ['id', 'object', 'created', 'model', 'system_fingerprint', 'choices', 'usage'];
  for (const events of [[text, chunk(calls(first)), chunk(calls(later))], [thought]]) {
    relay.upstream.script({}, sent(events));
    const body = { model: 'm', stream: true, stream_options: { include_usage: true }, messages: userMessage('hi') };
    const payloads = payloadsOf(await (await relay.chat(key, body)).text()).slice(0, -1);
    expect(payloads.length).toBeGreaterThan(2);
    for (const payload of payloads) expect(Object.keys(JSON.parse(payload) as Json)).toEqual(shape);
  }
});

describe('a chunk that nothing is wrong with', () => {
  const good = [
    text,
    chunk({ content: 'one' }, null, { own: 1.0 }),
    `{"odd":  1e2, ${chunk({ tool_calls: [first, second] }).slice(1)}`,
    `{"odd":  1e2, ${chunk({ tool_calls: [later] }).slice(1)}`,
    chunk({ tool_calls: [{ ...later, function: { arguments: '"tool_calls":[{"id":null,"é\\' } }] }),
    chunk({ tool_calls: [{ ...later, index: 1, function: { arguments: '' } }] }),
    chunk({ tool_calls: null }, 'length'),
  ];

  it('is forwarded byte for byte', async () => {
    await relay.addChannel({ type: 62, models: 'm' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, sent(good));
    const response = await relay.chat(key, { model: 'm', stream: true, messages: userMessage('hi') });
    expect(payloadsOf(await response.text())).toEqual([...good, '[DONE]']);
  });

  it('is forwarded byte for byte, where a text ends with "stop" and has no calls', async () => {
    await relay.addChannel({ type: 62, models: 'm' });
    const { key } = await relay.addToken();
    const plain = [text, chunk({ content: 'one', tool_calls: [] }), chunk({}, 'stop')];
    relay.upstream.script({}, sent(plain));
    const response = await relay.chat(key, { model: 'm', stream: true, messages: userMessage('hi') });
    expect(payloadsOf(await response.text())).toEqual([...plain, '[DONE]']);
  });
});
