import type { ChatRequest } from '../../contract.js';
import type { Target } from '../../target.js';
import { TextMeter } from '../../../gateway/reserve/metering/text-meter.js';
import { PassThroughStream } from './pass-through-stream.js';
import { adapters, targetFor, targetOfRow } from '../../../../../tests/support/relay-dialects.js';

const baseTarget: Target = targetFor({
  type: 1,
  upstreamModel: 'gpt-4o-mini',
  requestedModel: 'gpt-4o-mini',
});

function send(type: number, body: Record<string, unknown>, target: Partial<Target> = {}, raw?: string) {
  const rawBody = Buffer.from(raw ?? JSON.stringify(body));
  const request: ChatRequest = {
    path: '/v1/chat/completions',
    body,
    rawBody,
    stream: body['stream'] === true,
    wantsUsage: (body['stream_options'] as { include_usage?: boolean } | undefined)?.include_usage === true,
  };
  const sent = adapters[type]?.chat?.toUpstreamRequest(request, {
    ...baseTarget,
    ...targetOfRow(type, target.baseUrl),
    ...target,
  });
  if (!sent) throw new Error('no chat');
  return { ...sent, raw: String(sent.body), json: JSON.parse(String(sent.body)) as Record<string, unknown>, rawBody };
}

const hi = [{ role: 'user', content: 'hi' }];

describe('fixtures', () => {
  it('F01 asks for usage on streams and names the organisation', () => {
    const sent = send(1, { model: 'gpt-4o-mini', stream: true, messages: hi }, { organization: 'org-fake' });
    expect(sent.url).toBe('https://api.openai.com/v1/chat/completions');
    expect(sent.headers).toMatchObject({ authorization: 'Bearer sk-fake', 'openai-organization': 'org-fake' });
    expect(sent.json).toEqual({
      model: 'gpt-4o-mini',
      stream: true,
      stream_options: { include_usage: true },
      messages: hi,
    });
  });

  it('F02 applies the rules of reasoning models', () => {
    const body = {
      model: 'o3-mini-high',
      max_tokens: 100,
      temperature: 0.5,
      messages: [{ role: 'system', content: 'be brief' }, ...hi],
    };
    const sent = send(1, body, { upstreamModel: 'o3-mini-high' });
    expect(sent.json).toEqual({
      model: 'o3-mini',
      reasoning_effort: 'high',
      max_completion_tokens: 100,
      messages: [{ role: 'developer', content: 'be brief' }, ...hi],
    });
    expect(sent).toMatchObject({ upstreamModel: 'o3-mini', reasoningEffort: 'high' });
  });

  it('F04 fills the model into a whole address', () => {
    const sent = send(
      8,
      { model: 'm1', messages: hi },
      { baseUrl: 'https://h.example/api/{model}/call', upstreamModel: 'm1' },
    );
    expect(sent.url).toBe('https://h.example/api/m1/call');
    expect(sent.headers['authorization']).toBe('Bearer k-fake'.replace('k-fake', 'sk-fake'));
  });
});

describe('addresses', () => {
  it.each([
    ['https://x.example', 'https://x.example/v1/chat/completions'],
    [' https://x.example/ ', 'https://x.example/v1/chat/completions'],
    ['https://x.example/v1', 'https://x.example/v1/chat/completions'],
    ['https://x.example/v1/', 'https://x.example/v1/chat/completions'],
    [
      'https://gateway.ai.cloudflare.com/v1/acct/gw/openai',
      'https://gateway.ai.cloudflare.com/v1/acct/gw/openai/chat/completions',
    ],
  ])('%s', (baseUrl, url) => {
    expect(send(1, { model: 'gpt-4o-mini', messages: hi }, { baseUrl }).url).toBe(url);
  });

  it('of a custom channel must be there', () => {
    expect(() => send(8, { model: 'm', messages: hi })).toThrow('no base URL');
  });
});

describe('bodies', () => {
  it('go up as they came when nothing changes', () => {
    const sent = send(1, { model: 'gpt-4o-mini', messages: hi });
    expect(sent.body).toBe(sent.rawBody);
    const raw =
      '{ "model" : "gpt-4o-mini", "messages":[], "seed": 12345678901234567890, "stream":true,"stream_options":{"include_usage":true}}';
    expect(send(1, JSON.parse(raw) as Record<string, unknown>, {}, raw).raw).toBe(raw);
  });

  it('keep their digits when a field is only added', () => {
    const raw = '{"model":"gpt-4o-mini","messages":[],"seed":12345678901234567890,"stream":true}\n';
    const sent = send(1, JSON.parse(raw) as Record<string, unknown>, {}, raw);
    expect(sent.raw).toBe(
      '{"model":"gpt-4o-mini","messages":[],"seed":12345678901234567890,"stream":true,"stream_options":{"include_usage":true}}',
    );
  });

  it('keep other stream options, and lose them where there is no stream', () => {
    const body = { model: 'gpt-4o-mini', stream: true, stream_options: { other: 1 }, messages: hi };
    expect(send(1, body).json['stream_options']).toEqual({ other: 1, include_usage: true });
    expect(send(1, { ...body, stream: false }).json).not.toHaveProperty('stream_options');
    expect(send(1, body, { forceStreamUsage: false }).json['stream_options']).toEqual({ other: 1 });
  });

  it('pass through whole but for the mapped name when the option says so', () => {
    const body = { model: 'o3-mini-high', stream: true, temperature: 1, messages: hi };
    const sent = send(1, body, {
      upstreamModel: 'mapped',
      passThrough: true,
      override: { fields: { a: 1 }, operations: [] },
    });
    expect(sent.json).toEqual({ ...body, model: 'mapped' });
  });
});

