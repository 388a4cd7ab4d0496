import type { StreamTransform } from '../../dialects/contract.js';
import type { UpstreamError } from '../../dialects/errors/upstream-error.js';
import type { TextMeter } from '../reserve/metering/text-meter.js';
import type { StreamEnding } from '../../dialects/neutral/codec.js';
import { reportEvent } from '../../dialects/neutral/report.js';
import { WrappedStream } from '../../dialects/wire/pass-through/wrapped-stream.js';
import { EventParser } from '../../dialects/wire/sse/event-parser.js';
import type { Usage } from '../../shared/usage.js';

/** Matches the end of a server-sent event. */
const betweenEvents = /(?<=\r?\n\r?\n)/;

/**
 * A stream in the client's dialect that can end at any event with the reason "length". The bytes are forwarded
 * unchanged. A reader beside them counts their output and knows what is open when the stream has to end.
 */
export class BoundedStream extends WrappedStream {
  stoppedAt: number | null = null;
  private readonly parser = new EventParser();

  /**
   * @param ending reads the dialect that `inner` writes
   * @param meter counts the output sent to the client
   */
  constructor(
    inner: StreamTransform,
    private readonly ending: StreamEnding,
    private readonly meter: TextMeter,
    private readonly maxTokens: number,
  ) {
    super(inner);
  }

  push(bytes: Buffer): Buffer | string | null {
    return this.forward(this.inner.push(bytes));
  }

  end(): Buffer | string | null {
    return this.forward(this.inner.end());
  }

  override closing(usage: Usage): Buffer | string {
    return this.stoppedAt === null ? this.inner.closing(usage) : this.ending.end(usage);
  }

  override get done(): boolean {
    return this.stoppedAt !== null || this.inner.done;
  }

  override get complete(): boolean {
    return this.stoppedAt !== null || this.inner.complete;
  }

  override get failure(): UpstreamError | null {
    return this.stoppedAt === null ? this.inner.failure : null;
  }

  private forward(said: Buffer | string | null): Buffer | string | null {
    if (said === null || this.stoppedAt !== null) return null;
    let out = '';
    for (const event of said.toString('utf8').split(betweenEvents)) {
      out += event;
      for (const read of this.parser.push(Buffer.from(event)))
        for (const each of this.ending.push(read)) reportEvent(each, this.meter);
      if (!this.meter.exceeds(this.maxTokens)) continue;
      this.stoppedAt = this.meter.countedSoFar;
      return out;
    }
    return said;
  }
}
