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
];

const providers = [
  ['Gemini', 24, 'gemini-2.0-flash'],
  ['Gemini', 24, 'gemini-3-pro'],
  ['Anthropic', 14, 'claude-sonnet-4-5'],
  ['OpenAI', 1, 'gpt-4o'],
  ['OpenAI by Responses', 1, 'gpt-5.6'],
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

const clients: ReadonlyArray<readonly [string, (parameters: Json) => Json]> = [
  [
    '/v1/chat/completions',
    (parameters) => ({
      messages: userMessage('hi'),
      tools: [{ type: 'function', function: { name: 'set', parameters } }],
    }),
  ],
  [
    '/v1/messages',
    (parameters) => ({
      max_tokens: 99,
      messages: userMessage('hi'),
      tools: [{ name: 'set', input_schema: parameters }],
    }),
  ],
  ['/v1/responses', (parameters) => ({ input: 'hi', tools: [{ type: 'function', name: 'set', parameters }] })],
];

const cases = schemas.flatMap(([name, make]) =>
  providers.map(([provider, type, model]) => [name, provider, model, type, make] as const),
);

it.each(cases)('%s at %s (%s)', async (_name, _provider, model, type, make) => {
  await relay.addChannel({ type, models: model });
  const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 100_000_000 }) });
  if (type === 24) relay.upstream.script({}, json(googleAnswer));
  for (const [path, bodyOf] of clients) {
    const response = await relay.post(path, key, { model, ...bodyOf(make()) });
    const text = await response.text();
    // The scripted providers do not serve every path, which does not matter here.
    expect(`${path}: ${response.status} ${text}`).toMatch(/: (200|404|400 .*(nested too deep|has more than)) /);
  }
});
