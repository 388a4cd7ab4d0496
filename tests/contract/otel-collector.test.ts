/**
 * Sends spans to the OTLP receiver of the OpenTelemetry Collector, which Tempo also uses. `jest.config.mjs` skips this file
 * where `otelcol` is not installed, because Debian has no package of it.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseConfig } from '../../server/src/platform/config.js';
import { until } from '../faults/traffic.js';
import { scratchFolder } from '../support/scratch.js';
import { startScriptedServer } from '../support/scripted-server.js';
import { findProgram, freePort, startProgram } from '../support/services/processes.js';
import { chat, json } from '../support/upstream/replies.js';
import { RelayHarness, userMessage } from './relay-harness.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

interface ReceivedSpan {
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Readonly<Record<string, unknown>> }>;
}

it('a call and its attempts pass the receiver of the collector unchanged', async () => {
  const folder = await scratchFolder('otelcol');
  const port = await freePort();
  const backend = await startScriptedServer(() => ({ status: 200, body: {} }));
  // The configuration is written as JSON, which is valid YAML.
  await writeFile(
    join(folder, 'collector.yaml'),
    JSON.stringify({
      receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
      exporters: { otlphttp: { endpoint: backend.url, encoding: 'json', compression: 'none' } },
      service: {
        pipelines: { traces: { receivers: ['otlp'], exporters: ['otlphttp'] } },
        telemetry: { metrics: { level: 'none' } },
      },
    }),
  );
  const stop = await startProgram(findProgram(['otelcol'])!, [`--config=${join(folder, 'collector.yaml')}`], {
    ready: async () => (await fetch(`http://127.0.0.1:${port}/`)).status === 404,
  });
  const { otlp } = parseConfig({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${port}/v1/traces`,
    OTEL_BSP_SCHEDULE_DELAY: '20',
  });
  const relay = await RelayHarness.start({ otlp });
  try {
    relay.setOptions({ SelfUseModeEnabled: true, RetryTimes: 1 });
    await relay.addChannel({ key: 'sk-first', priority: 9 });
    await relay.addChannel({ key: 'sk-second' });
    relay.upstream.script({ key: 'sk-first' }, json({ error: { message: 'down', type: 'server_error' } }, 500));
    relay.upstream.script({ key: 'sk-second' }, chat({ text: 'hello' }));
    const { key } = await relay.addToken();
    const response = await relay.chat(
      key,
      { model: 'gpt-4o', messages: userMessage('hi'), temperature: 0.5, prompt_cache_key: 'chat-7' },
      { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } },
    );
    expect(response.status).toBe(200);
    await response.text();

    const spans = (): ReceivedSpan[] =>
      backend.calls
        .map(
          ({ body }) => JSON.parse(body) as { resourceSpans: Array<{ scopeSpans: Array<{ spans: ReceivedSpan[] }> }> },
        )
        .flatMap(({ resourceSpans }) => resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans)));
    await until(() => spans().length === 3, 30, 'the collector has sent three spans on');
    expect(new Set(spans().map((span) => span.traceId))).toEqual(new Set([traceId]));
    const call = spans().find(({ kind }) => kind === 2)!;
    expect(call).toMatchObject({ name: 'chat gpt-4o', parentSpanId: '00f067aa0ba902b7', status: {} });
    expect(Object.fromEntries(call.attributes.map(({ key: name, value }) => [name, value]))).toMatchObject({
      'gen_ai.request.model': { stringValue: 'gpt-4o' },
      'gen_ai.request.temperature': { doubleValue: 0.5 },
      'gen_ai.request.stream': { boolValue: false },
      'gen_ai.usage.input_tokens': { intValue: '12' },
      'gen_ai.usage.output_tokens': { intValue: '5' },
      'session.id': { stringValue: 'chat-7' },
      'tollgate.attempts': { intValue: '2' },
    });
    const attempts = spans().filter(({ kind }) => kind === 3);
    expect(attempts.map(({ status }) => status).sort((a, b) => (b.code ?? 0) - (a.code ?? 0))).toEqual([
      { code: 2, message: '500' },
      {},
    ]);
  } finally {
    await relay.idle();
    await relay.stop();
    await stop();
    await backend.stop();
  }
});
