import type { IncomingHttpHeaders } from 'node:http';
import type { Metrics } from '../../../platform/observability/metrics.js';
import type { GenAiMetrics } from '../../../platform/observability/otlp/gen-ai-metrics.js';
import type { OtlpExporter } from '../../../platform/observability/otlp/otlp-exporter.js';
import type { OtlpSettings } from '../../../platform/observability/otlp/otlp-settings.js';
import { toTraceparent, newSpanId, type TraceContext } from '../../../platform/observability/otlp/trace-context.js';
import { spanKind, type Attributes } from '../../../platform/observability/otlp/span.js';
import type { OptionValues } from '../../../options/option.service.js';
import { isAppError } from '../../../shared/errors.js';
import type { Usage } from '../../../shared/usage.js';
import type { UpstreamRequest } from '../../../dialects/contract.js';
import { statedSession } from '../../route/affinity/session-key.js';
import type { CallFailure } from '../../../dialects/errors/failure.js';
import { UpstreamError } from '../../../dialects/errors/upstream-error.js';
import { providerNameOf } from './provider-name.js';
import { langfuseAttempt, langfuseCall } from './langfuse.js';
import { secondsIn } from '../../../shared/clock.js';

export interface TracingDeps {
  readonly settings: OtlpSettings;
  readonly exporter: Pick<OtlpExporter, 'add'>;
  readonly genAi: GenAiMetrics;
  readonly metrics: Pick<Metrics, 'knownLabel'>;
  readonly options: { readonly values: Pick<OptionValues, 'QuotaPerUnit'> };
}

// The parts of calls and attempts that spans need. The files of calls import this file, so it must not import them.

interface Traced {
  readonly endpoint: { readonly operation: string };
  readonly incoming: {
    readonly path: string;
    readonly requestId: string;
    readonly startedAt: number;
    readonly headers: IncomingHttpHeaders;
  };
  readonly context: TraceContext;
  /** The client's span. Null when the client sent none. */
  readonly parent: TraceContext | null;
  readonly traceState: string;
}

interface TracedChannel {
  readonly id: number;
  readonly provider: { readonly name: string };
}

interface TracedCharge {
  readonly caller: { readonly user: { readonly id: number }; readonly token: { readonly id: number } };
  readonly route: { readonly model: string; readonly group: string };
  readonly request: {
    readonly body: Readonly<Record<string, unknown>>;
    readonly stream: boolean;
    readonly maxOutput: number;
  };
  readonly startedAt: number;
}

interface ReceivedResponse {
  readonly delivery: { readonly end: { readonly kind: string; readonly error?: unknown } };
  readonly upstreamModel: string;
  /** Time of the first byte, by `performance.now()`. */
  readonly firstByteAt: number | null;
}

/** The span of one call. It carries names, numbers and ids, never a prompt, a response or a key. */
export class CallTrace {
  private readonly attributes: Record<string, Attributes[string]>;
  private model = '';
  private error: string | null = null;
  private attempts = 0;

  constructor(
    private readonly deps: TracingDeps,
    private readonly traced: Traced,
  ) {
    const { endpoint, incoming } = traced;
    this.attributes = {
      'gen_ai.operation.name': endpoint.operation,
      'http.request.method': 'POST',
      'url.path': incoming.path,
      'tollgate.request_id': incoming.requestId,
    };
  }

  /** Begins a child span. */
  attempt(candidate: { readonly channel: TracedChannel }, model: string): AttemptSpan {
    this.model ||= model;
    return new AttemptSpan(this.deps, this.traced, candidate.channel, ++this.attempts);
  }

