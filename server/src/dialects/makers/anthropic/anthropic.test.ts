import { bodyOf, Heard, sse, targetFor, type Json } from '../../../../../tests/support/relay-dialects.js';
import type { ChatRequest, UpstreamRequest } from '../../contract.js';
import type { Target } from '../../target.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { anthropic } from './anthropic.js';

const model = 'claude-sonnet-4-5';
const target = (more: Partial<Target> = {}): Target =>
  targetFor({ type: 14, key: 'sk-ant', upstreamModel: model, requestedModel: model, ...more });

function request(more: Json = {}, rest: Partial<ChatRequest> = {}): ChatRequest {
  const body = { model, max_tokens: 5, messages: [{ role: 'user', content: 'hi' }], ...more };
  return {
    path: '/v1/messages',
    body,
    rawBody: Buffer.from(JSON.stringify(body)),
    stream: false,
    wantsUsage: false,
    ...rest,
  };
}

const { messages } = anthropic;
if (!messages) throw new Error('Anthropic speaks Messages');
const sent = (asked: ChatRequest, to = target()): UpstreamRequest => messages.toUpstreamRequest(asked, to);

describe('a Messages body on its way to Anthropic', () => {
  it('is not touched where nothing has to change', () => {
    const asked = request({ thinking: { type: 'adaptive' }, metadata: { user_id: 'u' }, future_field: [1] });
    expect(sent(asked).body).toBe(asked.rawBody);
  });

  it('gets the mapped model, a limit it lacks and what the channel overrides', () => {
    const asked = request({ model: 'alias', max_tokens: undefined });
    expect(bodyOf(sent(asked, target({ override: { fields: { service_tier: 'auto' }, operations: [] } })))).toEqual({
      model,
      max_tokens: 64_000,
      messages: [{ role: 'user', content: 'hi' }],
      service_tier: 'auto',
    });
    expect(bodyOf(sent(request({ max_tokens: 0 })))).toMatchObject({ max_tokens: 64_000 });
  });

  it('thinks by its name unless the client says how', () => {
    const named = target({ upstreamModel: `${model}-thinking` });
    const byName = sent(request({ model: `${model}-thinking`, max_tokens: 2000, temperature: 0.2, top_p: 0.9 }), named);
    expect(byName.upstreamModel).toBe(model);
    expect(bodyOf(byName)).toEqual({
      model,
      max_tokens: 2000,
      messages: [{ role: 'user', content: 'hi' }],
      temperature: 1,
      thinking: { type: 'enabled', budget_tokens: 1600 },
    });
    const own = { type: 'disabled' };
    expect(bodyOf(sent(request({ max_tokens: 2000, thinking: own }), named))).toMatchObject({
      model,
      max_tokens: 2000,
      thinking: own,
    });
  });

  it('changes by the model alone where the admin passes everything through', () => {
    const given = request({ model: 'alias', max_tokens: undefined });
    expect(bodyOf(sent(given, target({ passThrough: true, override: { fields: { a: 1 }, operations: [] } })))).toEqual({
      ...JSON.parse(given.rawBody.toString()),
      model,
    });
  });

  it('is not streamed over a channel that cannot', () => {
    expect(bodyOf(sent(request({ stream: true })))).toMatchObject({ stream: false });
  });

  it('may ask for a count, which has no limit', () => {
    const asked = request({ max_tokens: undefined, model: 'alias' }, { path: '/v1/messages/count_tokens?beta=true' });
    const upstream = sent(asked);
    expect(upstream.url).toBe('https://api.anthropic.com/v1/messages/count_tokens');
    expect(bodyOf(upstream)).not.toHaveProperty('max_tokens');
    const body = Buffer.from('{"input_tokens":14}');
    expect(messages.fromUpstreamResponse(body, target())).toMatchObject({ body, usage: null });
  });
});

