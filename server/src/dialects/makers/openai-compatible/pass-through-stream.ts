import type { StreamTransform, Transcript } from '../../contract.js';
import type { UpstreamError } from '../../errors/upstream-error.js';
import { laterUsage, type Usage } from '../../../shared/usage.js';
import { dataEvent, doneEvent, isShort, usageChunk } from '../../languages/openai/chunks.js';
import { reportChoices } from '../../languages/openai/chat-parts.js';
import { ChunkRepair, type CallEnding } from '../../languages/openai/loose-calls.js';
import { nextPlainChunk } from '../../languages/openai/plain-chunk.js';
import { readError, toUpstreamError } from '../../errors/read-upstream-error.js';
import { chatUsage } from '../../languages/openai/usage.js';
import { EventBlocks, eachEvent, startOfEvent, type EventBlock } from '../../wire/sse/event-blocks.js';
import { eventsOf, parseEvent } from '../../wire/sse/event-parser.js';
import { detached } from '../../wire/sse/detached.js';
import { KeptEvents } from '../../wire/sse/kept-events.js';
import { parseExact } from '../../../shared/exact-json.js';
import { asFields, parseFields, type Json } from '../../neutral/fields.js';

/**
 * A key `usage` or `error` whose value is an object or text, and a call: `"usage":null` on every chunk is not worth parsing. Quotes
 * inside JSON text are escaped, so content cannot match. Two searches take half the time of one for both.
 */
