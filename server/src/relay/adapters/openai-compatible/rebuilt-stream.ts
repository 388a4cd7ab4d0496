import type { Transcript, UpstreamError, Usage } from '../../adapter.js';
import { dataEvent, doneEvent, usageChunk } from '../../protocols/openai/chunks.js';
import { tellChoices } from '../../protocols/openai/chat-parts.js';
import { readError, toUpstreamError } from '../../protocols/openai/upstream-error.js';
import { toUsage } from '../../protocols/openai/usage.js';
import type { ServerEvent } from '../../sse/event.js';
import type { EventTransform } from '../../sse/event-stream.js';

type Fields = Record<string, unknown>;

/** Changes one chunk into what the client gets: none, the same or several. */
export type ChunkRewrite = (chunk: Fields) => Fields[];

/** A stream of the client's dialect that is rebuilt chunk by chunk, for channel settings that change what chunks say. */
export class RebuiltStream implements EventTransform {
  private reported: Usage | null = null;
  private usageOnly: Fields | null = null;
  private last: Fields = {};
  private finished = false;
  done = false;
  failure: UpstreamError | null = null;

  constructor(
    private readonly rewrite: ChunkRewrite,
    private readonly wantsUsage: boolean,
    private readonly heard: Transcript,
    private readonly closeReasoning: () => Fields | null = () => null,
  ) {}

  push({ data }: ServerEvent): string {
    if (data.startsWith('[DONE]')) {
      this.done = true;
      return this.finish();
    }
    let chunk: Fields;
    try {
      chunk = JSON.parse(data) as Fields;
    } catch {
      return '';
    }
    if (chunk['error'] && readError(chunk)) {
      this.failure = toUpstreamError(502, data);
      return '';
    }
    this.last = chunk;
    const usage = toUsage(chunk['usage']);
    if (usage) this.reported = usage;
    if (tellChoices(chunk['choices'], 'delta', this.heard)) this.finished = true;
    if (usage && !(Array.isArray(chunk['choices']) && chunk['choices'].length > 0)) {
      this.usageOnly = chunk;
      return '';
    }
    return this.rewrite(chunk).map(dataEvent).join('');
  }

  end(): string {
    return this.done ? '' : this.finish();
  }

  closing(usage: Usage): string {
    if (!this.wantsUsage) return doneEvent;
    if (this.usageOnly) return dataEvent(this.usageOnly) + doneEvent;
    return this.reported ? doneEvent : usageChunk(this.last, usage) + doneEvent;
  }

  usage(): Usage | null {
    return this.reported;
  }

  get complete(): boolean {
    return this.done || this.finished || this.reported !== null;
  }

  private finish(): string {
    const chunk = this.closeReasoning();
    return chunk ? dataEvent(chunk) : '';
  }
}
