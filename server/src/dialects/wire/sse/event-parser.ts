import { EventBlocks, eachEvent, type EventBlock } from './event-blocks.js';
import type { ServerEvent } from './event.js';

/**
 * Parses bytes into events (`text/event-stream`): CRLF, comments, event names and data of several lines, split
 * anywhere.
 */
export class EventParser {
  private readonly blocks: EventBlocks;

  constructor(eventLimit?: number) {
    this.blocks = new EventBlocks(eventLimit);
  }

  push(bytes: Buffer): ServerEvent[] {
    return eventsOf(this.blocks.push(bytes));
  }

  /** An event at the end of the stream counts without its final empty line, because some providers omit it. */
  end(): ServerEvent[] {
    return eventsOf(this.blocks.rest());
  }
}

const beyondAscii = /[\x80-\xff]/;

/** The events of a block, without comments and events that have no data. */
export function eventsOf(block: EventBlock | null): ServerEvent[] {
  const events: ServerEvent[] = [];
  if (!block) return events;
  // Most events are ASCII, for which Latin-1 equals UTF-8.
  const isText = !beyondAscii.test(block.text);
  eachEvent(block.text, (start, end) => {
    const event = parseEvent(isText ? block.text.slice(start, end) : block.bytes.toString('utf8', start, end));
    if (event) events.push(event);
  });
  return events;
}

/** @returns null for comments and for events without a data line */
export function parseEvent(text: string): ServerEvent | null {
  return usualEvent(text) ?? anyEvent(text);
}

/**
 * Fast path for one line of data, optionally after an event name.
 * @returns null for any other form
 */
function usualEvent(text: string): ServerEvent | null {
  let type = '';
  let at = 0;
  if (text.startsWith('event: ')) {
    at = text.indexOf('\n') + 1;
    if (at === 0) return null;
    type = text.slice('event: '.length, at - 1);
  }
  if (!text.startsWith('data: ', at)) return null;
  const end = text.indexOf('\n', at);
  if (end !== text.length - 2 || text.charCodeAt(end + 1) !== 0x0a || text.includes('\r')) return null;
  return { type, data: text.slice(at + 'data: '.length, end) };
}

function anyEvent(text: string): ServerEvent | null {
  let type = '';
  let data: string | null = null;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':');
    if (colon === 0 || line === '') continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') type = value;
    else if (field === 'data') data = data === null ? value : `${data}\n${value}`;
  }
  return data === null ? null : { type, data };
}
