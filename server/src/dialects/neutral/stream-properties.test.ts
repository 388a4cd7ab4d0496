import fc, { type Arbitrary } from 'fast-check';
import {
  clients,
  collect,
  contextFor,
  Heard,
  providers,
  sse,
  usage,
  written,
} from '../../../../tests/support/relay-dialects.js';
import { AppError } from '../../shared/errors.js';
import { AnswerCollector } from './collect.js';
import { dialects } from './dialect.js';
import type { NeutralEvent } from './event.js';
import type { Part } from './message.js';
import { toEvents } from './replay.js';
import { TranslatedStream } from './translated-stream.js';

/** Line breaks, spaces and characters of two units are content like any other, also alone in a piece. */
const unit = fc.oneof(
  fc.string({ minLength: 1, maxLength: 1 }),
  fc.constantFrom('\n', ' ', '\r', '\t', '😀', 'é', '\u2028'),
);
const said = fc.string({ unit, minLength: 1, maxLength: 8 });
const named = fc.stringMatching(/^[a-z]{1,8}$/);
const json = fc
  .dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.oneof(said, fc.integer(), fc.boolean()), { maxKeys: 3 })
  .map((value) => JSON.stringify(value));
const part: Arbitrary<Part> = fc.oneof(
  said.map((each): Part => ({ kind: 'text', text: each })),
  fc.tuple(named, json).map(([name, value]): Part => ({ kind: 'toolCall', id: 'c', name, arguments: value })),
);
const answer = fc
  .record({
    thought: fc.option(said, { nil: null }),
    parts: fc.array(part, { minLength: 1, maxLength: 5 }),
    cuts: fc.array(fc.nat(30), { maxLength: 12 }),
  })
  .map(({ thought, parts, cuts }) => {
    const numbered = parts.map((each, index): Part =>
      each.kind === 'toolCall' ? { ...each, id: `call_${index}` } : each,
    );
    return { parts: [...(thought === null ? [] : [{ kind: 'reasoning', text: thought } as const]), ...numbered], cuts };
  });

/** Texts and arguments in pieces, as from a real provider, some of them in one read. */
function cutUp(events: readonly NeutralEvent[], cuts: readonly number[]): NeutralEvent[][] {
  const pieces = events.flatMap((event, index): NeutralEvent[] => {
    if (event.kind !== 'text' && event.kind !== 'toolDelta' && event.kind !== 'reasoning') return [event];
    const at = (cuts[index % Math.max(cuts.length, 1)] ?? 0) % (event.text.length + 1);
    return [event.text.slice(0, at), event.text.slice(at)].filter(Boolean).map((each) => ({ ...event, text: each }));
  });
  const batches: NeutralEvent[][] = [];
  pieces.forEach((event, index) => {
    if ((cuts[index % Math.max(cuts.length, 1)] ?? 1) % 3 === 0 && batches.length > 0) batches.at(-1)?.push(event);
    else batches.push([event]);
  });
  return batches;
}

const content = (parts: readonly Part[]): unknown => ({
  text: parts.map((each) => (each.kind === 'text' ? each.text : '')).join(''),
  thought: parts.map((each) => (each.kind === 'reasoning' ? each.text : '')).join(''),
  calls: parts.flatMap((each) =>
    each.kind === 'toolCall' ? [[each.id, each.name, JSON.parse(each.arguments) as unknown]] : [],
  ),
});

