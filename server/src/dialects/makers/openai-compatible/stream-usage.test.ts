import type { StreamTransform } from '../../contract.js';
import type { ChannelSetting } from '../../target.js';
import { TextMeter } from '../../../gateway/reserve/metering/text-meter.js';
import { noUsage, type Usage } from '../../../shared/usage.js';
import { adapters, targetFor } from '../../../../../tests/support/relay-dialects.js';

/* Usage in the chunks of a stream, and the marks by which a stream is complete. */

const usage = (prompt_tokens: number, completion_tokens: number, more: object = {}): object => ({
  usage: { prompt_tokens, completion_tokens, ...more },
});
const chunk = (delta: object, more: object = {}, finish: string | null = null): string =>
  event({ id: 'chatcmpl-1', created: 7, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }], ...more });
const usageChunk = (report: object): string =>
  event({ id: 'chatcmpl-1', created: 7, model: 'm', choices: [], ...report });
const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const done = 'data: [DONE]\n\n';
const halfCall = {
  tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'pay', arguments: '{"to":"Al' } }],
};

describe.each<[string, ChannelSetting]>([
  ['passes through', {}],
  ['is rebuilt', { forceFormat: true }],
])('a stream that %s', (_name, setting) => {
  function run(events: readonly string[], wantsUsage = false): { stream: StreamTransform; meter: TextMeter } {
    const target = targetFor({ type: 1, upstreamModel: 'gpt-4o', requestedModel: 'gpt-4o', setting });
    const meter = new TextMeter('gpt-4o');
    const request = { path: '/v1/chat/completions', body: {}, rawBody: Buffer.alloc(0), stream: true, wantsUsage };
    const stream = adapters[1]?.chat?.openStream(request, target, meter);
    if (!stream) throw new Error('no chat');
    for (const each of events) stream.push(Buffer.from(each));
    stream.end();
    return { stream, meter };
  }

  describe('that ends without [DONE]', () => {
    it.each([
      ['usage in every chunk', [chunk({ content: 'one ' }, usage(50, 1)), chunk({ content: 'two' }, usage(50, 2))]],
      ['half a tool call', [chunk({ role: 'assistant', ...halfCall }, usage(50, 4))]],
      ['usage in the first chunk', [chunk({ role: 'assistant' }, usage(50, 0)), chunk({ content: 'one' })]],
    ])('is cut: %s', (_case, events) => {
      expect(run(events).stream.complete).toBe(false);
    });

    it.each([
      ['a finish reason', [chunk({ content: 'one' }), chunk({}, {}, 'stop')]],
      ['a finish reason with usage', [chunk({ content: 'one' }), chunk({}, usage(50, 1), 'stop')]],
      ['the last text with finish reason and usage', [chunk({ content: 'one' }, usage(50, 1), 'stop')]],
      ['a usage chunk', [chunk({ content: 'one' }, usage(50, 1)), usageChunk(usage(50, 1))]],
      ['a usage chunk without a list of choices', [chunk({ content: 'one' }), event(usage(50, 1))]],
    ])('is complete: %s', (_case, events) => {
      expect(run(events).stream.complete).toBe(true);
    });
  });

  it('is complete with [DONE] alone', () => {
    expect(run([chunk({ content: 'one' }, usage(50, 1)), done]).stream.complete).toBe(true);
  });

  describe('that reports usage several times', () => {
    const finish = chunk({}, {}, 'stop');
    const reported = (...events: string[]): Usage | null => run([...events, done]).stream.usage();

    it('is charged by the last report, also where it is less', () => {
      const last = usage(50, 6, { prompt_tokens_details: { cached_tokens: 10 } });
      expect(reported(chunk({ content: 'one' }, usage(51, 7)), finish, usageChunk(last))).toEqual({
        ...noUsage,
        promptTokens: 50,
        completionTokens: 6,
        cachedTokens: 10,
      });
    });

    it('keeps a count that the last report replaces by 0, with its parts', () => {
      const first = usage(50, 6, {
        prompt_tokens_details: { cached_tokens: 10, image_tokens: 5 },
        completion_tokens_details: { reasoning_tokens: 4, image_tokens: 2 },
      });
      const text = chunk({ content: 'one' }, first);
      expect(reported(text, finish, usageChunk(usage(49, 0)))).toEqual({
        ...noUsage,
        promptTokens: 49,
        completionTokens: 6,
        reasoningTokens: 4,
        details: { imageOutputTokens: 2 },
      });
      expect(reported(text, finish, usageChunk(usage(0, 5)))).toEqual({
        ...noUsage,
        promptTokens: 50,
        completionTokens: 5,
        cachedTokens: 10,
        details: { imageInputTokens: 5 },
      });
      expect(reported(text, finish, usageChunk(usage(0, 0)))).toMatchObject({ promptTokens: 50, completionTokens: 6 });
    });

    it('keeps tool calls and costs of either report', () => {
      const first = usage(50, 6, { cost: 0.1, server_tool_use: { web_search_requests: 2 } });
      expect(reported(chunk({ content: 'one' }, first), finish, usageChunk(usage(50, 0)))).toMatchObject({
        chargedUsd: 0.1,
        details: { webSearches: 2 },
      });
    });

    it('shows the charged output to the client where the provider ends with 0', () => {
      const shown = (events: readonly string[], charged: Usage): string => {
        const { stream } = run([...events, done], true);
        stream.report();
        return String(stream.closing(charged));
      };
      const charged = { ...noUsage, promptTokens: 50, completionTokens: 6 };
      const text = chunk({ content: 'one' }, usage(50, 6));
      const nothing = chunk({ role: 'assistant' }, usage(50, 0));
      for (const events of [
        [text, finish, usageChunk(usage(50, 0))],
        [nothing, chunk({ content: 'one' }), finish],
      ]) {
        const [closing = ''] = shown(events, charged).split('\n\n');
        expect(JSON.parse(closing.slice('data: '.length))).toMatchObject({
          id: 'chatcmpl-1',
          choices: [],
          usage: { prompt_tokens: 50, completion_tokens: 6, total_tokens: 56 },
        });
      }
      // A report of 0 that is correct is forwarded unchanged.
      const honest = usageChunk(usage(50, 0, { own: true }));
      expect(shown([nothing, finish, honest], { ...charged, completionTokens: 0 })).toContain('"own":true');
      expect(shown([text, finish], charged)).toBe(done);
    });
  });
});
