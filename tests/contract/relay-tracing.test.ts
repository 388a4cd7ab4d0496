/** Spans and metrics of calls by OTLP/HTTP (docs/guide/operations.md#opentelemetry), at a scripted collector. */
import { z } from 'zod';
import { parseConfig } from '../../server/src/platform/config.js';
import { until } from '../faults/traffic.js';
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';
import { chat, json } from '../support/upstream/replies.js';
import { RelayHarness, userMessage, type HarnessOptions } from './relay-harness.js';

const value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({ boolValue: z.boolean() }),
]);
const attributes = z.array(z.strictObject({ key: z.string().min(1), value }));
const nanos = z.string().regex(/^\d{19}$/);
const resource = z.strictObject({ attributes });
const scope = z.strictObject({ name: z.literal('tollgate'), version: z.string() });
const spanForm = z.strictObject({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  traceState: z.string().optional(),
  name: z.string(),
  kind: z.union([z.literal(2), z.literal(3)]),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  attributes,
  status: z.strictObject({ code: z.literal(2).optional(), message: z.string().optional() }),
});
/** The used fields of `opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest`. Any other field is an error. */
const traceForm = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({ resource, scopeSpans: z.array(z.strictObject({ scope, spans: z.array(spanForm) })) }),
  ),
});
const times = { startTimeUnixNano: nanos, timeUnixNano: nanos, attributes };
const numbers = z.array(z.strictObject({ ...times, asDouble: z.number() }));
const count = z.string().regex(/^\d+$/);
const histogram = z.strictObject({
  ...times,
  count,
  sum: z.number(),
  explicitBounds: z.array(z.number()),
  bucketCounts: z.array(count),
});
const metricForm = z.strictObject({
  name: z.string(),
  description: z.string(),
  unit: z.string(),
  gauge: z.strictObject({ dataPoints: numbers }).optional(),
  sum: z
    .strictObject({ aggregationTemporality: z.literal(2), isMonotonic: z.literal(true), dataPoints: numbers })
    .optional(),
  histogram: z.strictObject({ aggregationTemporality: z.literal(2), dataPoints: z.array(histogram) }).optional(),
});
const metricsForm = z.strictObject({
  resourceMetrics: z.array(
    z.strictObject({ resource, scopeMetrics: z.array(z.strictObject({ scope, metrics: z.array(metricForm) })) }),
  ),
});

type Span = z.infer<typeof spanForm>;

let relay: RelayHarness;
let collector: ScriptedServer;
let status = 200;
let channel = 0;

const attributesOf = ({ attributes: list }: { attributes: z.infer<typeof attributes> }): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value: held }) => [key, Object.values(held)[0]]));
const bodiesAt = (path: string): unknown[] =>
  collector.calls.filter(({ url }) => url.pathname === path).map(({ body }) => JSON.parse(body) as unknown);
const spans = (): Span[] =>
  bodiesAt('/v1/traces')
    .map((body) => traceForm.parse(body))
    .flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans)),
    );
const metrics = (): z.infer<typeof metricForm>[] =>
  metricsForm
    .parse(bodiesAt('/v1/metrics').at(-1))
    .resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((each) => each.metrics));

async function start(environment: Record<string, string> = {}, options: HarnessOptions = {}): Promise<void> {
  status = 200;
  collector = await startScriptedServer(() => ({ status, body: {} }));
  const { otlp } = parseConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20cGs6c2s=,x-tenant=a',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_METRIC_EXPORT_INTERVAL: '100',
    ...environment,
  });
  relay = await RelayHarness.start({ ...options, otlp });
  relay.setOptions({ SelfUseModeEnabled: true, RetryTimes: 1 });
  channel = await relay.addChannel({ key: 'sk-first', priority: 9 });
}

afterEach(async () => {
  await relay.idle();
  expect(await relay.openReservations()).toBe(0);
  await relay.stop();
  await collector.stop();
});

const body = { model: 'gpt-4o', messages: userMessage('a secret prompt'), temperature: 0.5, max_tokens: 20 };

