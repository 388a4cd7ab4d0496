import fc from 'fast-check';
import { types } from 'node:util';
import { contextFor, targetFor } from '../../../../tests/support/relay-dialects.js';
import type { UpstreamRequest } from '../../dialects/contract.js';
import { acceptsEverything } from '../../dialects/accepts.js';
import { messagesClient } from '../../dialects/languages/anthropic/messages-client.js';
import { responsesClient } from '../../dialects/languages/responses/responses-client.js';
import { anthropic } from '../../dialects/makers/anthropic/anthropic.js';
import { gemini } from '../../dialects/makers/gemini/gemini.js';
import { openAICompatible } from '../../dialects/makers/openai-compatible/openai-compatible.js';
import type { ClientCodec } from '../../dialects/neutral/codec.js';
import type { Fields, Json } from '../../dialects/neutral/fields.js';
import type { Target } from '../../dialects/target.js';
import { parseJsonBody, rememberTurns } from '../../dialects/wire/forms/json-body.js';
import { parseBodyOverride } from '../../shared/channel-override.js';
import { Conversations } from '../admit/conversations.js';
import { relayedChat, translatedChat, type TranslatedChat } from './translated-chat.js';
import type { ChatCapability, ChatRequest } from '../../dialects/contract.js';

const chat = openAICompatible({}).chat as ChatCapability;
const responses = openAICompatible({ responses: true }).overResponses as NonNullable<
  ReturnType<typeof openAICompatible>['overResponses']
>;
type Serve = (client: ClientCodec) => ChatCapability | TranslatedChat;
const atChat: Serve = (client) => relayedChat(chat, client, contextFor());
const throughCodec =
  (conversation: typeof gemini.conversation): Serve =>
  (client) =>
    translatedChat(conversation as NonNullable<typeof conversation>, client, contextFor());

const baseUrl = 'https://upstream.example';
const strict = { ...acceptsEverything, developerRole: false, customTools: false };
const override = parseBodyOverride({
  operations: [{ mode: 'prepend', path: 'messages.2.content', value: 'Overridden. ' }],
}) as Target['override'];

/** Channels of every dialect, which differ in all that a turn depends on. */
const channels: ReadonlyArray<readonly [string, Serve, Target]> = [
  ['chat', atChat, targetFor({ baseUrl, upstreamModel: 'gpt-4.1' })],
  [
    'chat, reasoning model',
    atChat,
    targetFor({ baseUrl, upstreamModel: 'gpt-5.1', accepts: { ...strict, developerRole: true } }),
  ],
  ['chat, overridden', atChat, targetFor({ baseUrl, upstreamModel: 'deepseek-chat', accepts: strict, override })],
  [
    'chat, short ids',
    atChat,
    targetFor({ baseUrl, upstreamModel: 'm', accepts: { ...strict, callIds: { length: 9 } } }),
  ],
  [
    'chat, thoughts',
    atChat,
    targetFor({ baseUrl, upstreamModel: 'deepseek-v4', accepts: { ...strict, reasoningHistory: 'reasoning_content' } }),
  ],
  [
    'chat, proofs',
    atChat,
    targetFor({ baseUrl, upstreamModel: 'anthropic/claude', accepts: { ...strict, reasoningHistory: 'reasoning' } }),
  ],
  ['Gemini 2', throughCodec(gemini.conversation), targetFor({ baseUrl, upstreamModel: 'gemini-2.0-flash' })],
  ['Gemini 3', throughCodec(gemini.conversation), targetFor({ baseUrl, upstreamModel: 'gemini-3-pro' })],
  ['Messages', throughCodec(anthropic.conversation), targetFor({ baseUrl, upstreamModel: 'claude-sonnet-4-5' })],
  ['Responses', throughCodec(responses), targetFor({ baseUrl, upstreamModel: 'gpt-4.1' })],
];

/** Returns the request of a channel, or the error. */
function sent(
  client: ClientCodec,
  [, serve, target]: (typeof channels)[number],
  body: Fields,
  rawBody: Buffer,
): unknown {
  const request: ChatRequest = { path: '/', body, rawBody, stream: true, wantsUsage: true, headers: {} };
  const capability = serve(client);
  try {
    if ('remoteMedia' in capability) capability.remoteMedia(request, target);
    const { body: bytes, url, dropped }: UpstreamRequest = capability.toUpstreamRequest(request, target);
    return { url, dropped, body: bytes?.toString() };
  } catch (error) {
    return String(error);
  }
}

