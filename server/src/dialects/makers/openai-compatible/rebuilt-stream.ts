import type { Transcript } from '../../contract.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { laterUsage, type Usage } from '../../../shared/usage.js';
import { dataEvent, doneEvent, isShort, usageChunk } from '../../languages/openai/chunks.js';
import { ChunkRepair, type CallEnding } from '../../languages/openai/loose-calls.js';
import { reportChoices } from '../../languages/openai/chat-parts.js';
import { parseFields, type Json } from '../../neutral/fields.js';
import { readError, toUpstreamError } from '../../errors/read-upstream-error.js';
import { chatUsage } from '../../languages/openai/usage.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { EventStream } from '../../wire/sse/event-stream.js';

/** Converts one chunk of the provider to the chunks of the client: none, the same one or several. */
export type ChunkRewrite = (chunk: Json) => Json[];

export interface RebuiltStreamDeps {
  /**
   * Converts a chunk to the family's shape.
   * @throws UpstreamError for an error in the provider's own shape
   */
  readonly normalize: (chunk: Json) => Json;
  readonly rewrite: ChunkRewrite;
  /** The chunk to send at the end of the stream, if any. */
  readonly close: () => Json | null;
  /** Removes what the client must not get, from every chunk of the provider and of this stream. */
  readonly shape: (chunk: Json) => Json;
  readonly ending: CallEnding;
  /** Names of events that contain chunks; undefined: all. */
  readonly eventTypes: readonly string[] | undefined;
}

/**
 * A stream in the client's dialect that is rebuilt chunk by chunk: for providers whose chunks differ, and for channel
 * settings that change chunks.
 */
export class RebuiltStream extends EventStream {
  private reported: Usage | null = null;
  /** The last usage report, unchanged. */
  private lastReport: Usage | null = null;
  /** The usage chunk, which has no choices and comes after all others. */
  private usageOnly: Json | null = null;
  private last: Json = {};
  private finished = false;
  private readonly repair: ChunkRepair;
  done = false;
  failure: UpstreamError | null = null;

  constructor(
    private readonly deps: RebuiltStreamDeps,
    private readonly wantsUsage: boolean,
    private readonly transcript: Transcript,
  ) {
    super();
    this.repair = new ChunkRepair(deps.ending);
  }

  protected translate({ type, data }: ServerEvent): string {
    const { eventTypes } = this.deps;
    if (type !== '' && eventTypes && !eventTypes.includes(type)) return '';
    if (data.startsWith('[DONE]')) {
      this.done = true;
      return this.closeChunk();
    }
    const chunk = this.read(data);
    if (!chunk) return '';
    this.last = chunk;
    const usage = chatUsage(chunk);
    if (usage) {
      this.lastReport = usage;
      this.reported = laterUsage(this.reported, usage);
    }
    if (reportChoices(chunk['choices'], 'delta', this.transcript)) this.finished = true;
    if (usage && !(Array.isArray(chunk['choices']) && chunk['choices'].length > 0)) {
      this.usageOnly = chunk;
      return '';
    }
    return this.rewritten(this.repair.repair(chunk));
  }

  protected finish(): string {
    return this.done ? '' : this.closeChunk();
  }

  closing(usage: Usage): string {
    const missing = this.repair.missingEnd(this.last);
    return (missing ? this.rewritten(missing) : '') + this.lastEvents(usage);
  }

  private lastEvents(usage: Usage): string {
    if (!this.wantsUsage) return doneEvent;
    if (!this.lastReport || isShort(this.lastReport, usage)) return usageChunk(this.last, usage) + doneEvent;
    return this.usageOnly ? this.written(this.usageOnly) + doneEvent : doneEvent;
  }

  usage(): Usage | null {
    return this.reported;
  }

  get complete(): boolean {
    // Usage next to choices is not the end of a stream: some providers report it in every chunk.
    return this.done || this.finished || this.usageOnly !== null;
  }

  /** @returns null when the event contains no usable chunk */
  private read(data: string): Json | null {
    const received = parseFields(data);
    if (!received) return null;
    if (received['error'] && readError(received)) {
      this.failure = toUpstreamError(502, data);
      return null;
    }
    try {
      return this.deps.normalize({ ...received });
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      this.failure = error;
      return null;
    }
  }

  private closeChunk(): string {
    const chunk = this.deps.close();
    return chunk ? this.written(chunk) : '';
  }

  private rewritten(chunk: Json): string {
    return this.deps
      .rewrite(chunk)
      .map((each) => this.written(each))
      .join('');
  }

  private written(chunk: Json): string {
    return dataEvent(this.deps.shape(chunk));
  }
}