async function ask(given: object = body, headers: Record<string, string> = {}): Promise<number> {
  const { key } = await relay.addToken();
  const response = await relay.chat(key, given, { headers });
  await response.text();
  return response.status;
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const clientSpan = '00f067aa0ba902b7';

it.each([false, true])(
  'a call is a span of the client’s trace with a child for each attempt (stream: %s)',
  async (stream) => {
    await start();
    const second = await relay.addChannel({ key: 'sk-second', mapping: '{"gpt-4o":"gpt-4o-mini"}' });
    relay.upstream.script({ key: 'sk-first' }, json({ error: { message: 'down', type: 'server_error' } }, 500));
    relay.upstream.script({ key: 'sk-second' }, chat({ text: ['a secret', ' answer'] }));
    const headers = { traceparent: `00-${traceId}-${clientSpan}-01`, tracestate: 'vendor=1' };
    expect(await ask({ ...body, stream }, headers)).toBe(200);
    await until(() => spans().length === 3, 20, 'three spans arrived');

    const call = spans().find(({ kind }) => kind === 2);
    const attempts = spans().filter(({ kind }) => kind === 3);
    expect(call).toMatchObject({
      name: 'chat gpt-4o',
      traceId,
      parentSpanId: clientSpan,
      traceState: 'vendor=1',
      status: {},
    });
    expect(attributesOf(call as Span)).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.response.model': 'gpt-4o-mini',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.max_tokens': '20',
      'gen_ai.request.stream': stream,
      'gen_ai.usage.input_tokens': '12',
      'gen_ai.usage.output_tokens': '5',
      'tollgate.channel.id': String(second),
      'tollgate.group': 'default',
      'tollgate.attempts': '2',
      'tollgate.outcome': 'ok',
    });
    expect(attempts.map((each) => [each.traceId, each.parentSpanId, each.name])).toEqual([
      [traceId, call?.spanId, 'chat gpt-4o'],
      [traceId, call?.spanId, 'chat gpt-4o-mini'],
    ]);
    const [failed, served] = attempts.map(attributesOf);
    const address = { 'server.address': '127.0.0.1', 'server.port': new URL(relay.upstream.url).port };
    expect(failed).toMatchObject({
      ...address,
      'tollgate.channel.id': String(channel),
      'error.type': '500',
      'http.response.status_code': '500',
    });
    expect(attempts[0]?.status).toEqual({ code: 2, message: '500' });
    expect(served).toMatchObject({ ...address, 'tollgate.channel.id': String(second), 'tollgate.attempt': '2' });
    expect(typeof served?.['gen_ai.response.time_to_first_chunk']).toBe(stream ? 'number' : 'undefined');
    expect(BigInt(call?.endTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(attempts[1]?.endTimeUnixNano ?? 0));
    expect(BigInt(call?.startTimeUnixNano ?? 0)).toBeLessThanOrEqual(BigInt(attempts[0]?.startTimeUnixNano ?? 0));

    // Each provider continues the trace from its own attempt.
    expect(relay.upstream.requests.map(({ headers: sent }) => [sent['traceparent'], sent['tracestate']])).toEqual(
      attempts.map(({ spanId }) => [`00-${traceId}-${spanId}-01`, 'vendor=1']),
    );
    const [export1] = collector.calls;
    expect(export1?.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Basic cGs6c2s=',
      'x-tenant': 'a',
    });
    const [named] = traceForm.parse(bodiesAt('/v1/traces')[0]).resourceSpans;
    expect(attributesOf((named as NonNullable<typeof named>).resource)).toEqual({
      'service.name': 'tollgate',
      'deployment.environment.name': 'test',
      'service.version': '0.1.0',
    });
    expect(collector.calls.map((each) => each.body).join()).not.toMatch(/secret|sk-/);
  },
);

it('a call without traceparent, or with an invalid one, begins a trace; refused calls are spans too', async () => {
  await start();
  const zeros = '00-00000000000000000000000000000000-00f067aa0ba902b7-01';
  expect(await ask(body, { traceparent: zeros })).toBe(200);
  expect(await ask({ ...body, model: 'unknown-model' })).toBe(503);
  await until(() => spans().length === 3, 20, 'three spans arrived');
  const calls = spans().filter(({ kind }) => kind === 2);
  expect(calls.map(({ parentSpanId }) => parentSpanId)).toEqual([undefined, undefined]);
  expect(new Set(calls.map((each) => each.traceId)).size).toBe(2);
  expect(calls[0]?.traceId).not.toMatch(/^0+$/);
  const refused = calls.find((each) => each.status.code === 2);
  expect(attributesOf(refused as Span)).toMatchObject({ 'tollgate.outcome': 'error', 'tollgate.attempts': '0' });
  expect(refused?.status.message).toBe(attributesOf(refused as Span)['error.type']);
});

