import type { FrameParser } from '../../adapter.js';
import { EventBlocks, eachEvent, type EventBlock } from '../../sse/event-blocks.js';
import { parseEvent } from '../../sse/event-parser.js';
import type { ServerEvent } from '../../sse/event.js';

/** Server-sent events of providers that put more into them than the format knows. */
export class BlockFrames implements FrameParser {
  private readonly blocks = new EventBlocks();

  /** @param read the text between two blank lines */
  constructor(private readonly read: (block: string) => ServerEvent[]) {}

  push(bytes: Buffer): ServerEvent[] {
    return this.eventsOf(this.blocks.push(bytes));
  }

  end(): ServerEvent[] {
    return this.eventsOf(this.blocks.rest());
  }

  private eventsOf(block: EventBlock | null): ServerEvent[] {
    const events: ServerEvent[] = [];
    if (!block) return events;
    eachEvent(block.text, (start, end) => events.push(...this.read(block.bytes.toString('utf8', start, end))));
    return events;
  }
}

/** Errors come as a line of JSON in the middle of the events, without `data:`. */
export const plainJsonFrames = (): FrameParser =>
  new BlockFrames((text) => {
    const trimmed = text.trim();
    if (trimmed.startsWith('{')) return [{ type: '', data: trimmed }];
    const event = parseEvent(text);
    return event ? [event] : [];
  });
