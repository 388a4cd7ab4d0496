import fc from 'fast-check';
import { types } from 'node:util';
import { declaredTools } from '../../dialects/neutral/declared-tools.js';
import type { Fields } from '../../dialects/neutral/fields.js';
import { checkMessagesRequest, parseMessagesRequest } from '../../dialects/languages/anthropic/messages-parse.js';
import { withoutForeignBlocks } from '../../dialects/languages/anthropic/own-thoughts.js';
import { idPaths, namedIds, type IdDialect } from '../../dialects/languages/provider-ids.js';
import { withoutForeignItems } from '../../dialects/languages/responses/own-items.js';
import { parseInput } from '../../dialects/languages/responses/responses-parse-input.js';
import { parseJsonBody, rememberTurns } from '../../dialects/wire/forms/json-body.js';
import { Conversations } from '../admit/conversations.js';
import type { Call } from '../call.js';
import { bytesOf } from './estimate.js';
import { contentsPrompt, messagesPrompt, responsesPrompt } from './metering/dialect-prompts.js';
import type { PromptTexts } from './metering/prompt.js';
import { chatPrompt, estimatePrompt } from './metering/prompt-tokens.js';
import { requestTraits } from './metering/request-traits.js';

const counted = ({ texts, fixed, bytes, unsized }: PromptTexts): PromptTexts => ({ texts, fixed, bytes, unsized });

/** Returns the result of a function, or the message of its refusal. */
function orRefusal(of: () => unknown): unknown {
  try {
    return of();
  } catch (error) {
    return (error as Error).message;
  }
}

const dialects = Object.keys(idPaths).filter((name): name is IdDialect => name !== 'event' && name !== 'object');

const callOf = (body: Fields): Call =>
  ({
    request: { body },
    price: { searchesUnasked: false, cachesUnasked: false },
    mayCostMore: true,
    endpoint: { tariff: { prompt: () => messagesPrompt(body) } },
    route: { bareModel: 'claude' },
  }) as unknown as Call;

/** Returns what the reservation, the price and the sent body depend on, as far as turns and tools decide it. */
function facts(body: Fields): unknown {
  const call = callOf(body);
  return {
    traits: requestTraits(call),
    bytes: bytesOf(call),
    prompts: [
      messagesPrompt(body),
      chatPrompt(body, 'gpt-4o'),
      responsesPrompt(body, 'gpt-4o'),
      contentsPrompt(body),
    ].map(counted),
    estimate: estimatePrompt(Buffer.alloc(100_000), body, 'gpt-4o'),
    tools: declaredTools(body),
    kept: withoutForeignBlocks(body['messages']),
    keptItems: [withoutForeignItems(body['input'], true), withoutForeignItems(body['input'])],
    ids: dialects.map((dialect) => orRefusal(() => namedIds(dialect, body))),
    messages: orRefusal(() => parseMessagesRequest({ body })),
    input: orRefusal(() => parseInput(body['input'])),
  };
}

/** Makes a body large enough to be remembered. */
const padding = 'é'.repeat(40_000);
const text = fc.string({ unit: 'grapheme', maxLength: 8 });
const image = fc.constantFrom('data:image/png;base64,AAAA', 'https://example.com/a.png');
const call = fc.record({ id: text, function: fc.record({ name: text, arguments: text }) });
const block = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'input_text', 'output_text'), text }),
  fc.record({ type: fc.constant('text'), text, cache_control: fc.constant({ type: 'ephemeral', ttl: '1h' }) }),
  fc.record({ type: fc.constant('image'), source: fc.constant({ type: 'base64', data: 'AAAA' }) }),
  fc.record({ type: fc.constant('image'), source: fc.constant({ type: 'file', file_id: 'file_1' }) }),
  fc.record({ type: fc.constant('image_url'), image_url: fc.record({ url: image, detail: text }) }),
  fc.record({ type: fc.constant('input_image'), image_url: image, detail: text }),
  fc.record({ type: fc.constant('input_file'), file_id: fc.constantFrom('', 'file_1', 5) }),
  fc.record({ type: fc.constant('document'), source: fc.constant({ type: 'url', url: 'https://example.com/a' }) }),
  fc.record({ type: fc.constant('thinking'), thinking: text, signature: fc.constantFrom('', 'foreign') }),
  fc.record({ type: fc.constant('tool_use'), id: text, name: text, input: fc.dictionary(text, text) }),
  fc.record({ type: fc.constant('tool_result'), tool_use_id: text, content: text }),
  fc.record({
    type: fc.constant('tool_addition'),
    tool: fc.record({ definition: fc.record({ type: fc.constant('web_search_20250305'), name: text }) }),
  }),
);
const content = fc.oneof(text, fc.array(block, { maxLength: 4 }));
const turn = fc.oneof(
  { weight: 5, arbitrary: fc.record({ role: fc.constantFrom('user', 'assistant'), content }) },
  fc.record({ role: fc.constant('assistant'), content, tool_calls: fc.array(call, { maxLength: 2 }) }),
  fc.record({ role: fc.constant('system'), content, clear_at: fc.constant('next_user_message') }),
  fc.record({
    role: fc.constant('system'),
    content,
    output_config: fc.record({ effort: fc.constantFrom('low', 'high') }),
  }),
  fc.record({ type: fc.constant('function_call'), call_id: text, name: text, arguments: text }),
  fc.record({ type: fc.constant('function_call_output'), call_id: text, output: content }),
  fc.record({ type: fc.constantFrom('reasoning', 'web_search_call'), id: fc.constantFrom('rs_tollgate', 'rs_1') }),
  fc.record({ role: fc.constantFrom('user', 'model'), parts: fc.array(fc.record({ text }), { maxLength: 3 }) }),
  fc.record({ type: fc.constant('additional_tools'), tools: fc.array(fc.record({ type: text, name: text })) }),
  fc.constantFrom('text', 5, null, []),
);
const plainTurn = fc.record({ role: fc.constantFrom('user', 'assistant'), content: text });
// Large enough to be shared by the bodies that have the same tools.
const description = text.map((own) => own + 'd'.repeat(1024));
const tool = fc.record({ name: text, description, input_schema: fc.dictionary(text, text) });

