import type { FrameParser } from '../../contract.js';
import { EventBlocks, eachEvent, type EventBlock } from '../../wire/sse/event-blocks.js';
import { parseEvent } from '../../wire/sse/event-parser.js';
import type { ServerEvent } from '../../wire/sse/event.js';

/** Parses event streams that deviate from the server-sent events format. */
export class BlockFrames implements FrameParser {
  private readonly blocks = new EventBlocks();

  /** @param read parses the text between two empty lines */
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

/** Errors arrive as a JSON line between the events, without `data:`. */
export const plainJsonFrames = (): FrameParser =>
  new BlockFrames((text) => {
    const trimmed = text.trim();
    if (trimmed.startsWith('{')) return [{ type: '', data: trimmed }];
    const event = parseEvent(text);
    return event ? [event] : [];
  });