it('follows the decision of the client, and sends the trace on without recording it', async () => {
  await start();
  expect(await ask(body, { traceparent: `00-${traceId}-${clientSpan}-00` })).toBe(200);
  expect(relay.upstream.requests[0]?.headers['traceparent']).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
  expect(await ask()).toBe(200);
  await until(() => spans().length === 2, 20, 'the recorded call arrived');
  expect(spans().map((each) => each.traceId)).not.toContain(traceId);
});

it('OTEL_PROPAGATORS=none keeps the trace from providers', async () => {
  await start({ OTEL_PROPAGATORS: 'none' });
  expect(await ask()).toBe(200);
  expect(relay.upstream.requests[0]?.headers['traceparent']).toBeUndefined();
});

it('sends the metrics of the conventions, and those of /metrics', async () => {
  await start();
  for (const stream of [false, true]) expect(await ask({ ...body, stream })).toBe(200);
  const found = (name: string) => metrics().find((each) => each.name === name);
  await until(
    () => collector.calls.some(({ url }) => url.pathname === '/v1/metrics') && counted() === 2,
    20,
    'metrics arrived',
  );
  /** Returns the calls of which the collector has both metrics: a call's tokens are counted after its duration. */
  function counted(): number {
    const names = ['gen_ai.client.operation.duration', 'gen_ai.client.token.usage'];
    return Math.min(...names.map((name) => Number(found(name)?.histogram?.dataPoints[0]?.count ?? 0)));
  }
  const usage = (found('gen_ai.client.token.usage')?.histogram?.dataPoints ?? []).map((point) => [
    attributesOf(point)['gen_ai.token.type'],
    point.count,
    point.sum,
  ]);
  expect(usage).toEqual([
    ['input', '2', 24],
    ['output', '2', 10],
  ]);
  // 12 tokens are above 4 and up to 16, which is the third bucket.
  const [input] = found('gen_ai.client.token.usage')?.histogram?.dataPoints ?? [];
  expect(input?.bucketCounts.slice(0, 4)).toEqual(['0', '0', '2', '0']);
  expect(input?.bucketCounts).toHaveLength((input?.explicitBounds.length ?? 0) + 1);
  expect(found('gen_ai.server.time_to_first_token')?.histogram?.dataPoints[0]?.count).toBe('1');
  expect(found('gen_ai.server.request.duration')?.histogram?.dataPoints[0]?.count).toBe('2');
  const calls = found('tollgate_relay_calls_total')?.sum?.dataPoints ?? [];
  expect(calls.map((point) => [attributesOf(point)['outcome'], point.asDouble])).toEqual([['ok', 2]]);
  const duration = found('tollgate_relay_duration_seconds')?.histogram?.dataPoints ?? [];
  for (const point of duration) {
    expect(point.bucketCounts.reduce((sum, each) => sum + Number(each), 0)).toBe(Number(point.count));
  }
  expect(found('tollgate_relay_calls_active')?.gauge?.dataPoints).toHaveLength(1);
});

