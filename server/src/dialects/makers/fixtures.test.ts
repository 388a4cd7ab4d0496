import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Adapter, ChatRequest, OneShotCapability, OneShotRequest, UpstreamAnswer } from '../contract.js';
import type { Target } from '../target.js';
import { UpstreamError } from '../errors/upstream-error.js';
import type { Usage } from '../../shared/usage.js';
import { TextMeter } from '../../gateway/reserve/metering/text-meter.js';
import type { AnswerContext } from '../neutral/codec.js';
import { TranslatedStream } from '../neutral/translated-stream.js';
import { chatClient } from '../languages/openai/chat-client.js';
import { eventsOf } from '../wire/sse/event-parser.js';
import { toUpstreamError } from '../errors/read-upstream-error.js';
import { adapters, targetFor } from '../../../../tests/support/relay-dialects.js';

/* The worked examples of the provider reference: the request sent, the response returned, the usage reported. */

type Json = Record<string, unknown>;

interface Fixture {
  readonly id: string;
  readonly ch: {
    readonly type: number;
    readonly key: string;
    readonly base_url?: string;
    readonly other?: string;
    readonly created_time?: number;
    readonly openai_organization?: string;
    readonly setting?: Json;
  };
  readonly in?: { readonly path: string; readonly body: Json & { readonly model: string } };
  readonly up?: { readonly method?: string; readonly url?: string; readonly headers?: Json; readonly body?: Json };
  readonly ur?: { readonly status: number; readonly body: Json };
  readonly us?: readonly unknown[];
  readonly out?: { readonly status: number; readonly body: Json };
  readonly os?: readonly unknown[];
  readonly usage?: Json;
  readonly poll?: ReadonlyArray<{ readonly method: string; readonly url: string; readonly body: Json }>;
}

const folder = join(import.meta.dirname, '../../../../tests/fixtures/relay-providers');
const load = (name: string): Fixture[] => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Fixture[];

/** Channels that cannot stream (F77) are tested with the relay. */
const chatFixtures = [...load('openai'), ...load('own-protocols')].filter(
  ({ id, ch, in: call }) => call?.path === '/v1/chat/completions' && adapters[ch.type]?.chat && !id.startsWith('F77'),
);

/**
 * Expected objects are subsets; lists match in order and length; `<any>` matches anything; `!absent` must be missing.
 */
function expectMatch(actual: unknown, expected: unknown, at: string): void {
  if (expected === '<any>') return;
  if (Array.isArray(expected)) {
    expect([at, Array.isArray(actual) ? actual.length : actual]).toEqual([at, expected.length]);
    expected.forEach((each, index) => expectMatch((actual as unknown[])[index], each, `${at}[${index}]`));
    return;
  }
  if (typeof expected !== 'object' || expected === null) {
    expect([at, actual]).toEqual([at, expected]);
    return;
  }
  for (const [name, value] of Object.entries(expected)) {
    const found = (actual as Json | undefined)?.[name];
    if (value === '!absent') expect([`${at}.${name}`, found]).toEqual([`${at}.${name}`, undefined]);
    else expectMatch(found, value, `${at}.${name}`);
  }
}

const targetOf = ({ ch, in: call }: Fixture): Target =>
  targetFor({
    type: ch.type,
    ...(ch.base_url ? { baseUrl: ch.base_url } : {}),
    key: ch.key,
    organization: ch.openai_organization ?? '',
    other: ch.other ?? '',
    createdAt: new Date((ch.created_time ?? 1_750_000_000) * 1000),
    setting: { thinkingToContent: ch.setting?.['thinking_to_content'] === true },
    upstreamModel: call?.body.model ?? 'm',
    requestedModel: call?.body.model ?? 'm',
    now: 1_718_700_000_000,
  });

function requestOf({ in: call }: Fixture): ChatRequest {
  if (!call) throw new Error('no call');
  const options = call.body['stream_options'] as { include_usage?: boolean } | undefined;
  return {
    path: call.path,
    body: call.body,
    rawBody: Buffer.from(JSON.stringify(call.body)),
    stream: call.body['stream'] === true,
    wantsUsage: options?.include_usage === true,
  };
}

const adapterOf = ({ ch }: Fixture): Adapter => {
  const adapter = adapters[ch.type];
  if (!adapter) throw new Error(`no client dialect has type ${ch.type}`);
  return adapter;
};

function expectUsage(usage: Usage | null, expected: Json): void {
  const told: Json = {
    prompt: usage?.promptTokens,
    completion: usage?.completionTokens,
    inputUncached: (usage?.promptTokens ?? 0) - (usage?.cachedTokens ?? 0) - (usage?.cacheWriteTokens ?? 0),
    cacheRead: usage?.cachedTokens,
    cacheWrite: usage?.cacheWriteTokens,
    output: usage?.completionTokens,
    reasoning: usage?.reasoningTokens,
  };
  expectMatch(told, expected, 'usage');
}

