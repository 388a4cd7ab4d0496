import type { StreamTransform } from '../adapter.js';
import type { UpstreamError } from '../errors/upstream-error.js';
import type { TextMeter } from '../metering/text-meter.js';
import type { StreamReader, StreamWriter } from '../neutral/codec.js';
import type { NeutralEvent } from '../neutral/event.js';
import { asFields, asFieldsList, asText, parseFields } from '../neutral/fields.js';
import { reportEvent } from '../neutral/report.js';
import { dataEvent, doneEvent } from '../protocols/openai/chunks.js';
import { WrappedStream } from '../pass-through/wrapped-stream.js';
import { EventParser } from '../sse/event-parser.js';
import { noUsage, type Usage } from '../../shared/usage.js';

/** The end of a server-sent event. */
const betweenEvents = /(?<=\r?\n\r?\n)/;

/**
 * A stream in the client's dialect that can end at any event with the reason "length". What comes goes on as it came, and
 * is read and written once more beside it, so that the writer knows what is open when the stream has to end.
 */
export class BoundedStream extends WrappedStream {
  stoppedAt: number | null = null;
  private readonly parser = new EventParser();
  /** Answers that have begun, and those that are over. */
  private readonly begun = new Set<number>();
  private readonly over = new Set<number>();
  private ended = false;

  /**
   * @param reader reads the dialect that `inner` writes
   * @param meter counts what goes to the client
   * @param rewrites the client gets the output of the writer from the start, because its form is not that of `inner`
   */
  constructor(
    inner: StreamTransform,
    private readonly reader: StreamReader,
    private readonly writer: StreamWriter,
    private readonly meter: TextMeter,
    private readonly maxTokens: number,
    private readonly rewrites: boolean,
  ) {
    super(inner);
  }

  push(bytes: Buffer): string | null {
    const out = this.forward(this.inner.push(bytes));
    return (this.inner.done ? out + this.finish() : out) || null;
  }

  end(): string | null {
    const out = this.forward(this.inner.end());
    return (this.inner.failure ? out : out + this.finish()) || null;
  }

  override closing(usage: Usage): Buffer | string {
    return this.rewrites || this.stoppedAt !== null ? this.writer.closing(usage) : this.inner.closing(usage);
  }

  override get done(): boolean {
    return this.stoppedAt !== null || this.inner.done;
  }

  override get failure(): UpstreamError | null {
    return this.stoppedAt === null ? this.inner.failure : null;
  }

  private forward(said: Buffer | string | null): string {
    if (said === null || this.ended) return '';
    let out = '';
    for (const event of said.toString('utf8').split(betweenEvents)) {
      const written = this.write(event);
      out += this.rewrites ? written : event;
      if (this.meter.exceeds(this.maxTokens)) return out + this.stop();
    }
    return out;
  }

  private write(text: string): string {
    const events = this.parser
      .push(Buffer.from(text))
      .flatMap((event) => this.reader.push(event))
      .filter(({ kind }) => kind !== 'error');
    for (const each of events) this.note(each);
    return events.length === 0 ? '' : this.writer.push(events);
  }

  private note(event: NeutralEvent): void {
    reportEvent(event, this.meter);
    if (event.kind === 'finish') this.over.add(event.choice);
    else if ('choice' in event) this.begun.add(event.choice);
  }

  private stop(): string {
    this.stoppedAt = this.meter.countedSoFar;
    this.ended = true;
    const open = [...this.begun].filter((choice) => !this.over.has(choice));
    const choices = open.length > 0 || this.over.size > 0 ? open : [0];
    return (
      this.writer.push(choices.map((choice) => ({ kind: 'finish', choice, reason: 'length' }))) + this.writer.end()
    );
  }

  /** A stream that holds its end back until the call is charged names its finish reason there. */
  private finish(): string {
    if (this.ended || !this.rewrites) return '';
    const out = this.forward(this.inner.closing(this.inner.usage() ?? noUsage));
    if (this.ended) return out;
    this.ended = true;
    return out + this.writer.end();
  }
}

/** The same for completions of a prompt, which no other dialect knows: the bytes go on as they came. */
export class BoundedCompletions extends WrappedStream {
  stoppedAt: number | null = null;
  private readonly parser = new EventParser();
  private last: Readonly<Record<string, unknown>> = {};

  constructor(
    inner: StreamTransform,
    private readonly meter: TextMeter,
    private readonly maxTokens: number,
  ) {
    super(inner);
  }

  push(bytes: Buffer): Buffer | string | null {
    return this.counted(this.inner.push(bytes));
  }

  end(): Buffer | string | null {
    return this.stoppedAt === null ? this.inner.end() : null;
  }

  override closing(usage: Usage): Buffer | string {
    if (this.stoppedAt === null) return this.inner.closing(usage);
    const { usage: _usage, ...chunk } = this.last;
    return (
      dataEvent({ ...chunk, choices: [{ index: 0, text: '', logprobs: null, finish_reason: 'length' }] }) + doneEvent
    );
  }

  override get done(): boolean {
    return this.stoppedAt !== null || this.inner.done;
  }

  private counted(said: Buffer | string | null): Buffer | string | null {
    if (said === null) return null;
    for (const { data } of this.parser.push(typeof said === 'string' ? Buffer.from(said) : said)) {
      const chunk = asFields(parseFields(data));
      if (!chunk) continue;
      this.last = chunk;
      for (const choice of asFieldsList(chunk['choices'])) {
        const text = asText(choice['text']);
        if (text !== '') this.meter.text(text);
      }
    }
    if (this.meter.exceeds(this.maxTokens)) this.stoppedAt = this.meter.countedSoFar;
    return said;
  }
}
