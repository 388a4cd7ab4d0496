import { randomBytes } from 'node:crypto';

/** A position in a trace, as the W3C header `traceparent` carries it. */
export interface TraceContext {
  /** 32 hexadecimal digits in lower case. */
  readonly traceId: string;
  /** 16 hexadecimal digits in lower case. */
  readonly spanId: string;
  /** Whether the spans of the trace are recorded. */
  readonly sampled: boolean;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Reads `traceparent` (W3C Trace Context, level 1). A later version may carry more fields after the flags.
 * @returns null for a missing or invalid header: a new trace begins then
 */
export function readTraceparent(header: string | readonly string[] | undefined): TraceContext | null {
  const found = typeof header === 'string' ? form.exec(header.trim()) : null;
  if (!found) return null;
  const [, version = '', traceId = '', spanId = '', flags = '', rest] = found;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, sampled: (parseInt(flags, 16) & 1) === 1 };
}

/** The header for the next service. */
export const toTraceparent = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

export const newTraceId = (): string => randomBytes(16).toString('hex');
export const newSpanId = (): string => randomBytes(8).toString('hex');
