/** Values of attributes. Whole numbers are sent as integers. */
export type AttributeValue = string | number | boolean | readonly string[];

/** Attributes by name; undefined ones are not sent. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** The numbers of `opentelemetry.proto.trace.v1.Span.SpanKind`. */
export const spanKind = { server: 2, client: 3 } as const;

/** A span that has ended. */
export interface EndedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly traceState: string;
  readonly name: string;
  readonly kind: (typeof spanKind)[keyof typeof spanKind];
  /** The start by `performance.now()`, in milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  /** The error type; null if there was no error. */
  readonly error: string | null;
}
