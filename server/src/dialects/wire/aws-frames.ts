import { EventStreamCodec } from '@smithy/eventstream-codec';

/** Reads and writes messages of `application/vnd.amazon.eventstream`. */
export const frameCodec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
  (text) => Buffer.from(text, 'utf8'),
);

/** Writes one message with JSON in it. */
export function toFrame(headers: Readonly<Record<string, string>>, body: string): Uint8Array {
  const typed = Object.entries(headers).map(([name, value]) => [name, { type: 'string', value }] as const);
  return frameCodec.encode({
    headers: { ...Object.fromEntries(typed), ':content-type': { type: 'string', value: 'application/json' } },
    body: Buffer.from(body),
  });
}
