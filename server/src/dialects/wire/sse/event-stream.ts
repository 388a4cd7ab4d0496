import type { FrameParser, StreamTransform } from '../../contract.js';
import type { UpstreamError } from '../../errors/upstream-error.js';
import type { Usage } from '../../../shared/usage.js';
import type { ServerEvent } from './event.js';
import { EventParser } from './event-parser.js';

/** A stream that is translated event by event: one event in, the client's text out. */
export abstract class EventStream implements StreamTransform {
  /** @param parser splits the provider's bytes into events */
  constructor(private readonly parser: FrameParser = new EventParser()) {}

  abstract readonly done: boolean;
  abstract readonly complete: boolean;
  abstract readonly failure: UpstreamError | null;
  abstract closing(usage: Usage): string;
  abstract usage(): Usage | null;
  /** @returns complete events in the client's dialect, '' for none */
  protected abstract translate(event: ServerEvent): string;
  protected abstract finish(): string;

  push(bytes: Buffer): string | null {
    return this.feed(this.parser.push(bytes)) || null;
  }

  end(): string | null {
    return this.feed(this.parser.end()) + this.finish() || null;
  }

  report(): void {
    // Every event was reported when it arrived.
  }

  private feed(events: ServerEvent[]): string {
    let out = '';
    for (const event of events) {
      if (this.done || this.failure) break;
      out += this.translate(event);
    }
    return out;
  }
}
