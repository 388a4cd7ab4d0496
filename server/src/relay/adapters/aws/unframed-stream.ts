import type { UpstreamError } from '../../errors/upstream-error.js';
import { WrappedStream } from '../../pass-through/wrapped-stream.js';
import type { ServerEvent } from '../../sse/event.js';
import { AwsFrames, exceptionOf } from './frames.js';

/** Converts AWS's frames to the server-sent events they contain, for a stream that reads those. */
export class UnframedStream extends WrappedStream {
  private readonly frames = new AwsFrames();
  private exception: UpstreamError | null = null;

  push(bytes: Buffer): Buffer | string | null {
    if (this.exception) return null;
    const events = this.frames.push(bytes);
    const broken = events.findIndex(({ type }) => type === 'exception');
    const good = broken === -1 ? events : events.slice(0, broken);
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
