import { AppError } from '../../../shared/errors.js';
import type { StreamTransform, Transcript } from '../../contract.js';
import type { UpstreamError } from '../../errors/upstream-error.js';
import type { Usage } from '../../../shared/usage.js';
import { EventBlocks, eachEvent, type EventBlock } from '../sse/event-blocks.js';
import { eventsOf, parseEvent } from '../sse/event-parser.js';
import { KeptEvents } from '../sse/kept-events.js';
import type { StreamReader } from '../../neutral/codec.js';
import { parseFields, type Fields } from '../../neutral/fields.js';
import { reportEvent } from '../../neutral/report.js';

/** Extracts from the events of one dialect the values that the relay needs. */
export interface NativeListener {
  /**
   * Finds, in raw text, the events that have to be parsed. Quotes inside JSON text are escaped, so content cannot
   * match.
   */
  readonly marks: RegExp;
  /** @returns whether this event ends the stream: it and everything after it are sent after the call was charged */
  read(event: Fields): boolean;
  usage(): Usage | null;
  /** Whether the provider marked its response as complete. */
  readonly complete: boolean;
  /** Whether the end marker was received. */
  readonly done: boolean;
  readonly failure: UpstreamError | null;
  /** See `StreamTransform`. */
  readonly reportedFailure?: UpstreamError | undefined;
  /** The provider's id of the response, in dialects whose providers store responses. */
  readonly answerId?: string | undefined;
  /** The last encrypted reasoning of the response, in dialects that have it. */
  readonly proof?: string | undefined;
  /** See `StreamTransform`. */
  readonly givenIds?: readonly string[] | undefined;
}

/** Maximum bytes of the held end of a stream. It is one event, which in Responses repeats the whole response. */
const heldLimit = 64 * 1024 * 1024;

/** Forwards a stream in the client's dialect unchanged, and inspects it. */
export class NativeStream implements StreamTransform {
  private readonly blocks = new EventBlocks();
  /** Unparsed events, in case they have to be counted. */
  private readonly kept = new KeptEvents();
  private held: Buffer[] = [];
  private heldLength = 0;

  /** @param reader reports the content of events, if they have to be counted */
  constructor(
    private readonly listener: NativeListener,
    private readonly reader: StreamReader,
    private readonly transcript: Transcript,
  ) {}

  push(bytes: Buffer): Buffer | null {
    if (this.listener.done || this.listener.failure) return null;
    const block = this.blocks.push(bytes);
    return block ? this.forward(block) : null;
  }

  end(): Buffer | null {
    if (this.listener.done || this.listener.failure) return null;
    const rest = this.blocks.rest();
    if (!rest) return null;
    // Some providers omit the last empty line.
    return this.forward({ bytes: Buffer.concat([rest.bytes, Buffer.from('\n\n')]), text: `${rest.text}\n\n` });
  }

  report(): void {
    for (const event of eventsOf(this.kept.take())) {
      for (const each of this.reader.push(event)) reportEvent(each, this.transcript);
    }
  }

  closing(): Buffer {
    return Buffer.concat(this.held);
  }

  usage(): Usage | null {
    return this.listener.usage();
  }

  get answerId(): string | undefined {
    return this.listener.answerId;
  }

  get proof(): string | undefined {
    return this.listener.proof;
  }

  get givenIds(): readonly string[] | undefined {
    return this.listener.givenIds;
  }

  get reportedFailure(): UpstreamError | undefined {
    return this.listener.reportedFailure;
  }

  get done(): boolean {
    return this.listener.done;
  }

  get complete(): boolean {
    return this.listener.complete;
  }

  get failure(): UpstreamError | null {
    return this.listener.failure;
  }

  private forward(block: EventBlock): Buffer | null {
    if (this.kept.add(block)) this.report();
    if (this.held.length === 0 && !this.listener.marks.test(block.text)) return block.bytes;
    let until = this.held.length === 0 ? block.bytes.length : 0;
    eachEvent(block.text, (start, end) => {
      if (this.listener.failure) return;
      const text = block.text.slice(start, end);
      const ends = this.listener.marks.test(text) && this.listen(block.bytes.toString('utf8', start, end));
      if (this.listener.failure || ends) until = Math.min(until, start);
    });
    if (this.listener.failure) return until === 0 ? null : block.bytes.subarray(0, until);
    if (until < block.bytes.length) this.hold(block.bytes.subarray(until));
    return until === 0 ? null : block.bytes.subarray(0, until);
  }

  private listen(text: string): boolean {
    const event = parseEvent(text);
    const fields = event ? parseFields(event.data) : null;
    return fields ? this.listener.read(fields) : false;
  }

  private hold(bytes: Buffer): void {
    this.held.push(bytes);
    this.heldLength += bytes.length;
    if (this.heldLength > heldLimit)
      throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is too large');
  }
}
