import type { FrameParser, Transcript } from '../contract.js';
import type { UpstreamError } from '../errors/upstream-error.js';
import { laterUsage, type Usage } from '../../shared/usage.js';
import type { ServerEvent } from '../wire/sse/event.js';
import { EventStream } from '../wire/sse/event-stream.js';
import type { StreamReader, StreamWriter } from './codec.js';
import type { NeutralEvent } from './event.js';
import { reportEvent } from './report.js';

/** A provider's stream, read in its dialect and written in the client's. */
export class TranslatedStream extends EventStream {
  private reported: Usage | null = null;
  private finished = false;
  private ended = false;
  failure: UpstreamError | null = null;

  /** @param frames splits the provider's bytes into events, if they are not server-sent events */
  constructor(
    private readonly reader: StreamReader,
    private readonly writer: StreamWriter,
    private readonly transcript: Transcript,
    frames?: FrameParser,
  ) {
    super(frames);
  }

  protected translate(event: ServerEvent): string {
    const events = this.reader.push(event);
    if (events.length === 0) return this.reader.done ? this.finish() : '';
    const failed = events.findIndex((each) => each.kind === 'error');
    const good = failed < 0 ? events : events.slice(0, failed);
    for (const each of good) this.note(each);
    const out = good.length === 0 ? '' : this.writer.push(good);
    const error = events[failed];
    if (error?.kind === 'error') this.failure = error.error;
    // `end` is not called again for a stream whose end marker was read.
    return this.reader.done ? out + this.finish() : out;
  }

  protected finish(): string {
    if (this.ended) return '';
    this.ended = true;
    return this.writer.end();
  }

  closing(usage: Usage): string {
    return this.writer.closing(usage);
  }

  usage(): Usage | null {
    return this.reported;
  }

  get done(): boolean {
    return this.reader.done;
  }

  get complete(): boolean {
    return this.finished || this.reader.done;
  }

  private note(event: NeutralEvent): void {
    if (event.kind === 'usage') this.reported = laterUsage(this.reported, event.usage);
    else if (event.kind === 'finish') this.finished = true;
    else reportEvent(event, this.transcript);
  }
}
