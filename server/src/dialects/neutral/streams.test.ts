import {
  clients,
  collect,
  Heard,
  payloads,
  playThrough,
  providers,
  sse,
  written,
  type Json,
} from '../../../../tests/support/relay-dialects.js';
import { UpstreamError } from '../errors/upstream-error.js';
import { anthropicErrorEvents } from '../languages/anthropic/error.js';
import { nativeMessageStream } from '../languages/anthropic/messages-native.js';
import { geminiErrorEvents } from '../languages/gemini/error.js';
import { nativeGeminiStream } from '../languages/gemini/gemini-native.js';
import { toCallFailure } from '../errors/failure.js';
import { responsesErrorEvents } from '../languages/responses/error.js';
import { AnswerCollector } from './collect.js';
import { dialects, type Dialect } from './dialect.js';
import type { NeutralEvent } from './event.js';

const start: NeutralEvent = { kind: 'start', id: 'x', model: 'm' };
const text = (said: string): NeutralEvent => ({ kind: 'text', choice: 0, text: said });
const call = (index: number): NeutralEvent => ({
  kind: 'toolStart',
  choice: 0,
  index,
  id: `call_${index}`,
  name: `f${index}`,
});
const args = (index: number, piece: string): NeutralEvent => ({ kind: 'toolDelta', choice: 0, index, text: piece });
const finish: NeutralEvent = { kind: 'finish', choice: 0, reason: 'toolCalls' };

describe('tool calls whose arguments come mixed', () => {
  const mixed = [
    start,
    text('a'),
    call(0),
    args(0, '{"x":'),
    call(1),
    args(1, '{"y"'),
    args(0, '1}'),
    args(1, ':2}'),
    text('b'),
    finish,
  ].map((event) => [event]);

  it.each(dialects)('are told whole to a client of %s', (dialect) => {
    const { choices } = collect(providers[dialect], written(dialect, mixed)).answer();
    const parts = choices[0]?.parts ?? [];
    expect(
      parts.flatMap((part) => (part.kind === 'toolCall' ? [[part.id, part.name, JSON.parse(part.arguments)]] : [])),
    ).toEqual([
      ['call_0', 'f0', { x: 1 }],
      ['call_1', 'f1', { y: 2 }],
    ]);
    expect(parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')).toBe('ab');
  });

  it('are blocks that never overlap for a client of Messages', () => {
    let open: number | null = null;
    for (const event of payloads(written('anthropic-messages', mixed)) as { type: string; index: number }[]) {
      if (event.type === 'content_block_start') {
        expect(open).toBeNull();
        open = event.index;
      } else if (event.type === 'content_block_delta') expect(event.index).toBe(open);
      else if (event.type === 'content_block_stop') {
        expect(event.index).toBe(open);
        open = null;
      }
    }
    expect(open).toBeNull();
  });
});

describe('a stream for a client of Responses', () => {
  const events = payloads(
    written('openai-responses', [
      [start],
      [
        { kind: 'reasoning', choice: 0, text: 'hm' },
        { kind: 'signature', choice: 0, of: 'reasoning', signature: 'sig' },
      ],
      [text('Hel')],
      [text('lo')],
      [call(0), args(0, '{}'), { kind: 'toolEnd', choice: 0, index: 0 }],
      [finish],
    ]),
  ) as (Json & { type: string; sequence_number: number; item?: Json; response?: Json })[];

  it('opens, fills and closes each item in order', () => {
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.map(({ sequence_number: at }) => at)).toEqual(events.map((_event, index) => index));
  });

  it('repeats the whole answer at the end, as its items were closed', () => {
    const last = events.at(-1)?.response;
    expect(last?.['output']).toEqual(
      events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item),
    );
    expect(last?.['usage']).toMatchObject({
      input_tokens: 9,
      output_tokens: 7,
      total_tokens: 16,
      input_tokens_details: { cached_tokens: 2 },
    });
    expect(last?.['output']).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'hm' }], encrypted_content: 'sig' },
      { type: 'message', content: [{ type: 'output_text', text: 'Hello' }] },
      { type: 'function_call', call_id: 'call_0', name: 'f0', arguments: '{}' },
    ]);
  });

  it('that was cut by the limit is incomplete', () => {
    const cut = payloads(
      written('openai-responses', [[start, text('a')], [{ kind: 'finish', choice: 0, reason: 'length' }]]),
    );
    expect(cut.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    });
  });
});

describe('an answer without a word', () => {
  it('is an empty text for a client of Messages, and ends', () => {
    const events = payloads(
      written('anthropic-messages', [[start], [{ kind: 'finish', choice: 0, reason: 'stop' }]]),
    ) as { type: string }[];
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });
});