it.each(['messages', 'input', 'contents'])('reads the same from known turns in %s as from a body alone', (name) => {
  const conversation = fc.record({
    turns: fc.array(turn, { minLength: 3, maxLength: 40 }),
    tools: fc.array(tool, { maxLength: 3 }),
    isBefore: fc.boolean(),
    steps: fc.array(fc.record({ count: fc.nat(), changed: fc.nat() }), { minLength: 2, maxLength: 5 }),
  });
  fc.assert(
    fc.property(conversation, ({ turns, tools, isBefore, steps }) => {
      const memory = new Conversations().of(1);
      for (const { count, changed } of steps) {
        const sent = turns.slice(0, 2 + (count % turns.length));
        if (changed % 2 === 0) sent[changed % sent.length] = { role: 'user', content: 'changed' };
        const list = [{ role: 'user', content: padding }, ...sent];
        const json = JSON.stringify(isBefore ? { tools, [name]: list } : { [name]: list, tools });
        const bytes = Buffer.from(json);
        rememberTurns(bytes, memory);
        const body = parseJsonBody(bytes);
        const alone = JSON.parse(json) as Fields;
        // Twice, because the first reading notes what the second one finds.
        expect([facts(body), facts({ ...body })]).toEqual([facts(alone), facts(alone)]);
      }
    }),
    { numRuns: 30 },
  );
});

it.each(['messages', 'input', 'contents'])('reads the same from what is known of turns in %s that are gone', (name) => {
  const conversation = fc.record({
    // A conversation in which turns change tools or name files is parsed again.
    turns: fc.array(fc.oneof({ weight: 20, arbitrary: plainTurn }, turn), { minLength: 20, maxLength: 40 }),
    tools: fc.array(tool, { maxLength: 3 }),
    counts: fc.array(fc.nat(20), { minLength: 2, maxLength: 4 }),
  });
  let found = 0;
  fc.assert(
    fc.property(conversation, ({ turns, tools, counts }) => {
      // Place for one body.
      const conversations = new Conversations(600_000);
      const read = (json: string, key: number): Fields => {
        const bytes = Buffer.from(json);
        rememberTurns(bytes, conversations.of(key));
        return parseJsonBody(bytes);
      };
      for (const count of counts) {
        const list = [{ role: 'user', content: padding }, ...turns.slice(0, 20 + count)];
        const json = JSON.stringify({ [name]: list, tools });
        const passed = read(json, 1);
        orRefusal(() => checkMessagesRequest({ body: passed }));
        requestTraits(callOf(passed));
        read(JSON.stringify({ [name]: [padding, padding], tools }), 2);
        const alone = JSON.parse(json) as Fields;
        const body = read(json, 1);
        if (types.isProxy(body[name])) found++;
        expect([facts(body), facts({ ...body })]).toEqual([facts(alone), facts(alone)]);
      }
    }),
    { numRuns: 20 },
  );
  expect(found).toBeGreaterThan(15);
});

it('counts objects, and not texts, towards the most that is searched for traits', () => {
  const bytes = Buffer.from(JSON.stringify({ input: Array.from({ length: 100_001 }, () => 'a') }));
  rememberTurns(bytes, new Conversations().of(1));
  expect(facts(parseJsonBody(bytes))).toMatchObject({ traits: { writesCache: false, addsHidden: false } });
});
