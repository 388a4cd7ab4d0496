import type { FrameParser } from '../contract.js';
import { EventBlocks, type EventBlock } from './sse/event-blocks.js';
import type { ServerEvent } from './sse/event.js';

/** Parses a stream of JSON objects, one on each line. A gateway may send the lines as data of server-sent events. */
export class LineFrames implements FrameParser {
  private readonly lines = new EventBlocks(undefined, (text) => text.lastIndexOf('\n') + 1 || -1);

  /** @throws AppError UPSTREAM_INVALID_RESPONSE if a line is too long */
  push(bytes: Buffer): ServerEvent[] {
    return eventsOf(this.lines.push(bytes));
  }

  end(): ServerEvent[] {
    return eventsOf(this.lines.rest());
  }
}

const eventsOf = (block: EventBlock | null): ServerEvent[] =>
  (block?.bytes.toString('utf8') ?? '')
    .split('\n')
    .map((line) => line.replace(/^data:/, '').trim())
    .filter((line) => line.startsWith('{'))
    .map((data) => ({ type: '', data }));