const reportMark = /"(?:usage|error)"\s*:\s*["{]/g;
const callMark = /"tool_calls"\s*:\s*\[\s*\{/g;
/**
 * Once a tool was called, finish reasons too. The first group is the index of a piece that has only an index and a short text, as nearly
 * all later pieces of a call.
 */
const markAfterCall =
  /"(?:usage|error|finish_reason)"\s*:\s*["{]|"tool_calls"\s*:\s*\[\s*\{(?:"index":(\d{1,4}),"function":\{"arguments":"(?:[^"\\]|\\.){0,400}"\}\}\])?/g;

/**
 * Forwards a stream in the client's dialect. Bytes stay unchanged; only events with usage, an error or a tool call, found by a
 * text search, are parsed, and rewritten if a strict client could not read them. The usage chunk is held back: whether and when the
 * client gets it is decided at the end.
 */
export class PassThroughStream implements StreamTransform {
  private readonly blocks = new EventBlocks();
  /** Unparsed events, in case they have to be counted. */
  private readonly kept = new KeptEvents();
  private reported: Usage | null = null;
  /** The last usage report, unchanged. */
  private lastReport: Usage | null = null;
  /** The usage chunk, which has no choices and comes after all others. */
  private usageEvent: Buffer | null = null;
  /** Id, time and model of the stream, for a usage chunk that the upstream does not send. */
  private head: Json | null = null;
  private finished = false;
  /** Null until an event with choices had to be parsed. */
  private repair: ChunkRepair | null = null;
  done = false;
  failure: UpstreamError | null = null;

  constructor(
    private readonly wantsUsage: boolean,
    private readonly transcript: Transcript,
    private readonly ending: CallEnding = 'tool_calls',
  ) {}

  push(bytes: Buffer): Buffer | null {
    if (this.done || this.failure) return null;
    const block = this.blocks.push(bytes);
    return block ? this.forward(block) : null;
  }

  end(): Buffer | null {
    if (this.done || this.failure) return null;
    const rest = this.blocks.rest();
    if (!rest) return null;
    const bytes = Buffer.concat([rest.bytes, Buffer.from('\n\n')]);
    return this.forward({ bytes, text: `${rest.text}\n\n` });
  }

  usage(): Usage | null {
    return this.reported;
  }

  get complete(): boolean {
    // Usage next to choices is not the end of a stream: some providers report it in every chunk.
    if (this.done || this.usageEvent) return true;
    this.report();
    return this.finished;
  }

  report(): void {
    const block = this.kept.take();
    if (!block) return;
    const { text, bytes } = block;
    let plain = nextPlainChunk(text, 0);
    let said = '';
    eachEvent(text, (start, end) => {
      if (plain.start < start) plain = nextPlainChunk(text, start);
      if (plain.end < end && text.startsWith('data:', start)) {
        if (!this.head) this.begin(parseFields(parseEvent(text.slice(start, end))?.data ?? ''));
        said += plain.said;
        return;
      }
      if (said !== '') this.transcript.text(detached(said));
      said = '';
      this.read(bytes.subarray(start, end));
    });
    if (said !== '') this.transcript.text(detached(said));
  }

  closing(usage: Usage): Buffer | string {
    const missing = this.repair?.missingEnd(this.head ?? {});
    if (!missing) return this.lastEvents(usage);
    return Buffer.concat([Buffer.from(dataEvent(missing)), Buffer.from(this.lastEvents(usage))]);
  }

  private lastEvents(usage: Usage): Buffer | string {
    if (!this.wantsUsage) return doneEvent;
    if (!this.lastReport || isShort(this.lastReport, usage)) return usageChunk(this.head ?? {}, usage) + doneEvent;
    // Usage in a chunk with choices was already forwarded with it.
    return this.usageEvent ? Buffer.concat([this.usageEvent, Buffer.from(doneEvent)]) : doneEvent;
  }

  protected forward(block: EventBlock): Buffer | null {
    const { text, bytes } = block;
    if (this.kept.add(block)) this.report();
    let markAt = this.nextMark(text, 0);
    let doneAt = nextDone(text, 0);
    if (markAt === Infinity && doneAt === Infinity) return bytes;

    const pieces: Buffer[] = [];
    let from = 0;
    const stopAt = (start: number): void => {
      if (start > from) pieces.push(bytes.subarray(from, start));
    };
    const look = (start: number, end: number): void => {
      if (this.done || this.failure) return;
      if (doneAt < start) doneAt = nextDone(text, start);
      if (doneAt < end && isDone(text.slice(start, end))) {
        this.done = true;
        stopAt(start);
        from = text.length;
        return;
      }
      if (markAt < start) markAt = this.nextMark(text, start);
      if (markAt >= end) return;
      const event = bytes.subarray(start, end);
      const shown = this.look(event);
      if (shown === event) return;
      stopAt(start);
      if (shown) pieces.push(shown);
      from = this.failure ? text.length : end;
    };
    // One read may bring a hundred events of which the last two matter.
    eachEvent(text, look, startOfEvent(text, Math.min(markAt, doneAt)));
    if (from === 0) return bytes;
    stopAt(text.length);
    return pieces.length === 0 ? null : pieces.length === 1 ? (pieces[0] ?? null) : Buffer.concat(pieces);
  }

  /** @returns Infinity when there is none */
  private nextMark(text: string, start: number): number {
    const { repair } = this;
    if (!repair) return Math.min(nextMatch(reportMark, text, start), nextMatch(callMark, text, start));
    markAfterCall.lastIndex = start;
    for (let found = markAfterCall.exec(text); found; found = markAfterCall.exec(text)) {
      const index = found[1];
      if (index === undefined || !repair.isSoundAt(Number(index))) return found.index;
    }
    return Infinity;
  }

  private begin(chunk: Json | null): void {
    if (this.head || typeof chunk?.['id'] !== 'string') return;
    const { id, created, model } = chunk;
    this.head = { id: detached(id), created, model: typeof model === 'string' ? detached(model) : model };
  }

  private read(bytes: Buffer): void {
    const [event] = eventsOf({ bytes, text: bytes.toString('latin1') });
    const chunk = event ? parseFields(event.data) : null;
    if (!chunk) return;
    this.begin(chunk);
    if (reportChoices(chunk['choices'], 'delta', this.transcript)) this.finished = true;
  }

  /** @returns the event to forward now: the same bytes when nothing is wrong with it, null for none */
  private look(bytes: Buffer): Buffer | null {
    const [event] = eventsOf({ bytes, text: bytes.toString('latin1') });
    const chunk = event ? asFields(parseExact(event.data)) : null;
    if (!chunk) return bytes;
    if (chunk['error']) {
      const error = readError(chunk);
      if (error) {
        this.failure = toUpstreamError(502, JSON.stringify(chunk));
        return null;
      }
    }
    const usage = chatUsage(chunk);
    if (!usage) return this.repaired(chunk, bytes);
    this.begin(chunk);
    this.lastReport = usage;
    this.reported = laterUsage(this.reported, usage);
    const choices = chunk['choices'];
    if (Array.isArray(choices) && choices.length > 0) return this.repaired(chunk, bytes);
    this.usageEvent = bytes;
    return null;
  }

  private repaired(chunk: Json, bytes: Buffer): Buffer {
    this.begin(chunk);
    this.repair ??= new ChunkRepair(this.ending);
    const shown = this.repair.repair(chunk);
    return shown === chunk ? bytes : Buffer.from(dataEvent(shown));
  }
}

const audioId = /"audio"\s*:\s*\{[^{}]*?"id"\s*:\s*"([\w-]{1,200})"/g;

/** A stream with audio. The client may name the audio's id in its next request. */
export class SpokenStream extends PassThroughStream {
  private readonly ids = new Set<string>();

  get givenIds(): readonly string[] {
    return [...this.ids];
  }

  protected override forward(block: EventBlock): Buffer | null {
    for (const [, id = ''] of block.text.matchAll(audioId)) this.ids.add(detached(id));
    return super.forward(block);
  }
}

/** @returns Infinity when there is none */
function nextMatch(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.exec(text)?.index ?? Infinity;
}

const done = '[DONE]';

/** @returns Infinity when there is none */
function nextDone(text: string, start: number): number {
  const at = text.indexOf(done, start);
  return at < 0 ? Infinity : at;
}

/** Comments, a name or an id may stand before the data. */
const isDone = (event: string): boolean => parseEvent(event)?.data.trimStart().startsWith(done) === true;