const text = fc.string({ unit: 'grapheme', maxLength: 6 });
const word = fc.constantFrom('a', 'bc', 'mcp__server__long_name', 'with space', 'x'.repeat(70));
const callId = fc.constantFrom('c1', 'c2', 'c3', 'c4');
const input = fc.constantFrom<Json>({}, { path: 'é.ts' }, { $filter: 1, id: 1318304912345678 });
const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo' } };
const signature = fc.constantFrom('', 'EgYKBAgBEAE=', 'gAAAAabc', 'unknown');

const resultContent = fc.oneof(
  text,
  fc.constant('{"a":1}'),
  fc.array(fc.oneof(fc.record({ type: fc.constant('text'), text }), fc.constant(png)), { maxLength: 2 }),
  fc.constant([{ type: 'tool_reference', tool_name: 'a' }]),
);
const userBlock = fc.oneof(
  fc.record({ type: fc.constant('text'), text, cache_control: fc.constant({ type: 'ephemeral' }) }),
  fc.constant(png),
  fc.record({
    type: fc.constant('tool_result'),
    tool_use_id: callId,
    content: resultContent,
    is_error: fc.boolean(),
  }),
);
const assistantBlock = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({ type: fc.constant('thinking'), thinking: text, signature }),
  fc.record({ type: fc.constant('redacted_thinking'), data: signature }),
  fc.record({ type: fc.constant('tool_use'), id: callId, name: word, input }),
  fc.record({ type: fc.constant('server_tool_use'), id: callId, name: fc.constant('web_search'), input }),
  fc.record({ type: fc.constant('compaction'), content: fc.constantFrom('short', '') }),
);
const messagesTurn = fc.oneof(
  fc.record({ role: fc.constant('user'), content: fc.oneof(text, fc.array(userBlock, { maxLength: 3 })) }),
  fc.record({ role: fc.constant('assistant'), content: fc.oneof(text, fc.array(assistantBlock, { maxLength: 3 })) }),
  fc.record({ role: fc.constant('system'), content: text }),
);