  /** Ends the span of a call that was served and charged. */
  served(
    call: TracedCharge,
    served: ReceivedResponse & { readonly channel: TracedChannel },
    { usage, quota }: { readonly usage: Usage; readonly quota: number },
  ): void {
    const { caller, route } = call;
    const { end } = served.delivery;
    this.model = route.model;
    const session = statedSession({ headers: this.traced.incoming.headers, body: call.request.body });
    const provider = providerNameOf(served.channel.provider.name);
    const usd = quota / this.deps.options.values.QuotaPerUnit;
    Object.assign(this.attributes, requestAttributes(call), {
      'gen_ai.provider.name': provider,
      'gen_ai.response.model': served.upstreamModel,
      'gen_ai.usage.input_tokens': usage.promptTokens,
      'gen_ai.usage.output_tokens': usage.completionTokens,
      'gen_ai.usage.cache_read.input_tokens': usage.cachedTokens || undefined,
      'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens || undefined,
      'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens || undefined,
      'gen_ai.usage.cost': usd,
      ...(this.traced.context.sampled ? langfuseCall(usage, usd, served.firstByteAt) : {}),
      'http.response.status_code': 200,
      'user.id': String(caller.user.id),
      // The first name is that of the conventions; Langfuse reads the second.
      'gen_ai.conversation.id': session,
      'session.id': session,
      'tollgate.token.id': caller.token.id,
      'tollgate.group': route.group,
      'tollgate.channel.id': served.channel.id,
      'tollgate.quota': quota,
    });
    if (end.kind === 'broken') this.error = errorTypeOf(end.error);
    const labels = this.labels(provider, served.upstreamModel);
    const { tokens, firstToken } = this.deps.genAi;
    tokens.observe(usage.promptTokens, { ...labels, 'gen_ai.token.type': 'input' });
    tokens.observe(usage.completionTokens, { ...labels, 'gen_ai.token.type': 'output' });
    if (served.firstByteAt !== null) firstToken.observe(secondsIn(served.firstByteAt - call.startedAt), labels);
  }

  /** Records the failure that the client gets. */
  failed({ status, type, code }: CallFailure): void {
    this.error = typeof code === 'string' ? code : code === null ? type : String(code);
    this.attributes['http.response.status_code'] = status;
  }

  /** Ends the span when the call is complete. */
  end({ outcome }: { readonly outcome: string }): void {
    const { genAi, exporter } = this.deps;
    const { context, parent, traceState, incoming } = this.traced;
    const endedAt = performance.now();
    if (outcome === 'client_gone') this.error ??= 'client_gone';
    const operation = this.attributes['gen_ai.operation.name'];
    const provider = this.attributes['gen_ai.provider.name'];
    genAi.request.observe(secondsIn(endedAt - incoming.startedAt), {
      ...this.labels(typeof provider === 'string' ? provider : '', ''),
      'error.type': this.error ?? '',
    });
    if (!context.sampled) return;
    exporter.add({
      traceId: context.traceId,
      spanId: context.spanId,
      parentSpanId: parent?.spanId ?? null,
      traceState,
      name: this.model === '' ? String(operation) : `${String(operation)} ${this.model}`,
      kind: spanKind.server,
      startedAt: incoming.startedAt,
      endedAt,
      attributes: {
        ...this.attributes,
        'gen_ai.request.model': this.model || undefined,
        'error.type': this.error ?? undefined,
        'tollgate.attempts': this.attempts,
        'tollgate.outcome': outcome,
      },
      error: this.error,
    });
  }

  private labels(provider: string, upstreamModel: string): Attributes {
    const { metrics } = this.deps;
    return {
      'gen_ai.operation.name': this.attributes['gen_ai.operation.name'],
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': metrics.knownLabel('model', this.model || 'none'),
      'gen_ai.response.model': metrics.knownLabel('upstream_model', upstreamModel || 'none'),
    };
  }
}

/** The span of one attempt at one provider. */
export class AttemptSpan {
  private readonly context: TraceContext;
  private readonly startedAt = performance.now();
  private upstreamModel = '';
  private address: Attributes = {};

  constructor(
    private readonly deps: TracingDeps,
    private readonly traced: Traced,
    private readonly channel: TracedChannel,
    private readonly number: number,
  ) {
    this.context = { ...traced.context, spanId: newSpanId() };
  }

