import type { FrameParser } from '../../adapter.js';
import type { StreamReader } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { asFields, asText, parseFields } from '../../neutral/fields.js';
import { toUpstreamError } from '../../errors/read-upstream-error.js';
import { toUsage } from '../../protocols/openai/usage.js';
import { parseEvent } from '../../sse/event-parser.js';
import type { ServerEvent } from '../../sse/event.js';
import { BlockFrames } from '../openai-compatible/block-frames.js';

/** A non-standard field: `meta` of the last event becomes its data. */
export const chatglmFrames = (): FrameParser =>
  new BlockFrames((text) => {
    const event = parseEvent(text);
    const meta = /^meta: ?(.*)$/m.exec(text)?.[1];
    return [
      ...(event && event.type !== 'finish' ? [event] : []),
      ...(meta === undefined ? [] : [{ type: 'finish', data: meta }]),
    ];
  });

/** Text arrives plain, not as JSON. */
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
