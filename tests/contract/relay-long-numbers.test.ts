import { openStream } from '../support/upstream/replies.js';
import { type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

/**
 * Arguments and results of tools contain ids of 64 bits, which JavaScript rounds. If they were rounded, two messages of a
 * chat system whose ids differ in the last digits would be confused.
 */
let relay: RelayHarness;
relaySuite((started) => (relay = started));

const ids = ['1318304912345678901', '-9223372036854775807', '18446744073709551615'] as const;
const [called, found, answered] = ids;
const model = 'gpt-4o';
const args = (id: string): string => `{"id":${id},"at":{"list":[${id},1.5]}}`;
const quoted = (text: string): string => JSON.stringify(text);
const tool = '"name":"look","description":"d"';
const schema = '{"type":"object","properties":{"id":{"type":"integer"}}}';

/** Bodies of each dialect whose history has a call with `called`. Only Gemini's results are objects. */
const clients: ReadonlyArray<readonly [name: string, path: (stream: boolean) => string, fields: string]> = [
  [
    'chat completions',
    () => '/v1/chat/completions',
    `"model":"${model}","messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":${quoted(args(called))}}}]},{"role":"tool","tool_call_id":"c1","content":${quoted(`{"id":${found}}`)}}],"tools":[{"type":"function","function":{${tool},"parameters":${schema}}}]`,
  ],
  [
    'Messages',
    () => '/v1/messages',
    `"model":"${model}","max_tokens":99,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"look","input":${args(called)}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":${quoted(`{"id":${found}}`)}}]}],"tools":[{${tool},"input_schema":${schema}}]`,
  ],
  [
    'Responses',
    () => '/v1/responses',
    `"model":"${model}","input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"c1","name":"look","arguments":${quoted(args(called))}},{"type":"function_call_output","call_id":"c1","output":${quoted(`{"id":${found}}`)}}],"tools":[{"type":"function",${tool},"parameters":${schema}}]`,
  ],
  [
    'Gemini',
    (stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    `"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"look","args":${args(called)}}}]},{"role":"user","parts":[{"functionResponse":{"name":"look","response":{"id":${found}}}}]}],"tools":[{"functionDeclarations":[{${tool},"parameters":${schema}}]}]`,
  ],
];

interface Provider {
  readonly name: string;
  readonly type: number;
  readonly whole: string;
  readonly stream: readonly string[];
}

const chatCall = `[{"index":0,"id":"c2","type":"function","function":{"name":"look","arguments":${quoted(args(answered))}}}]`;
const chatUsage = '"usage":{"prompt_tokens":5,"completion_tokens":5,"total_tokens":10}';
const geminiAnswer = `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"look","args":${args(answered)}}}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":5}}`;
const claudeStart = `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}`;
const claudeEnd = [
  '{"type":"content_block_stop","index":0}',
  '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":5}}',
  '{"type":"message_stop"}',
];
const claudeWhole = `{"id":"m","type":"message","role":"assistant","model":"m","stop_reason":"tool_use","content":[{"type":"tool_use","id":"c2","name":"look","input":${args(answered)}}],"usage":{"input_tokens":5,"output_tokens":5}}`;
const chunk = (delta: string, finish: string, more = ''): string =>
  `{"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]${more}}`;

const providers: readonly Provider[] = [
  {
    name: 'chat completions',
    type: 1,
    whole: `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":${chatCall}}}],${chatUsage}}`,
    stream: [
      chunk(`{"role":"assistant","tool_calls":${chatCall}}`, 'null'),
      chunk('{}', '"tool_calls"', `,${chatUsage}`),
      '[DONE]',
    ],
  },
  {
    name: 'chat completions with arguments as an object',
    type: 1,
    whole: `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"c2","type":"function","function":{"name":"look","arguments":${args(answered)}}}]}}],${chatUsage}}`,
    stream: [
      chunk(
        `{"role":"assistant","tool_calls":[{"index":0,"id":"c2","type":"function","function":{"name":"look","arguments":${args(answered)}}}]}`,
        'null',
      ),
      chunk('{}', '"tool_calls"', `,${chatUsage}`),
      '[DONE]',
    ],
  },
  {
    name: 'Claude',
    type: 14,
    whole: claudeWhole,
    stream: [
      claudeStart,
      '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c2","name":"look","input":{}}}',
      `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":${quoted(args(answered))}}}`,
      ...claudeEnd,
    ],
  },
  {
    name: 'a Claude that sends the input at once',
    type: 14,
    whole: claudeWhole,
    stream: [
      claudeStart,
      `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c2","name":"look","input":${args(answered)}}}`,
      ...claudeEnd,
    ],
  },
  { name: 'Gemini', type: 24, whole: geminiAnswer, stream: [geminiAnswer] },
];

const pairs = clients.flatMap(([client, path, fields]) =>
  providers.flatMap((provider) => [false, true].map((stream) => ({ client, path, fields, provider, stream }))),
);

const respondWith = (provider: Provider, stream: boolean): void =>
  relay.upstream.script({}, (response) => {
    if (stream) {
      openStream(response);
      response.end(provider.stream.map((data) => `${eventName(data)}data: ${data}\n\n`).join(''));
    } else response.writeHead(200, { 'content-type': 'application/json' }).end(provider.whole);
  });

async function numbersOf(response: Response): Promise<{ sent: Set<string>; answer: Set<string> }> {
  const answer = await response.text();
  expect(response.status).toBe(200);
  return { sent: numbersIn(relay.upstream.requests[0]?.rawBody.toString() ?? ''), answer: numbersIn(answer) };
}

it.each(pairs)('$client of $provider.name, stream $stream', async ({ path, fields, provider, stream }) => {
  await relay.addChannel({ type: provider.type, models: model });
  const { key } = await relay.addToken();
  respondWith(provider, stream);
  const response = await relay.post(path(stream), key, `{${stream ? '"stream":true,' : ''}${fields}}`);
  expect(await numbersOf(response)).toEqual({ sent: new Set([called, found]), answer: new Set([answered]) });
});

it.each([
  ['Messages', 14, 'messages', { role: 'user', content: 'go' }],
  ['Gemini', 24, 'contents', { role: 'user', parts: [{ text: 'go' }] }],
])('a history in the dialect %s to which the channel adds', async (name, type, path, value) => {
  const override = JSON.stringify({ operations: [{ mode: 'append', path, value: [value] }] });
  await relay.addChannel({ type, models: model, override });
  const { key } = await relay.addToken();
  respondWith(need(providers.find((provider) => provider.type === type)), false);
  const [, pathOf, fields] = need(clients.find(([client]) => client === name));
  const response = await relay.post(pathOf(false), key, `{${fields}}`);
  expect(await numbersOf(response)).toEqual({ sent: new Set([called, found]), answer: new Set([answered]) });
  expect(relay.upstream.requests[0]?.rawBody.toString()).toContain('"go"');
});

it.each(clients.filter(([name]) => name === 'Messages' || name === 'Gemini'))(
  'a call in the dialect %s that a guardrail masks',
  async (name, pathOf, fields) => {
    const rule = { name: 'personal', stage: 'both', action: 'mask', check: 'patterns', patterns: ['email'] };
    relay.setOptions({ 'guardrails.rules': [rule] } as never);
    const type = name === 'Gemini' ? 24 : 14;
    await relay.addChannel({ type, models: model });
    const { key } = await relay.addToken();
    const provider = need(providers.find((each) => each.type === type));
    const whole = provider.whole.replace('"at":', '"mail":"bob@example.com","at":');
    respondWith({ ...provider, whole }, false);
    const response = await relay.post(pathOf(false), key, `{${fields.replace('"hi"', '"ann@example.com"')}}`);
    const copy = response.clone();
    expect(await numbersOf(response)).toEqual({ sent: new Set([called, found]), answer: new Set([answered]) });
    for (const text of [await copy.text(), relay.upstream.requests[0]?.rawBody.toString()])
      expect(text).not.toContain('example.com');
  },
);

it('a body of which large texts are parsed apart', async () => {
  await relay.addChannel({ type: 14, models: model });
  const { key } = await relay.addToken();
  respondWith(need(providers.find(({ type }) => type === 14)), false);
  const [, pathOf, fields] = need(clients[3]);
  const response = await relay.post(pathOf(false), key, `{${fields.replace('"hi"', `"${'x'.repeat(600_000)}"`)}}`);
  expect(await numbersOf(response)).toEqual({ sent: new Set([called, found]), answer: new Set([answered]) });
});

function need<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('not found');
  return value;
}
const eventName = (data: string): string => {
  const name = /^\{"type":"([a-z_.]+)"/.exec(data)?.[1];
  return name === undefined ? '' : `event: ${name}\n`;
};
/** Numbers that begin like one of `ids`. */
const numbersIn = (text: string): Set<string> => new Set(text.match(/(?<![\w.])-?(?:131830|922337|184467)\d{13,}/g));
