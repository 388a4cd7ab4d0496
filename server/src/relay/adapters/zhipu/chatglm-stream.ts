import type { FrameParser } from '../../adapter.js';
import type { StreamReader } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { asFields, asText, parseFields } from '../../neutral/fields.js';
import { toUpstreamError } from '../../protocols/openai/upstream-error.js';
import { toUsage } from '../../protocols/openai/usage.js';
import { EventBlocks, eachEvent, type EventBlock } from '../../sse/event-blocks.js';
import { parseEvent } from '../../sse/event-parser.js';
import type { ServerEvent } from '../../sse/event.js';

/** Server-sent events with a field nobody else has: `meta` of the last one becomes its data. */
export class ChatglmFrames implements FrameParser {
  private readonly blocks = new EventBlocks();

  push(bytes: Buffer): ServerEvent[] {
    return eventsOf(this.blocks.push(bytes));
  }

  end(): ServerEvent[] {
    return eventsOf(this.blocks.rest());
  }
}

function eventsOf(block: EventBlock | null): ServerEvent[] {
  const events: ServerEvent[] = [];
  if (!block) return events;
  eachEvent(block.text, (start, end) => {
    const text = block.bytes.toString('utf8', start, end);
    const event = parseEvent(text);
    const meta = /^meta: ?(.*)$/m.exec(text)?.[1];
    if (event && event.type !== 'finish') events.push(event);
    if (meta !== undefined) events.push({ type: 'finish', data: meta });
  });
  return events;
}

/** Text comes as it is, not as JSON. */
export class ChatglmStreamReader implements StreamReader {
  done = false;

  push({ type, data }: ServerEvent): NeutralEvent[] {
    switch (type) {
      case 'add':
        return data === '' ? [] : [{ kind: 'text', choice: 0, text: data }];
      case 'finish': {
        this.done = true;
        const usage = toUsage(asFields(parseFields(data)?.['usage']));
        return [{ kind: 'finish', choice: 0, reason: 'stop' }, ...(usage ? [{ kind: 'usage', usage } as const] : [])];
      }
      case 'error':
      case 'interrupted': {
        const told = parseFields(data);
        const body = told ? data : JSON.stringify({ message: asText(data) || `the provider ended with ${type}` });
        return [{ kind: 'error', error: toUpstreamError(502, body) }];
      }
      default:
        return [];
    }
  }
}