const said = fc.record({
  type: fc.constant('message'),
  role: fc.constantFrom('user', 'assistant', 'developer', 'system'),
  content: fc.oneof(text, fc.array(fc.record({ type: fc.constant('input_text'), text }), { maxLength: 2 })),
});
const output = fc.oneof(text, fc.constant([{ type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo' }]));
const responsesItem = fc.oneof(
  said,
  fc.record({
    type: fc.constant('function_call'),
    call_id: callId,
    name: word,
    arguments: fc.constantFrom('{}', '{"a":[1]}', '{"cut', ''),
    namespace: fc.constantFrom(undefined, 'mcp__x'),
  }),
  fc.record({ type: fc.constant('custom_tool_call'), call_id: callId, name: fc.constant('patch'), input: text }),
  fc.record({ type: fc.constant('function_call_output'), call_id: callId, output }),
  fc.record({ type: fc.constant('custom_tool_call_output'), call_id: callId, output }),
  fc.record({
    type: fc.constant('reasoning'),
    id: fc.constant('rs_1'),
    summary: fc.constant([{ type: 'summary_text', text: 'thought' }]),
    encrypted_content: signature,
  }),
  fc.record({ type: fc.constant('web_search_call'), id: fc.constant('ws_1'), status: fc.constant('completed') }),
);

const schema = fc.constantFrom<Json>(
  { type: 'object', properties: { path: { type: 'string' } } },
  { type: 'object', properties: { $filter: { enum: [1, 2] }, list: { type: 'array' } } },
  { anyOf: [{ type: 'object', properties: { a: { $ref: '#/$defs/a' } } }], $defs: { a: { type: ['string', 'null'] } } },
);
const messagesTool = fc.oneof(
  // Large enough to be shared by the bodies that have the same tools.
  fc.record({ name: word, description: text.map((own) => own + 'd'.repeat(1024)), input_schema: schema }),
  fc.constant({ type: 'web_search_20250305', name: 'web_search', allowed_domains: ['a.example'] }),
);
const responsesTool = fc.oneof(
  fc.record({ type: fc.constant('function'), name: word, parameters: schema, strict: fc.boolean() }),
  fc.constant({ type: 'custom', name: 'patch', format: { type: 'text' } }),
  fc.constant({ type: 'namespace', name: 'mcp__x', tools: [{ type: 'function', name: 'a', parameters: {} }] }),
);

/** Makes a body large enough to be remembered, in so many turns that they are written one by one. */
const padding = Array.from({ length: 20 }, (_, turn) => `${turn} é `.repeat(700));

const languages = [
  {
    name: 'Messages',
    client: messagesClient,
    turn: messagesTurn as fc.Arbitrary<Json>,
    tool: messagesTool as fc.Arbitrary<Json>,
    bodyOf: (turns: readonly Json[], tools: readonly Json[]): Json => ({
      model: 'm',
      max_tokens: 100,
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: 1' },
        { type: 'text', text: 'Help.' },
      ],
      tools,
      messages: [...padding.map((content) => ({ role: 'user', content })), ...turns],
    }),
  },
  {
    name: 'Responses',
    client: responsesClient,
    turn: responsesItem as fc.Arbitrary<Json>,
    tool: responsesTool as fc.Arbitrary<Json>,
    bodyOf: (turns: readonly Json[], tools: readonly Json[]): Json => ({
      model: 'm',
      instructions: 'Help.',
      tools,
      input: [...padding.map((content) => ({ type: 'message', role: 'user', content })), ...turns],
    }),
  },
] as const;

/** The steps of a conversation: turns are added at the end, behind an earlier turn, or in place of one. */
const stepsOf = (turn: fc.Arbitrary<Json>, tool: fc.Arbitrary<Json>) =>
  fc.array(
    fc.record({
      at: fc.oneof({ weight: 3, arbitrary: fc.constant(Infinity) }, fc.nat(12)),
      keepsRest: fc.boolean(),
      added: fc.array(turn, { minLength: 1, maxLength: 4 }),
      tools: fc.option(fc.array(tool, { maxLength: 3 })),
      order: fc.shuffledSubarray(
        channels.map((_, index) => index),
        { minLength: 3 },
      ),
    }),
    { minLength: 2, maxLength: 5 },
  );

describe.each(languages)('a client of $name', ({ client, turn, tool, bodyOf }) => {
  const expectAsAlone = (body: Json, bytes: Buffer, order: readonly number[]): void => {
    const alone = (): Json => JSON.parse(bytes.toString()) as Json;
    for (const index of order) {
      const channel = channels[index] as (typeof channels)[number];
      const expected = sent(client, channel, alone(), bytes);
      // Twice, because the first time keeps what the second one finds.
      for (let time = 0; time < 2; time++) expect(sent(client, channel, { ...body }, bytes)).toEqual(expected);
    }
    // Writing must not change what later calls share.
    expect(body).toEqual(alone());
  };

  it('has the same requests written from known turns as from a body that is parsed alone', () => {
    fc.assert(
      fc.property(stepsOf(turn, tool), (steps) => {
        const memory = new Conversations().of(1);
        let turns: readonly Json[] = [];
        let tools: readonly Json[] = [];
        for (const step of steps) {
          turns = [...turns.slice(0, step.at), ...step.added, ...(step.keepsRest ? turns.slice(step.at + 1) : [])];
          tools = step.tools ?? tools;
          const bytes = Buffer.from(JSON.stringify(bodyOf(turns, tools)));
          rememberTurns(bytes, memory);
          const body = parseJsonBody(bytes);
          expectAsAlone(body, bytes, step.order);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('has the same requests written from turns of which there is only a digest', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(turn, { minLength: 20, maxLength: 30 }), fc.nat(channels.length - 1), (turns, index) => {
        const conversations = new Conversations(400_000);
        const read = (of: readonly Json[], key: number): { body: Json; bytes: Buffer } => {
          const bytes = Buffer.from(JSON.stringify(bodyOf(of, [])));
          rememberTurns(bytes, conversations.of(key));
          return { body: parseJsonBody(bytes), bytes };
        };
        read(turns, 1);
        read(turns, 2);
        const { body, bytes } = read(turns, 1);
        if (Object.values(body).some((value) => types.isProxy(value))) found++;
        expectAsAlone(body, bytes, [index]);
      }),
      { numRuns: 60 },
    );
    expect(found).toBeGreaterThan(30);
  });
});
