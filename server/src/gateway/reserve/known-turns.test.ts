import fc from 'fast-check';
import { declaredTools } from '../../dialects/neutral/declared-tools.js';
import type { Fields } from '../../dialects/neutral/fields.js';
import { withoutForeignBlocks } from '../../dialects/languages/anthropic/own-thoughts.js';
import { parseJsonBody, rememberTurns } from '../../dialects/wire/forms/json-body.js';
import { Conversations } from '../admit/conversations.js';
import type { Call } from '../call.js';
import { bytesOf } from './estimate.js';
import { messagesPrompt } from './metering/dialect-prompts.js';
import { requestTraits } from './metering/request-traits.js';

/** Returns what the reservation, the price and the sent body depend on, as far as turns and tools decide it. */
function facts(body: Fields): unknown {
  const call = {
    request: { body },
    price: { searchesUnasked: false, cachesUnasked: false },
    mayCostMore: true,
    endpoint: { tariff: { prompt: () => messagesPrompt(body) } },
    route: { bareModel: 'claude' },
  } as unknown as Call;
  return {
    traits: requestTraits(call),
    bytes: bytesOf(call),
    prompt: messagesPrompt(body),
    tools: declaredTools(body),
    kept: withoutForeignBlocks(body['messages']),
  };
}

/** Makes a body large enough to be remembered. */
const padding = 'é'.repeat(40_000);
const text = fc.string({ unit: 'grapheme', maxLength: 8 });
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text, cache_control: fc.constant({ type: 'ephemeral', ttl: '1h' }) }),
  fc.record({ type: fc.constant('image'), source: fc.constant({ type: 'base64', data: 'AAAA' }) }),
  fc.record({ type: fc.constant('document'), source: fc.constant({ type: 'url', url: 'https://example.com/a' }) }),
  fc.record({ type: fc.constant('thinking'), thinking: text, signature: fc.constantFrom('', 'foreign') }),
  fc.record({ type: fc.constant('tool_use'), id: text, name: text, input: fc.dictionary(text, text) }),
  fc.record({
    type: fc.constant('tool_addition'),
    tool: fc.record({ definition: fc.record({ type: fc.constant('web_search_20250305'), name: text }) }),
  }),
);
const turn = fc.record({
  role: fc.constantFrom('user', 'assistant'),
  content: fc.oneof(text, fc.array(block, { maxLength: 4 })),
});
const tool = fc.record({ name: text, description: text, input_schema: fc.dictionary(text, text) });

it('reads the same from known turns as from a body that is parsed alone', () => {
  const conversation = fc.record({
    turns: fc.array(turn, { minLength: 3, maxLength: 8 }),
    tools: fc.array(tool, { maxLength: 3 }),
    isBefore: fc.boolean(),
  });
  fc.assert(
    fc.property(conversation, ({ turns, tools, isBefore }) => {
      const memory = new Conversations().of(1);
      for (let count = 1; count <= turns.length; count++) {
        const messages = [{ role: 'user', content: padding }, ...turns.slice(0, count)];
        const json = JSON.stringify(isBefore ? { tools, messages } : { messages, tools });
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

it('counts objects, and not texts, towards the most that is searched for traits', () => {
  const bytes = Buffer.from(JSON.stringify({ input: Array.from({ length: 100_001 }, () => 'a') }));
  rememberTurns(bytes, new Conversations().of(1));
  expect(facts(parseJsonBody(bytes))).toMatchObject({ traits: { writesCache: false, addsHidden: false } });
});
