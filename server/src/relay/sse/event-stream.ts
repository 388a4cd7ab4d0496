import type { FrameParser, StreamTransform } from '../adapter.js';
import type { UpstreamError } from '../errors/upstream-error.js';
import type { Usage } from '../usage.js';
import type { ServerEvent } from './event.js';
import { EventParser } from './event-parser.js';

/** The view of a translating adapter: one event in, the client's text out. */
export interface EventTransform {
  /** @returns complete events in the client's dialect, '' for none */
  push(event: ServerEvent): string;
  end(): string;
  closing(usage: Usage): string;
  usage(): Usage | null;
  readonly done: boolean;
  readonly complete: boolean;
  readonly failure: UpstreamError | null;
}

/** Feeds the events of a byte stream to a transform, and reports its output to the transcript. */
export function eventStream(transform: EventTransform, parser: FrameParser = new EventParser()): StreamTransform {
  const feed = (events: ServerEvent[]): string => {
    let out = '';
    for (const event of events) {
      if (transform.done || transform.failure) break;
      out += transform.push(event);
    }
    return out;
  };
  return {
    push: (bytes) => feed(parser.push(bytes)) || null,
    end: () => feed(parser.end()) + transform.end() || null,
    report: () => undefined,
    closing: (usage) => transform.closing(usage),
    usage: () => transform.usage(),
    get done() {
      return transform.done;
    },
    get complete() {
      return transform.complete;
    },
    get failure() {
      return transform.failure;
    },
  };
}
