import {
  bodyOf,
  clients,
  contextFor,
  expectSubset,
  fixture,
  Heard,
  payloads,
  play,
  playThrough,
  send,
  sse,
  targetFor,
  type Fixture,
  type Json,
} from '../../../../tests/support/relay-dialects.js';
import type { ChatRequest } from '../contract.js';
import type { Target } from '../target.js';
import { UpstreamError } from '../errors/upstream-error.js';
import type { Usage } from '../../shared/usage.js';
import { anthropic } from '../makers/anthropic/anthropic.js';
import { gemini } from '../makers/gemini/gemini.js';
import { anthropicErrorBody } from '../languages/anthropic/error.js';
import { toCallFailure } from '../errors/failure.js';
import { chatProvider } from '../languages/openai/chat-write.js';
import { toUpstreamError } from '../errors/read-upstream-error.js';
import { nativeResponseStream } from '../languages/responses/responses-native.js';

const chat = clients['openai-chat'];
const messages = clients['anthropic-messages'];

const target = (given: Fixture): Target => {
  const model = String(given.in.body['model']);
  return targetFor({
    type: Number(given.ch['type']),
    key: String(given.ch['key']),
    upstreamModel: model,
    requestedModel: model,
  });
};

const nativeRequest = (given: Fixture): ChatRequest => ({
  path: given.in.path,
  body: given.in.body,
  rawBody: Buffer.from(JSON.stringify(given.in.body)),
  stream: given.in.body['stream'] === true,
  wantsUsage: false,
  headers: given.in.headers,
});

const neutral = (usage: Usage | null): Json => ({
  prompt: usage?.promptTokens,
  completion: usage?.completionTokens,
  inputUncached: (usage?.promptTokens ?? 0) - (usage?.cachedTokens ?? 0) - (usage?.cacheWriteTokens ?? 0),
  cacheRead: usage?.cachedTokens,
  cacheWrite: usage?.cacheWriteTokens,
  output: usage?.completionTokens,
  reasoning: usage?.reasoningTokens,
});

const includeUsage = (given: Fixture): boolean =>
  (given.in.body['stream_options'] as Json | undefined)?.['include_usage'] === true;

describe.each([
  ['claude', 'F20-claude-chat-tools', anthropic],
  ['claude', 'F21-claude-thinking-suffix', anthropic],
  ['claude', 'F22-claude-stream', anthropic],
  ['gemini-vertex', 'F30-gemini-chat', gemini],
  ['gemini-vertex', 'F31-gemini-tools', gemini],
  ['gemini-vertex', 'F32-gemini-stream-tool', gemini],
])('%s %s: a chat client at another provider', (family, id, { conversation }) => {
  const given = fixture(family, id);
  if (!conversation) throw new Error('no conversation');
  const codec = conversation.codec(target(given));

  if (given.up) {
    it('sends the expected upstream request', () => {
      const { upstream } = send(chat, conversation, given.in.body, target(given));
      expectSubset({ ...upstream, body: bodyOf(upstream) }, given.up ?? {});
    });
  }

  if (given.ur && given.out) {
    it('returns the expected response', () => {
      const answer = codec.read(given.ur?.body);
      expectSubset(chat.toAnswer(answer, contextFor({ model: String(given.in.body['model']) })), given.out?.body);
      expectSubset(neutral(answer.usage), given.usage ?? {});
    });
  }

  if (given.us && given.os) {
    it('streams the expected events', () => {
      const { out } = playThrough(codec, chat, sse(given.us ?? []), contextFor({ includeUsage: includeUsage(given) }));
      expectSubset(payloads(out), given.os);
    });
  }
});

describe('a Messages client at Anthropic', () => {
  const given = fixture('claude', 'F23-messages-native-stream');

  it('passes its body and its betas on', () => {
    const request = nativeRequest(given);
    const upstream = anthropic.messages?.toUpstreamRequest(request, target(given));
    if (!upstream) throw new Error('not offered');
    expectSubset({ ...upstream, body: bodyOf(upstream) }, given.up ?? {});
    expect(upstream.body).toBe(request.rawBody);
  });

  it('gets the bytes of the stream, the end of it after the call was paid', () => {
    const stream = sse(given.us ?? [], true);
    const heard = new Heard();
    const transform = anthropic.messages?.openStream(nativeRequest(given), target(given), heard);
    if (!transform) throw new Error('not offered');
    const early = String(transform.push(Buffer.from(stream)));
    expect(early).toContain('message_start');
    expect(early).not.toContain('message_delta');
    const usage = transform.usage();
    expectSubset(neutral(usage), given.usage ?? {});
    expect(transform.complete).toBe(true);
    expect(early + String(transform.closing(usage as Usage))).toBe(stream);
  });

  it('is told errors in its own dialect, with the type Anthropic gave', () => {
    const overloaded = fixture('claude', 'F26-messages-error');
    const error = toUpstreamError(overloaded.ur?.status ?? 0, JSON.stringify(overloaded.ur?.body));
    const failure = toCallFailure(error);
    expect(failure.status).toBe(overloaded.out?.status);
    expectSubset(JSON.parse(anthropicErrorBody(failure, 'r1')), overloaded.out?.body);
  });
});

describe('a Messages client at an OpenAI provider', () => {
  it('sends the expected request and returns the expected response', () => {
    const given = fixture('claude', 'F24-messages-to-openai-nonstream');
    const request = messages.parse({ body: given.in.body });
    expectSubset(chatProvider().write(request).body, (given.up as { body: unknown }).body);
    const answer = chatProvider().read(given.ur?.body);
    expectSubset(messages.toAnswer(answer, contextFor()), given.out?.body);
  });

  it('streams the expected events', () => {
    const given = fixture('claude', 'F25-messages-to-openai-stream');
    const { out } = playThrough(chatProvider(), messages, sse(given.us ?? []));
    expectSubset(payloads(out), given.os);
  });
});

describe('Gemini', () => {
  it('tells a blocked prompt as a refusal of the request', () => {
    const given = fixture('gemini-vertex', 'F35-gemini-blocked');
    const read = (): unknown => gemini.conversation?.codec(target(given)).read(given.ur?.body);
    expect(read).toThrow(UpstreamError);
    let failure;
    try {
      read();
    } catch (error) {
      failure = toCallFailure(error);
    }
    expect(failure).toMatchObject({ status: given.out?.status, code: 'content_filter' });
  });

  it.each([
    ['F33-gemini-embed', gemini.embeddings],
    ['F34-imagen', gemini.images],
  ])('serves %s', (id, capability) => {
    const given = fixture('gemini-vertex', id);
    if (!capability) throw new Error('not offered');
    const request = {
      path: given.in.path,
      body: given.in.body,
      rawBody: Buffer.from(JSON.stringify(given.in.body)),
      form: null,
    };
    const upstream = capability.toUpstreamRequest(request, target(given));
    expectSubset({ ...upstream, body: bodyOf(upstream) }, given.up ?? {});
    const body = Buffer.from(JSON.stringify(given.ur?.body));
    const answer = capability.fromUpstreamResponse({ contentType: 'application/json', body }, request, target(given));
    expectSubset(JSON.parse(answer.body.toString()), given.out?.body);
  });
});

describe('a Responses client at OpenAI', () => {
  it('gets the bytes of the stream and no end mark of another dialect', () => {
    const given = fixture('openai', 'F16-responses-stream');
    const stream = sse(given.us ?? [], true);
    const transform = nativeResponseStream(new Heard());
    expect(play(transform, stream)).toBe(stream);
    expectSubset(payloads(stream), given.os);
    expectSubset(neutral(transform.usage()), given.usage ?? {});
  });
});