describe('reasoning models', () => {
  const rules = (model: string, more: Record<string, unknown> = {}, models: string[] = [], type = 1) =>
    send(type, { model, messages: hi, ...more }, { baseUrl: 'https://h.example', upstreamModel: model, models }).json;

  it.each(['gpt-4o', 'gpt-5-chat-latest', 'gpt-4.1-high', 'omni'])('%s is none', (model) => {
    expect(rules(model, { temperature: 1, max_tokens: 5 })).toMatchObject({ model, temperature: 1, max_tokens: 5 });
  });

  it.each(['minimal', 'low', 'medium', 'high', 'xhigh', 'none'])('gpt-5-%s names an effort', (effort) => {
    expect(rules(`gpt-5-${effort}`)).toMatchObject({ model: 'gpt-5', reasoning_effort: effort });
  });

  it('a suffix that belongs to a deployment of the channel stays', () => {
    const listed = ['o3-mini-high'];
    expect(rules('o3-mini-high', {}, listed)).toMatchObject({ model: 'o3-mini', reasoning_effort: 'high' });
    expect(rules('o3-mini-high', {}, listed, 47)).toEqual({ model: 'o3-mini-high', messages: hi });
  });

  it('lose every sampling parameter, newer ones only while they reason', () => {
    const sampling = {
      temperature: 0,
      top_p: 0.5,
      logprobs: true,
      top_logprobs: 2,
      presence_penalty: 1,
      logit_bias: {},
    };
    expect(Object.keys(rules('o4-mini', sampling))).toEqual(['model', 'messages']);
    expect(rules('gpt-5.1', { ...sampling, reasoning_effort: 'none' })).toEqual({
      model: 'gpt-5.1',
      messages: hi,
      reasoning_effort: 'none',
      temperature: 0,
      top_p: 0.5,
      logprobs: true,
      top_logprobs: 2,
    });
  });

  it('keep an output limit that was already right', () => {
    expect(rules('o1', { max_tokens: 5, max_completion_tokens: 9 })).toEqual({
      model: 'o1',
      messages: hi,
      max_completion_tokens: 9,
    });
  });

  it('o1-mini gets its instructions with the first question', () => {
    const messages = [{ role: 'system', content: 'be brief' }, ...hi];
    expect(rules('o1-mini', { messages })['messages']).toEqual([{ role: 'user', content: 'be brief\n\nhi' }]);
  });
});

describe('a stream that passes through', () => {
  const event = (data: string): string => `data: ${data}\n\n`;
  const run = (text: string, wantsUsage = false) => {
    const heard = new TextMeter('gpt-4o', 10_000);
    const stream = new PassThroughStream(wantsUsage, heard);
    return { out: stream.push(Buffer.from(text))?.toString() ?? null, stream, heard };
  };

  it('does not take content for usage, error or end', () => {
    const text = event('{"choices":[{"delta":{"content":"\\"usage\\":{ \\"error\\":{ [DONE]"}}]}');
    expect(run(text).out).toBe(text);
    expect(run(text).stream.failure).toBeNull();
    expect(run(text).stream.done).toBe(false);
  });

  it('lets empty usage and empty errors pass', () => {
    const text = event('{"choices":[],"usage":null,"error":null}') + event('{"choices":[],"error":{}}');
    const { out, stream } = run(text);
    expect(out).toBe(text);
    expect([stream.failure, stream.usage()]).toEqual([null, null]);
  });

  it('holds back usage in the middle of a read and sends what follows', () => {
    const usage = event('{"choices":[],"usage" : {"prompt_tokens":1,"completion_tokens":2}}');
    const text = event('{"choices":[{"delta":{"content":"a"}}]}');
    expect(run(text + usage + text + event('[DONE]') + text).out).toBe(text + text);
  });

  it('passes comments and named events on', () => {
    const text = ': OPENROUTER PROCESSING\n\nevent: x\ndata: {"choices":[]}\n\n';
    expect(run(text).out).toBe(text);
  });

  it('closes an event that the provider left open', () => {
    const { out, stream } = run('data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}');
    expect(out).toBeNull();
    expect(stream.end()?.toString()).toBe('data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n');
    expect(stream.complete).toBe(true);
  });

  it('keeps a short answer unread and empties itself into the count when it grows', () => {
    const piece = event(`{"choices":[{"delta":{"content":"${'word '.repeat(200)}"}}]}`);
    const short = run(piece.repeat(10));
    expect(short.heard.hasOutput).toBe(false);
    const long = run(piece.repeat(20));
    expect(long.heard.hasOutput).toBe(true);
    long.stream.report();
    expect(long.heard.transcript).toHaveLength(10_000);
  });
});