describe('address and headers', () => {
  it.each(['', 'https://api.anthropic.com/', 'https://api.anthropic.com/v1', 'https://api.anthropic.com/v1/'])(
    'base %j',
    (baseUrl) => {
      expect(sent(request(), target({ baseUrl })).url).toBe('https://api.anthropic.com/v1/messages');
    },
  );

  it('are the client’s version and betas, with those the admin set for the model', () => {
    const families = {
      ...target().families,
      claudeHeaders: { [model]: { 'anthropic-beta': ['b2', 'b1,b3'], 'X-Team': ['t'], accept: [] } },
    };
    const asked = request(
      {},
      { headers: { 'anthropic-version': '2024-01-01', 'anthropic-beta': 'b1, b4', authorization: 'Bearer client' } },
    );
    expect(sent(asked, target({ families })).headers).toEqual({
      'content-type': 'application/json',
      'x-api-key': 'sk-ant',
      'anthropic-version': '2024-01-01',
      'anthropic-beta': 'b1,b4,b2,b3',
      'x-team': 't',
    });
  });
});

describe('an answer of Anthropic to a client of Messages', () => {
  const answer = {
    id: 'm',
    type: 'message',
    content: [{ type: 'text', text: 'Hello' }],
    usage: { input_tokens: 3, cache_read_input_tokens: 4, cache_creation_input_tokens: 5, output_tokens: 6 },
  };

  it('keeps its bytes, and is listened to', () => {
    const body = Buffer.from(JSON.stringify(answer));
    const given = messages.fromUpstreamResponse(body, target());
    expect(given.body).toBe(body);
    expect(given.usage).toMatchObject({ promptTokens: 12, cachedTokens: 4, cacheWriteTokens: 5, completionTokens: 6 });
    const heard = new Heard();
    given.report(heard);
    expect(heard.said).toBe('Hello');
  });

  it('that is an error in spite of its status is one', () => {
    const body = Buffer.from('{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}');
    expect(() => messages.fromUpstreamResponse(body, target())).toThrow(UpstreamError);
    expect(() => messages.fromUpstreamResponse(Buffer.from('<html>'), target())).toThrow(
      expect.objectContaining({ code: 'UPSTREAM_INVALID_RESPONSE' }),
    );
  });

  it('counts every round of a call that took several', () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 5,
      iterations: [
        { type: 'compaction', input_tokens: 100, output_tokens: 20 },
        { type: 'message', input_tokens: 10, output_tokens: 5 },
      ],
    };
    expect(
      messages.fromUpstreamResponse(Buffer.from(JSON.stringify({ ...answer, usage })), target()).usage,
    ).toMatchObject({ promptTokens: 110, completionTokens: 25 });
  });

  it('may correct in the last event what it said of the cache in the first', () => {
    const stream = sse(
      [
        {
          type: 'message_start',
          message: { id: 'm', model, usage: { input_tokens: 10, cache_read_input_tokens: 0, output_tokens: 1 } },
        },
        {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn' },
          usage: { input_tokens: 0, cache_read_input_tokens: 7, output_tokens: 5 },
        },
      ],
      true,
    );
    const transform = messages.openStream(request(), target(), new Heard());
    transform.push(Buffer.from(stream));
    expect(transform.usage()).toMatchObject({ promptTokens: 17, cachedTokens: 7, completionTokens: 5 });
  });

  it.each([
    ['keeps the cache figures of the first event where the last one has zeros', 0, 0, 117],
    ['keeps them where the last event repeats the input alone', 10, 0, 117],
    ['takes the figures of the last event where it moves them', 110, 0, 110],
    ['takes a larger figure of the last event', 0, 200, 217],
  ])('%s', (_name, input, read, prompt) => {
    const start = { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 7, output_tokens: 1 };
    const zeros = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 };
    const last = {
      input_tokens: input,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: 0,
      cache_creation: zeros,
    };
    const stream = sse(
      [
        {
          type: 'message_start',
          message: {
            usage: { ...start, cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 } },
          },
        },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { ...last, output_tokens: 5 } },
      ],
      true,
    );
    const transform = messages.openStream(request(), target(), new Heard());
    transform.push(Buffer.from(stream));
    expect(transform.usage()).toMatchObject({ promptTokens: prompt, completionTokens: 5 });
    const kept = transform.usage()?.details?.cacheWrite1hTokens;
    expect(kept).toBe(input === 110 ? undefined : 4);
  });

  it('that breaks off is not complete, and what was said can be counted', () => {
    const heard = new Heard();
    const transform = messages.openStream(request(), target(), heard);
    transform.push(
      Buffer.from(
        sse(
          [
            { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } },
            { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } },
          ],
          true,
        ),
      ),
    );
    transform.end();
    expect(transform.complete).toBe(false);
    transform.report();
    expect(heard.said).toBe('Hel');
  });
});
