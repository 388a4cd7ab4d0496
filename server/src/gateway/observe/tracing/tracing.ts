import { newSpanId, newTraceId, readTraceparent } from '../../../platform/observability/otlp/trace-context.js';
import type { Endpoint } from '../../endpoint.js';
import type { IncomingRequest } from '../../request.js';
import { CallTrace, type TracingDeps } from './call-trace.js';

/** `tracestate` is limited to 512 characters, as the recommendation allows. */
const maxTraceState = 512;

/** Begins the trace of a call, or continues the trace of the client. Exists only when spans or metrics are exported. */
export class Tracing {
  constructor(readonly deps: TracingDeps) {}

  /** Continues the trace that the client sent in `traceparent`, or begins a new one. */
  begin(endpoint: Pick<Endpoint, 'operation'>, incoming: IncomingRequest): CallTrace {
    const { headers } = incoming;
    const parent = readTraceparent(headers['traceparent']);
    const traceId = parent?.traceId ?? newTraceId();
    const state = parent ? headers['tracestate'] : undefined;
    const context = { traceId, spanId: newSpanId(), sampled: this.isSampled(traceId, parent?.sampled ?? null) };
    const traceState = typeof state === 'string' && state.length <= maxTraceState ? state : '';
    return new CallTrace(this.deps, { endpoint, incoming, context, parent, traceState });
  }

  /** @param parent whether the client's trace is recorded; null when the client sent none */
  private isSampled(traceId: string, parent: boolean | null): boolean {
    const { traces, sampler, ratio } = this.deps.settings;
    if (!traces) return false;
    if (parent !== null && sampler.startsWith('parentbased')) return parent;
    if (sampler.endsWith('always_off')) return false;
    if (sampler.endsWith('always_on')) return true;
    // The decision uses the last 56 bits of the id, so that all services with the same ratio record the same traces.
    return parseInt(traceId.slice(-14), 16) < ratio * 2 ** 56;
  }
}