  /** Adds the header by which the provider continues the trace. */
  sends(request: UpstreamRequest, upstreamModel: string): UpstreamRequest {
    this.upstreamModel = upstreamModel;
    if (URL.canParse(request.url)) {
      const { hostname, port, protocol } = new URL(request.url);
      this.address = {
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'http:' || protocol === 'ws:' ? 80 : 443),
      };
    }
    if (!this.deps.settings.propagates) return request;
    const { tracestate: _client, ...headers } = request.headers;
    const { traceState } = this.traced;
    const traceparent = toTraceparent(this.context);
    return { ...request, headers: { ...headers, traceparent, ...(traceState ? { tracestate: traceState } : {}) } };
  }

  /** Ends the span of an attempt that delivered a response, complete or not. */
  served({ upstreamModel, firstByteAt, delivery: { end } }: ReceivedResponse): void {
    this.upstreamModel = upstreamModel;
    const error = end.kind === 'broken' ? errorTypeOf(end.error) : end.kind === 'client_gone' ? 'client_gone' : null;
    this.end(error, {
      'http.response.status_code': 200,
      'gen_ai.response.model': upstreamModel,
      'gen_ai.response.time_to_first_chunk': firstByteAt === null ? undefined : secondsIn(firstByteAt - this.startedAt),
    });
  }

  failed(error: unknown): void {
    const status = error instanceof UpstreamError ? error.status : undefined;
    this.end(errorTypeOf(error), { 'http.response.status_code': status });
  }

  /** Ends the span of a hedged attempt because another attempt of the call was faster. */
  aborted(): void {
    this.end('aborted', {});
  }

  private end(error: string | null, result: Attributes): void {
    const { endpoint, traceState } = this.traced;
    const { operation } = endpoint;
    const { genAi, exporter, metrics } = this.deps;
    const endedAt = performance.now();
    const provider = providerNameOf(this.channel.provider.name);
    genAi.operation.observe(secondsIn(endedAt - this.startedAt), {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': metrics.knownLabel('upstream_model', this.upstreamModel || 'none'),
      'error.type': error ?? '',
    });
    if (!this.context.sampled) return;
    exporter.add({
      traceId: this.context.traceId,
      spanId: this.context.spanId,
      parentSpanId: this.traced.context.spanId,
      traceState,
      name: this.upstreamModel === '' ? operation : `${operation} ${this.upstreamModel}`,
      kind: spanKind.client,
      startedAt: this.startedAt,
      endedAt,
      attributes: {
        'gen_ai.operation.name': operation,
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': this.upstreamModel || undefined,
        ...langfuseAttempt,
        ...this.address,
        ...result,
        'error.type': error ?? undefined,
        'tollgate.channel.id': this.channel.id,
        'tollgate.attempt': this.number,
      },
      error,
    });
  }
}

/** Returns the request parameters that the conventions name, if the client sent them in that form. */
function requestAttributes({ request: { body, stream, maxOutput } }: TracedCharge): Attributes {
  const number = (name: string): number | undefined => {
    const value = body[name];
    return typeof value === 'number' ? value : undefined;
  };
  return {
    'gen_ai.request.max_tokens': maxOutput > 0 ? maxOutput : undefined,
    'gen_ai.request.temperature': number('temperature'),
    'gen_ai.request.top_p': number('top_p'),
    'gen_ai.request.frequency_penalty': number('frequency_penalty'),
    'gen_ai.request.presence_penalty': number('presence_penalty'),
    'gen_ai.request.seed': number('seed'),
    'gen_ai.request.stream': stream,
  };
}

/** Returns `error.type`: one of a few values, without any text of a provider. */
const errorTypeOf = (error: unknown): string =>
  error instanceof UpstreamError
    ? String(error.status)
    : isAppError(error)
      ? error.code.toLowerCase()
      : error instanceof Error
        ? error.constructor.name
        : 'error';
