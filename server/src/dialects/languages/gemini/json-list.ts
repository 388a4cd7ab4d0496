import type { StreamTransform } from '../../contract.js';
import { EventParser } from '../../wire/sse/event-parser.js';

/**
 * A Gemini stream as one growing JSON list, for clients that did not ask for events (`alt=sse`). Providers are always
 * asked for events, because a list cannot be parsed incrementally.
 */
export function asJsonList(stream: StreamTransform): StreamTransform {
  const parser = new EventParser();
  let count = 0;
  const items = (out: Buffer | string | null): string => {
    if (out === null) return '';
    const events = parser.push(typeof out === 'string' ? Buffer.from(out) : out);
    // `foreignEnd` is no item.
    return events
      .filter(({ data }) => data.startsWith('{'))
      .map(({ data }) => (count++ === 0 ? `[${data}` : `,\r\n${data}`))
      .join('');
  };
  return {
    push: (bytes) => items(stream.push(bytes)) || null,
    end: () => items(stream.end()) || null,
    report: () => stream.report(),
    closing: (usage) => {
      const rest = items(stream.closing(usage));
      return count === 0 ? '[]' : `${rest}]`;
    },
    usage: () => stream.usage(),
    get done() {
      return stream.done;
    },
    get complete() {
      return stream.complete;
    },
    get failure() {
      return stream.failure;
    },
    get stoppedAt() {
      return stream.stoppedAt ?? null;
    },
  };
}