const dataOf = (text: string): unknown[] =>
  eventsOf({ bytes: Buffer.from(text), text: Buffer.from(text).toString('latin1') }).map(({ data }): unknown =>
    data === '[DONE]' ? data : JSON.parse(data),
  );

const noTokens: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
};

const byId = (fixtures: readonly Fixture[]): Array<[string, Fixture]> => fixtures.map((each) => [each.id, each]);
const sse = (events: readonly unknown[]): Buffer =>
  Buffer.from(events.map((each) => `data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`).join(''));

describe('providers that speak chat completions', () => {
  it.each(byId(chatFixtures.filter(({ up }) => up)))('%s: is asked', (_id, fixture) => {
    const sent = adapterOf(fixture).chat?.toUpstreamRequest(requestOf(fixture), targetOf(fixture));
    const { body, ...rest } = fixture.up ?? {};
    expectMatch(sent, rest, 'up');
    expectMatch(JSON.parse(String(sent?.body)), body ?? {}, 'up.body');
  });

  it.each(byId(chatFixtures.filter(({ ur, out }) => ur && out)))('%s: answers', (_id, fixture) => {
    const read = () =>
      adapterOf(fixture).chat?.fromUpstreamResponse(Buffer.from(JSON.stringify(fixture.ur?.body)), targetOf(fixture));
    if (fixture.out?.body['error']) {
      expect.assertions(2);
      try {
        read();
      } catch (error) {
        expectRefusal(error, fixture);
      }
      return;
    }
    const answer = read();
    expectMatch(JSON.parse(String(answer?.body)), fixture.out?.body, 'out');
    if (fixture.usage) expectUsage(answer?.usage ?? null, fixture.usage);
  });

  it.each(byId(chatFixtures.filter(({ us }) => us)))('%s: streams', (_id, fixture) => {
    const transform = adapterOf(fixture).chat?.openStream(
      requestOf(fixture),
      targetOf(fixture),
      new TextMeter('gpt-4o', 0),
    );
    const out = [transform?.push(sse(fixture.us ?? [])), transform?.end(), transform?.closing(noTokens)];
    expectMatch(dataOf(out.map((each) => String(each ?? '')).join('')), fixture.os, 'os');
    if (fixture.usage) expectUsage(transform?.usage() ?? null, fixture.usage);
  });
});

const oneShots: Readonly<Record<string, (adapter: Adapter) => OneShotCapability | undefined>> = {
  '/v1/embeddings': (adapter) => adapter.embeddings,
  '/v1/images/generations': (adapter) => adapter.images,
  '/v1/rerank': (adapter) => adapter.rerank,
};

const answerOf = (body: unknown): UpstreamAnswer => ({
  contentType: 'application/json',
  body: Buffer.from(JSON.stringify(body)),
});

const oneShotFixtures = [...load('openai'), ...load('own-protocols')].filter(
  ({ in: call, ch }) => call && oneShots[call.path] && adapters[ch.type],
);

describe('calls answered in one piece', () => {
  it.each(byId(oneShotFixtures))('%s', (_id, fixture) => {
    const capability = oneShots[fixture.in?.path ?? '']?.(adapterOf(fixture));
    if (!capability) throw new Error('not offered');
    const request: OneShotRequest = { ...requestOf(fixture), form: null };
    const target = targetOf(fixture);
    const sent = capability.toUpstreamRequest(request, target);
    const { body, ...rest } = fixture.up ?? {};
    expectMatch(sent, rest, 'up');
    expectMatch(JSON.parse(String(sent.body)), body ?? {}, 'up.body');
    let upstream = answerOf(fixture.ur?.body);
    for (const polled of fixture.poll ?? []) {
      const next = capability.next?.(upstream, target);
      expect(next?.request).toMatchObject({ method: polled.method, url: polled.url });
      expect(next?.request.headers).toMatchObject({ authorization: `Bearer ${fixture.ch.key}` });
      upstream = answerOf(polled.body);
    }
    expect(capability.next?.(upstream, target) ?? null).toBeNull();
    const answer = capability.fromUpstreamResponse(upstream, request, target);
    const expected = withoutCounted(fixture.out?.body ?? {});
    expectMatch(JSON.parse(String(answer.body)), expected, 'out');
    if (fixture.usage) expectUsage(answer.usage, fixture.usage);
  });
});

/** `<any>` usage is counted by the relay when the provider reported none. */
function withoutCounted({ usage, ...rest }: Json): Json {
  const counted = Object.values((usage ?? {}) as Json).includes('<any>');
  return usage === undefined || counted ? rest : { ...rest, usage };
}

const ownFixtures = [...load('own-protocols'), ...load('aws'), ...load('gemini-vertex')].filter(
  ({ ch, in: call }) =>
    ch?.key !== undefined &&
    adapters[ch.type]?.conversation &&
    ch.type !== 24 &&
    (!call || call.path === '/v1/chat/completions'),
);

const context: AnswerContext = { id: 'r', created: 1, model: 'm', promptTokens: 0, includeUsage: false, body: {} };