describe.each(dialects)('an answer to a client of %s', (dialect) => {
  it('is the same as a stream and as a whole', () => {
    fc.assert(
      fc.property(answer, ({ parts, cuts }) => {
        const reason = parts.some((each) => each.kind === 'toolCall') ? ('toolCalls' as const) : ('stop' as const);
        const whole = { id: 'x', model: 'm', choices: [{ index: 0, parts, finish: reason }], usage };
        const streamed = collect(providers[dialect], written(dialect, cutUp(toEvents(whole), cuts))).answer();
        const atOnce = providers[dialect].read(
          JSON.parse(JSON.stringify(clients[dialect].toAnswer(whole, contextFor()))),
        );
        expect(content(streamed.choices[0]?.parts ?? [])).toEqual(content(parts));
        expect(content(atOnce.choices[0]?.parts ?? [])).toEqual(content(parts));
        expect([streamed.choices[0]?.finish, atOnce.choices[0]?.finish]).toEqual([reason, reason]);
        expect([streamed.usage?.promptTokens, streamed.usage?.completionTokens]).toEqual([9, 7]);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the neutral form', () => {
  it('puts an answer together from its own events', () => {
    fc.assert(
      fc.property(answer, ({ parts, cuts }) => {
        const whole = { id: 'x', model: 'm', choices: [{ index: 0, parts, finish: 'stop' as const }], usage };
        const collector = new AnswerCollector();
        for (const batch of cutUp(toEvents(whole), cuts)) for (const event of batch) collector.push(event);
        expect(content(collector.answer().choices[0]?.parts ?? [])).toEqual(content(parts));
      }),
      { numRuns: 200 },
    );
  });
});

/** Fields of usage that providers report, with numbers that no provider should. */
const countNames = [
  ...['prompt_tokens', 'completion_tokens', 'total_tokens', 'input_tokens', 'output_tokens', 'cached_tokens'],
  ...['reasoning_tokens', 'audio_tokens', 'thinking_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'],
  ...['ephemeral_1h_input_tokens', 'web_search_requests', 'citation_tokens', 'num_search_queries', 'cost'],
  ...['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'cachedContentTokenCount', 'totalTokenCount'],
  ...['toolUsePromptTokenCount', 'tokenCount', 'modality', 'service_tier', 'speed', 'type', 'model'],
];
const groupNames = [
  ...['prompt_tokens_details', 'completion_tokens_details', 'input_tokens_details', 'output_tokens_details'],
  ...['cache_creation', 'server_tool_use', 'cost_details', 'server_side_tool_usage_details'],
];
const listNames = ['iterations', 'promptTokensDetails', 'candidatesTokensDetails', 'cacheTokensDetails'];
const amount = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -10, max: 1_000_000 }) },
  fc.constantFrom(-1, -0.5, 1e300, -1e300, 2 ** 53, '7', '-7', null, true, 'AUDIO', 'advisor_message', 'flex', {}, []),
);
const counts = fc.dictionary(fc.constantFrom(...countNames), amount, { minKeys: 4, maxKeys: 12 });
const figures = fc
  .tuple(
    counts,
    fc.dictionary(fc.constantFrom(...groupNames), counts, { maxKeys: 3 }),
    fc.dictionary(fc.constantFrom(...listNames), fc.array(counts, { maxLength: 3 }), { maxKeys: 2 }),
  )
  .map((parts) => Object.assign({}, ...parts) as unknown);
const used = fc.oneof({ weight: 4, arbitrary: figures }, fc.anything());

/** Every number in a value, at any depth. */
const numbersIn = (value: unknown): number[] =>
  typeof value === 'number'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(numbersIn)
      : [];

describe.each(dialects.flatMap((from) => dialects.map((to) => [from, to] as const)))(
  'nonsense from a provider of %s to a client of %s',
  (from, to) => {
    const types = [
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'error',
      'response.output_item.added',
      'response.completed',
      'response.output_text.delta',
    ];
    const event = fc.oneof(
      fc.anything({ withBigInt: false }),
      fc.record({
        type: fc.constantFrom('response.completed', 'response.incomplete'),
        response: fc.record({ usage: used }),
      }),
      fc.record(
        {
          type: fc.constantFrom(...types),
          index: fc.anything(),
          delta: fc.anything(),
          content_block: fc.anything(),
          message: fc.oneof({ weight: 3, arbitrary: fc.record({ usage: used }) }, fc.anything()),
          response: fc.oneof(
            { weight: 3, arbitrary: fc.record({ usage: used }) },
            fc.record({ id: fc.anything(), output: fc.anything() }),
            fc.anything(),
          ),
          item: fc.anything(),
          usage: used,
        },
        { requiredKeys: ['type'] },
      ),
      fc.record({
        id: fc.anything(),
        choices: fc.array(fc.record({ index: fc.anything(), delta: fc.anything(), finish_reason: fc.anything() })),
        usage: used,
      }),
      fc.record({
        candidates: fc.array(
          fc.record({ content: fc.record({ parts: fc.array(fc.anything()) }), finishReason: fc.anything() }),
        ),
        usageMetadata: used,
      }),
    );

    it('never breaks the relay, and never costs a negative amount', () => {
      let counted = 0;
      fc.assert(
        fc.property(fc.array(event, { maxLength: 6 }), (events) => {
          const transform = new TranslatedStream(
            providers[from].openReader(),
            clients[to].openWriter(contextFor()),
            new Heard(),
          );
          try {
            transform.push(Buffer.from(sse(events.map((each) => JSON.stringify(each) ?? 'null'))));
            transform.end();
          } catch (error) {
            if (!(error instanceof AppError)) throw error;
          }
          const numbers = numbersIn(transform.usage());
          expect(numbers.filter((count) => !(count >= 0 && count <= Number.MAX_SAFE_INTEGER))).toEqual([]);
          if (numbers.some((count) => count > 0)) counted++;
          if (!transform.failure) transform.closing(usage);
        }),
        { numRuns: 200 },
      );
      expect(counted).toBeGreaterThan(0);
    });
  },
);
