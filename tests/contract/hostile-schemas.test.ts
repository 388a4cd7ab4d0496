/** Small schemas of tools that become endless when every reference is followed. A call that never ends fails the file. */
import { json } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });

type Json = Record<string, unknown>;

/** Definitions of which each refers to the next one twice: 2 to the power of their number. */
const doubled = (count: number, union: string): Json => ({
  type: 'object',
  [union]: [{ $ref: '#/$defs/d0' }],
  properties: { x: { $ref: '#/$defs/d0' } },
  $defs: Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, index + 1 === count ? { enum: [1] } : { [union]: [next, next], properties: { a: next } }];
    }),
  ),
});

const itself = (union: string): Json => ({
  type: 'object',
  [union]: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }],
  properties: { n: { enum: [1] }, x: { $ref: '#/$defs/a' } },
  $defs: { a: { [union]: Array.from({ length: 4 }, () => ({ $ref: '#/$defs/a' })) } },
});

const typesWithin = (depth: number): Json =>
  depth === 0
    ? { type: 'string' }
    : { type: ['object', 'array'], properties: { x: typesWithin(depth - 1) }, items: typesWithin(depth - 1) };
const listed = (depth: number): Json =>
  depth === 0 ? { type: 'string' } : { type: Array(9).fill('object'), properties: { x: listed(depth - 1) } };

const chain = (count: number): Json => ({
  type: 'object',
  properties: { x: { $ref: '#/$defs/d0' } },
  $defs: Object.fromEntries(
    Array.from({ length: count }, (_, index): [string, Json] => [
      `d${index}`,
      index + 1 === count ? { type: 'string' } : { $ref: `#/$defs/d${index + 1}` },
    ]),
  ),
});

const manyChoices = (count: number): Json => ({
  anyOf: Array.from({ length: count }, (_, index) => ({ type: 'object', properties: { x: { const: `${index}` } } })),
});

const repeated = (count: number, definition: Json): Json => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { $ref: '#/$defs/e' }])),
  $defs: { e: definition },
});

const names = (count: number, before = 'n'): string[] =>
  Array.from({ length: count }, (_, index) => `${before}${index}`);
const properties = (count: number): Json => Object.fromEntries(names(count).map((name) => [name, {}]));

const schemas: ReadonlyArray<readonly [string, () => Json]> = [
  ['definitions in anyOf', () => doubled(40, 'anyOf')],
  ['definitions in oneOf', () => doubled(40, 'oneOf')],
  ['definitions in allOf', () => doubled(40, 'allOf')],
  ['a definition of itself in anyOf', () => itself('anyOf')],
  ['a definition of itself in allOf', () => itself('allOf')],
  ['types within each other', () => typesWithin(12)],
  ['a list of one type', () => listed(30)],
  ['a long chain of references', () => chain(20_000)],
  ['eight thousand choices', () => manyChoices(8_000)],
  ['a long enum behind many references', () => repeated(8_000, { enum: names(30_000, 'e') })],
  ['a long description behind many references', () => repeated(8_000, { description: 'x'.repeat(100_000) })],
  ['many names that are required', () => ({ type: 'object', properties: properties(20_000), required: names(20_000) })],
  ['many parts of one object', () => ({ allOf: names(15_000).map((name) => ({ properties: { [name]: {} } })) })],
  [
    'one definition many times',
    () => ({ allOf: Array(10_000).fill({ $ref: '#/$defs/a' }), $defs: { a: { properties: properties(20_000) } } }),
  ],
  [
    'many definitions of one',
    () => ({
      allOf: names(1_000, 'd').map((name) => ({ $ref: `#/$defs/${name}` })),
      $defs: {
        a: { properties: properties(20_000), required: names(20_000) },
        ...Object.fromEntries(names(1_000, 'd').map((name) => [name, { allOf: [{ $ref: '#/$defs/a' }] }])),
      },
    }),
  ],
  ['two options that require much', () => ({ anyOf: [{ required: names(30_000) }, { required: names(30_000, 'o') }] })],
];

/** The clients speak another dialect than the provider, so that the schemas are translated. */
const providers = [
  ['Gemini', 24, 'gemini-2.0-flash', 'chat'],
  ['Gemini', 24, 'gemini-3-pro', 'messages'],
  ['Anthropic', 14, 'claude-sonnet-4-5', 'chat'],
  ['OpenAI', 1, 'gpt-4o', 'messages'],
  ['OpenAI by Responses', 1, 'gpt-5.6', 'messages'],
] as const;

const googleAnswer = {
  candidates: [
    {
      index: 0,
      finishReason: 'STOP',
      content: { role: 'model', parts: [{ functionCall: { name: 'set', args: { x: {}, n: '1' } } }] },
    },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
};

const clients = {
  chat: {
    path: '/v1/chat/completions',
    bodyOf: (parameters: Json) => ({ tools: [{ type: 'function', function: { name: 'set', parameters } }] }),
  },
  messages: {
    path: '/v1/messages',
    bodyOf: (parameters: Json) => ({ max_tokens: 99, tools: [{ name: 'set', input_schema: parameters }] }),
  },
};

const cases = schemas.flatMap(([name, make]) =>
  providers.map(([provider, type, model, client]) => [name, provider, model, type, client, make] as const),
);

it.each(cases)('%s at %s (%s)', async (_name, _provider, model, type, client, make) => {
  await relay.addChannel({ type, models: model });
  const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 100_000_000 }) });
  if (type === 24) relay.upstream.script({}, json(googleAnswer));
  const { path, bodyOf } = clients[client];
  const response = await relay.post(path, key, { model, messages: userMessage('hi'), ...bodyOf(make()) });
  const text = await response.text();
  // The scripted providers do not serve every path, which does not matter here.
  expect(`${response.status} ${text}`).toMatch(/^(200|404|400 .*(nested too deep|too large once all references)) /);
});