describe('pictures in an answer', () => {
  const picture: NeutralEvent = { kind: 'image', choice: 0, mediaType: 'image/png', data: 'iVBORw0KGgo=' };
  const url = 'data:image/png;base64,iVBORw0KGgo=';

  it('are text and objects for a client of chat', () => {
    expect(payloads(written('openai-chat', [[start, picture]]))[0]).toMatchObject({
      choices: [
        {
          delta: {
            role: 'assistant',
            content: `![image](${url})`,
            images: [{ type: 'image_url', image_url: { url } }],
          },
        },
      ],
    });
  });

  it('are themselves for clients whose dialect knows them', () => {
    expect(written('gemini-generate', [[start, picture]])).toContain(
      '"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}',
    );
    expect(written('openai-responses', [[start, picture]])).toContain('"type":"image_generation_call"');
    expect(written('anthropic-messages', [[start, picture]])).toContain(`![image](${url})`);
  });
});

describe('an error in the middle of a stream', () => {
  const broken: Readonly<Record<Dialect, string>> = {
    'openai-chat': sse([
      { id: 'c', choices: [{ index: 0, delta: { content: 'Hi' } }] },
      { error: { message: 'busy', type: 'server_error', code: 'busy' } },
    ]),
    'anthropic-messages': sse(
      [
        { type: 'message_start', message: { id: 'm', model: 'c', usage: { input_tokens: 3, output_tokens: 1 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
        { type: 'error', error: { type: 'overloaded_error', message: 'busy' } },
      ],
      true,
    ),
    'gemini-generate': sse([
      { candidates: [{ content: { parts: [{ text: 'Hi' }] } }] },
      { error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } },
    ]),
    'openai-responses': sse(
      [
        { type: 'response.output_text.delta', delta: 'Hi' },
        { type: 'error', message: 'busy', code: 'busy' },
      ],
      true,
    ),
  };

  it.each(dialects.flatMap((from) => dialects.map((to) => [from, to] as const)))(
    'of %s is no end of it for a client of %s',
    (from, to) => {
      const { out, transform } = playThrough(providers[from], clients[to], broken[from]);
      expect(transform.failure).toBeInstanceOf(UpstreamError);
      expect(transform.failure?.message).toBe('busy');
      expect(transform.complete).toBe(false);
      expect(out).toContain('Hi');
      expect(out).not.toMatch(/\[DONE\]|message_stop|finishReason|response\.completed/);
    },
  );

  it.each([
    ['anthropic-messages', nativeMessageStream],
    ['gemini-generate', nativeGeminiStream],
  ] as const)('of %s is kept from a client of the same dialect, who is told by us', (dialect, open) => {
    const transform = open(new Heard());
    const out = String(transform.push(Buffer.from(broken[dialect])));
    expect(out).toContain('Hi');
    expect(out).not.toContain('busy');
    expect(transform.failure?.message).toBe('busy');
  });

  it('is told in each dialect', () => {
    const failure = toCallFailure(new UpstreamError(503, { message: 'busy', type: 'server_error', code: 'busy' }));
    expect(payloads(anthropicErrorEvents(failure, 'r'))).toEqual([
      { type: 'error', error: { type: 'api_error', message: 'busy (request id: r)' } },
    ]);
    expect(payloads(geminiErrorEvents(failure, 'r'))).toEqual([
      { error: { code: 503, message: 'busy (request id: r)', status: 'UNAVAILABLE' } },
    ]);
    expect(payloads(responsesErrorEvents(failure, 'r', 4))).toEqual([
      expect.objectContaining({
        type: 'error',
        sequence_number: 4,
        error: expect.objectContaining({ code: 'busy', message: 'busy (request id: r)' }),
      }),
    ]);
  });

  it('is what a Gemini event that cannot be read is', () => {
    const { transform } = playThrough(
      providers['gemini-generate'],
      clients['openai-chat'],
      'data: {"candidates":[\n\n',
    );
    expect(transform.failure?.message).toContain('invalid event');
  });
});

it('a citation before the first text is of that text, also in one response', () => {
  const annotation = { type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A' } };
  const cited: NeutralEvent = { kind: 'annotation', choice: 0, annotation };
  const collector = new AnswerCollector();
  for (const event of [start, cited, text('a'), text('b'), finish]) collector.push(event);
  expect(collector.answer().choices[0]?.parts).toEqual([{ kind: 'text', text: 'ab', annotations: [annotation] }]);
});