function conversationOf(fixture: Fixture) {
  const capability = adapterOf(fixture).conversation;
  if (!capability) throw new Error('no conversation');
  return capability;
}

/** Service-account keys are generated here: the fixtures only describe them. */
const account = JSON.stringify({ project_id: 'proj-fake', client_email: 'svc@proj-fake.iam.gserviceaccount.com' });

function ownTarget(fixture: Fixture): Target {
  const token = (fixture as { token_response?: { access_token: string } }).token_response?.access_token;
  const key = fixture.ch.type === 41 ? account : fixture.ch.key;
  return { ...targetOf(fixture), key, credential: token ?? (fixture.ch.type === 41 ? 'ya29.fake' : '') };
}

/** The content of chunks, piece by piece: one chunk with two contents equals two chunks. */
function pieces(chunks: readonly unknown[]): unknown[] {
  return (chunks as Array<Json | string>).flatMap((chunk): unknown[] => {
    if (typeof chunk === 'string') return [chunk];
    const id = chunk['id'] === undefined ? [] : [{ id: chunk['id'] }];
    return [
      ...id,
      ...((chunk['choices'] ?? []) as Array<{ delta: Json; finish_reason?: unknown }>).flatMap(
        ({ delta, finish_reason: finish }) => [
          ...(delta['content'] ? [{ content: delta['content'] }] : []),
          ...(finish ? [{ finish }] : []),
        ],
      ),
    ];
  });
}

const withoutIds = (said: readonly unknown[]): unknown[] =>
  said.filter((each) => !(typeof each === 'object' && each && 'id' in each));

describe('providers with a dialect of their own', () => {
  it.each(byId(ownFixtures.filter(({ up }) => up)))('%s: is asked', (_id, fixture) => {
    const target = ownTarget(fixture);
    const capability = conversationOf(fixture);
    const request = chatClient.parse({ body: fixture.in?.body ?? {}, model: target.upstreamModel });
    const written = capability.codec(target).write(request);
    const model = written.model ?? target.upstreamModel;
    const sent = capability.toUpstreamRequest(written.body, { stream: request.stream, model }, target);
    const { body, ...rest } = fixture.up ?? {};
    expectMatch(sent, rest, 'up');
    expectMatch(JSON.parse(String(sent.body)), body ?? {}, 'up.body');
  });

  it.each(byId(ownFixtures.filter(({ ur, out }) => ur && out?.status === 200)))('%s: answers', (_id, fixture) => {
    const answer = conversationOf(fixture).codec(ownTarget(fixture)).read(fixture.ur?.body);
    expectMatch(chatClient.toAnswer(answer, context), fixture.out?.body, 'out');
    if (fixture.usage) expectUsage(answer.usage, fixture.usage);
  });

  it.each(byId(ownFixtures.filter(({ ur, out }) => ur && out && out.status !== 200)))('%s: refuses', (_id, fixture) => {
    expect.assertions(2);
    try {
      conversationOf(fixture).codec(ownTarget(fixture)).read(fixture.ur?.body);
    } catch (error) {
      expectRefusal(error, fixture);
    }
  });

  it.each(byId(ownFixtures.filter(({ os }) => os)))('%s: streams', (_id, fixture) => {
    const capability = conversationOf(fixture);
    const { us_raw: raw, ws_recv: frames } = fixture as { us_raw?: string[]; ws_recv?: unknown[] };
    const bytes = raw ? Buffer.from(raw.join('')) : sse(fixture.us ?? frames ?? []);
    const stream = new TranslatedStream(
      capability.codec(ownTarget(fixture)).openReader(),
      chatClient.openWriter(context),
      new TextMeter('m', 0),
      capability.openFrames?.(),
    );
    const out = [stream.push(bytes), stream.end(), stream.closing(noTokens)].map((each) => each ?? '').join('');
    const said = pieces(dataOf(out));
    expect(withoutIds(said)).toEqual(withoutIds(pieces(fixture.os ?? [])));
    for (const id of pieces(fixture.os ?? []).slice(0, 1))
      if (typeof id === 'object' && id && 'id' in id) expect(said).toContainEqual(id);
    if (fixture.usage) expectUsage(stream.usage(), fixture.usage);
    expect(stream.complete).toBe(true);
  });
});

function expectRefusal(error: unknown, { out }: Fixture): void {
  if (!(error instanceof UpstreamError)) throw error;
  const told = out?.body['error'] as Json;
  expect(error.status).toBe(out?.status);
  expect(error.detail.code).toEqual(told['code'] ?? error.detail.code);
}

it('F69-cloudflare-error: the list of errors is read', () => {
  const fixture = load('own-protocols').find(({ id }) => id === 'F69-cloudflare-error');
  const error = toUpstreamError(fixture?.ur?.status ?? 0, JSON.stringify(fixture?.ur?.body));
  expect(error).toMatchObject({ status: 403, message: 'Authentication error' });
});
