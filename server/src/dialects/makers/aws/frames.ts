import { AppError } from '../../../shared/errors.js';
import type { FrameParser } from '../../contract.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { asText, type Fields, parseFields } from '../../neutral/fields.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { frameCodec } from '../../wire/aws-frames.js';
import { WrappedStream } from '../../wire/pass-through/wrapped-stream.js';

/**
 * Bytes of the lengths and checksums around every message: total length, header length, and one checksum at each end.
 */
const smallestFrame = 16;
const maxFrame = 16 * 1024 * 1024;

/**
 * `application/vnd.amazon.eventstream` (docs/reference/providers/aws.md#streams). An exception becomes an event of that
 * type.
 */
export class AwsFrames implements FrameParser {
  private waiting: Buffer = Buffer.alloc(0);

  /** @throws AppError UPSTREAM_INVALID_RESPONSE when the bytes are not frames */
  push(bytes: Buffer): ServerEvent[] {
    this.waiting = this.waiting.length === 0 ? bytes : Buffer.concat([this.waiting, bytes]);
    const events: ServerEvent[] = [];
    while (this.waiting.length >= 4) {
      const length = this.waiting.readUInt32BE(0);
      if (length < smallestFrame || length > maxFrame) throw broken();
      if (this.waiting.length < length) break;
      const event = toEvent(this.waiting.subarray(0, length));
      this.waiting = this.waiting.subarray(length);
      if (event) events.push(event);
    }
    return events;
  }

  /** A truncated frame is ignored. */
  end(): ServerEvent[] {
    return [];
  }
}

function toEvent(frame: Buffer): ServerEvent | null {
  const { headers, body } = decode(frame);
  const payload = Buffer.from(body).toString('utf8');
  const kind = headers[':message-type']?.value;
  if (kind === 'exception' || kind === 'error') {
    const type = headers[':exception-type']?.value ?? headers[':error-code']?.value ?? '';
    return { type: 'exception', data: JSON.stringify({ type, message: asText(parseFields(payload)?.['message']) }) };
  }
  const inner = parseFields(payload)?.['bytes'];
  if (typeof inner !== 'string') return null;
  const event = parseFields(Buffer.from(inner, 'base64').toString('utf8'));
  return event ? { type: asText(event['type']), data: JSON.stringify(withoutMetrics(event)) } : null;
}

function decode(frame: Buffer): ReturnType<(typeof frameCodec)['decode']> {
  try {
    return frameCodec.decode(frame);
  } catch (error) {
    throw broken(error);
  }
}

const broken = (cause?: unknown): AppError =>
  new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream sent invalid frames', { cause });

/** Removes the host's metrics, which clients must not see and which repeat the usage of the event. */
function withoutMetrics(event: Fields): Fields {
  const { 'amazon-bedrock-invocationMetrics': _metrics, ...rest } = event;
  return rest;
}

const statuses: Readonly<Record<string, number>> = {
  throttlingException: 429,
  validationException: 400,
  accessDeniedException: 403,
  modelNotReadyException: 503,
  serviceUnavailableException: 503,
  modelTimeoutException: 504,
};

/** @returns null for every event that is not an exception */
export function exceptionOf({ type, data }: ServerEvent): UpstreamError | null {
  if (type !== 'exception') return null;
  const reported = parseFields(data);
  const code = asText(reported?.['type']);
  return new UpstreamError(statuses[code] ?? 502, {
    message: asText(reported?.['message']) || `The upstream ended with ${code}`,
    type: 'upstream_error',
    code,
  });
}

/** Converts AWS's frames to the server-sent events they contain, for a stream that reads those. */
export class UnframedStream extends WrappedStream {
  private readonly frames = new AwsFrames();
  private exception: UpstreamError | null = null;

  push(bytes: Buffer): Buffer | string | null {
    if (this.exception) return null;
    const events = this.frames.push(bytes);
    const broken = events.findIndex(({ type }) => type === 'exception');
    const good = broken < 0 ? events : events.slice(0, broken);
    const last = events[broken];
    if (last) this.exception = exceptionOf(last);
    return good.length === 0 ? null : this.inner.push(Buffer.from(good.map(written).join('')));
  }

  end(): Buffer | string | null {
    return this.exception ? null : this.inner.end();
  }

  override get failure(): UpstreamError | null {
    return this.exception ?? this.inner.failure;
  }
}

const written = ({ type, data }: ServerEvent): string => `event: ${type}\ndata: ${data}\n\n`;