it('while the collector is unavailable calls go on, the queue is bounded and the oldest spans are dropped', async () => {
  await start({ OTEL_BSP_MAX_QUEUE_SIZE: '4', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2', OTEL_METRICS_EXPORTER: 'none' });
  status = 503;
  for (let call = 0; call < 10; call++) expect(await ask({ ...body, user: String(call) })).toBe(200);
  await until(() => relay.logLines.some((line) => line.includes('does not accept data')), 20, 'the outage is logged');
  const tried = relay.upstream.requests.map(({ headers }) => String(headers['traceparent']).split('-')[1]);
  expect(tried).toHaveLength(10);
  collector.calls.length = 0;
  status = 200;
  await until(() => spans().length === 4, 30, 'the newest spans arrived');
  // Each call made two spans. The last two calls fill the queue.
  expect(new Set(spans().map((each) => each.traceId))).toEqual(new Set(tried.slice(-2)));
  expect(relay.logLines.filter((line) => line.includes('does not accept data'))).toHaveLength(1);
  await until(
    async () => (await relay.metric('tollgate_otlp_spans_total{result="dropped"}'))[0]?.endsWith(' 16') === true,
    20,
    'sixteen spans were counted as dropped',
  );
});

it('a collector that never responds stops neither calls nor the shutdown', async () => {
  await start({ OTEL_BSP_MAX_QUEUE_SIZE: '4' });
  collector.answer = () => new Promise(() => undefined);
  for (let call = 0; call < 5; call++) expect(await ask()).toBe(200);
});

it('compresses with gzip, and gives up spans that the collector refuses', async () => {
  await start({ OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip', OTEL_METRICS_EXPORTER: 'none' });
  status = 400;
  expect(await ask()).toBe(200);
  await until(
    async () => (await relay.metric('tollgate_otlp_spans_total{result="refused"}'))[0]?.endsWith(' 2') === true,
    20,
    'the spans were counted as refused',
  );
  expect(collector.calls[0]?.headers['content-encoding']).toBe('gzip');
});

it('without an endpoint nothing is traced and nothing is sent', async () => {
  await start({ OTEL_EXPORTER_OTLP_ENDPOINT: '' });
  expect(parseConfig({}).otlp).toBeUndefined();
  expect(await ask()).toBe(200);
  expect(relay.upstream.requests[0]?.headers['traceparent']).toBeUndefined();
  expect(collector.calls).toEqual([]);
});

/**
 * The properties of Langfuse, by the attributes that its server reads for them (`packages/shared/src/server/otel`). The
 * first attribute that is present counts. A span without a parent names the trace, and a status of 2 is the level ERROR.
 * Tokens, costs and the time of the first token come from Langfuse's own attributes. From `gen_ai.usage`, the versions in
 * use would add cached tokens to an input that already includes them, and would not read integers in the JSON form.
 */
const langfuse = {
  model: ['langfuse.observation.model.name', 'gen_ai.response.model', 'gen_ai.request.model'],
  userId: ['langfuse.user.id', 'user.id'],
  sessionId: ['langfuse.session.id', 'session.id'],
  environment: ['langfuse.environment', 'deployment.environment.name', 'deployment.environment'],
} as const;

describe('Langfuse shows', () => {
  const shown = (span: Span, resourceAttributes: Record<string, unknown>) => {
    const all = { ...resourceAttributes, ...attributesOf(span) };
    const first = (names: readonly string[]): unknown => names.map((name) => all[name]).find(Boolean);
    const under = (prefix: string): Record<string, unknown> =>
      Object.fromEntries(
        Object.entries(all).flatMap(([name, held]) =>
          name.startsWith(prefix) ? [[name.slice(prefix.length), held] as const] : [],
        ),
      );
    return {
      ...Object.fromEntries(Object.entries(langfuse).map(([property, names]) => [property, first(names)])),
      name: span.name,
      // `gen_ai.operation.name` makes the span a generation, unless Langfuse's own attribute names another type.
      type: all['langfuse.observation.type'] ?? 'generation',
      usage: parsed(all['langfuse.observation.usage_details']),
      cost: parsed(all['langfuse.observation.cost_details']),
      firstToken: all['langfuse.observation.completion_start_time'],
      parameters: under('gen_ai.request.'),
      level: span.status.code === 2 ? 'ERROR' : 'DEFAULT',
      statusMessage: span.status.message,
    };
  };
  const parsed = (text: unknown): unknown => (typeof text === 'string' ? (JSON.parse(text) as unknown) : undefined);
  const charged = async (userId: number): Promise<number> => {
    const [row] = await relay.logs(userId);
    return row!.quota;
  };
  const resourceOf = (): Record<string, unknown> =>
    attributesOf(traceForm.parse(bodiesAt('/v1/traces')[0]).resourceSpans[0]!.resource);

  it.each([
    ['a header', {}, { session_id: 'chat-7' }],
    ['a field', { prompt_cache_key: 'chat-7' }, {}],
    ['the metadata of Claude Code', { metadata: { user_id: 'chat-7' } }, {}],
  ])('model, usage, user, session by %s, name and parameters of a call', async (_name, fields, headers) => {
    await start();
    relay.upstream.script({ key: 'sk-first' }, chat({ text: 'a secret answer' }));
    const { key, userId } = await relay.addToken();
    const response = await relay.chat(key, { ...body, ...fields }, { headers });
    await response.text();
    await until(() => spans().length === 2, 20, 'two spans arrived');
    const call = spans().find(({ kind }) => kind === 2)!;
    expect(call.parentSpanId).toBeUndefined();
    expect(shown(call, resourceOf())).toEqual({
      name: 'chat gpt-4o',
      model: 'gpt-4o',
      userId: String(userId),
      sessionId: 'chat-7',
      environment: 'test',
      type: 'generation',
      usage: { input: 12, output: 5 },
      cost: { total: (await charged(userId)) / 500_000 },
      firstToken: undefined,
      parameters: { model: 'gpt-4o', max_tokens: '20', temperature: 0.5, stream: false },
      level: 'DEFAULT',
      statusMessage: undefined,
    });
    // Only one span of a trace has usage, so that no token is counted twice.
    const attempt = spans().find(({ kind }) => kind === 3)!;
    expect(shown(attempt, {})).toMatchObject({ type: 'span', usage: undefined, cost: undefined });
    // Spans contain no input and no output, so no text of a user leaves the site.
    expect(JSON.stringify(spans())).not.toContain('a secret');
  });

  it('each kind of tokens apart, the charge in USD, and the time of the first token', async () => {
    await start();
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: 30 },
      completion_tokens_details: { reasoning_tokens: 20 },
    };
    relay.upstream.script({ key: 'sk-first' }, chat({ text: ['a', 'b'], usage }));
    const { key, userId } = await relay.addToken();
    const response = await relay.chat(key, { ...body, stream: true });
    await response.text();
    await until(() => spans().length === 2, 20, 'two spans arrived');
    const call = spans().find(({ kind }) => kind === 2)!;
    const quota = await charged(userId);
    expect(quota).toBeGreaterThan(0);
    const { firstToken, ...rest } = shown(call, {});
    expect(rest).toMatchObject({
      usage: { input: 70, output: 30, input_cached_tokens: 30, output_reasoning_tokens: 20 },
      cost: { total: quota / 500_000 },
    });
    expect(attributesOf(call)['gen_ai.usage.cost']).toBe(quota / 500_000);
    const millis = (nano: string): number => Math.floor(Number(BigInt(nano) / 1_000_000n));
    const at = Date.parse(firstToken as string);
    expect(at).toBeGreaterThanOrEqual(millis(call.startTimeUnixNano));
    expect(at).toBeLessThanOrEqual(millis(call.endTimeUnixNano));
  });

  it('no cost of a call that is free, instead of an estimate of its own', async () => {
    await start();
    relay.setOptions({ ModelRatio: { 'gpt-4o': 0 } });
    expect(await ask()).toBe(200);
    await until(() => spans().length === 2, 20, 'two spans arrived');
    expect(
      shown(
        spans().find(({ kind }) => kind === 2)!,
        {},
      ).cost,
    ).toEqual({ total: 0 });
  });

  it('the level and the reason of a failed call', async () => {
    await start();
    expect(await ask({ ...body, model: 'unknown-model' })).toBe(503);
    await until(() => spans().length === 1, 20, 'the span arrived');
    const [call] = spans();
    expect(shown(call!, {})).toMatchObject({ level: 'ERROR', statusMessage: attributesOf(call!)['error.type'] });
  });

  it('no session that the client does not state, and none that is too long for an id', async () => {
    await start();
    expect(await ask({ ...body, prompt_cache_key: 'x'.repeat(201) })).toBe(200);
    expect(await ask()).toBe(200);
    await until(() => spans().length === 4, 20, 'four spans arrived');
    expect(spans().map((each) => attributesOf(each)['session.id'])).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
