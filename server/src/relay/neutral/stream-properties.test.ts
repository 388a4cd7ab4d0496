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
      fc.record(
        {
          type: fc.constantFrom(...types),
          index: fc.anything(),
          delta: fc.anything(),
          content_block: fc.anything(),
          message: fc.anything(),
          response: fc.anything(),
          item: fc.anything(),
          usage: fc.anything(),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record({
        id: fc.anything(),
        choices: fc.array(fc.record({ index: fc.anything(), delta: fc.anything(), finish_reason: fc.anything() })),
        usage: fc.anything(),
      }),
      fc.record({
        candidates: fc.array(
          fc.record({ content: fc.record({ parts: fc.array(fc.anything()) }), finishReason: fc.anything() }),
        ),
        usageMetadata: fc.anything(),
      }),
    );

    it('never breaks the relay, and never costs a negative amount', () => {
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
          for (const count of Object.values(transform.usage() ?? {})) expect(count).toBeGreaterThanOrEqual(0);
          if (!transform.failure) transform.closing(usage);
        }),
        { numRuns: 120 },
      );
    });
  },
);
