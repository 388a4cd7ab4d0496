import type { StreamTransform } from '../adapter.js';
import type { UpstreamError } from '../errors/upstream-error.js';
import type { Usage } from '../usage.js';
import { NativeStream, type NativeListener } from '../pass-through/native-stream.js';
import { someText, type Fields } from '../neutral/fields.js';
import { readError, toUpstreamError } from '../errors/read-upstream-error.js';
import type { Exchange } from '../upstream/exchange.js';

/** What was read of an answer before anything is sent: all of it, or its beginning. */
export interface Beginning {
  readonly pieces: Buffer[];
  readonly whole: boolean;
}

/**
 * Reads an answer until it is over or longer than `limit`. What comes after that is kept with the rest until somebody
 * pipes the exchange, which is paused.
 */
export function beginningOf(exchange: Exchange, limit: number): Promise<Beginning> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    exchange.pipe({
      data: (bytes) => {
        pieces.push(bytes);
        length += bytes.length;
        if (length <= limit) return;
        exchange.pause();
        resolve({ pieces, whole: false });
      },
      end: () => resolve({ pieces, whole: true }),
      fail: reject,
    });
  });
}

/** Bytes nobody looks into: sound, and pictures as one long JSON object. What was paid is known without them. */
export class ForwardedBytes implements StreamTransform {
  readonly done = false;
  readonly complete = true;
  readonly failure = null;

  /** @param pieces what was read already */
  constructor(private readonly pieces: Buffer[]) {}

  push(bytes: Buffer): Buffer {
    return this.pieces.length === 0 ? bytes : Buffer.concat([...this.pieces.splice(0), bytes]);
  }

  end(): Buffer | null {
    const rest = this.pieces.splice(0);
    return rest.length === 0 ? null : Buffer.concat(rest);
  }

  report(): void {
    // Nothing in it is counted.
  }

  closing(): string {
    return '';
  }

  usage(): null {
    return null;
  }
}

/** Pictures, speech and transcripts that come as events: forwarded as they are, up to the one that ends them. */
export const forwardedEvents = (): StreamTransform =>
  new NativeStream(new EndListener(), { done: false, push: () => [] }, silent);

const silent = { text: () => undefined, toolCall: () => undefined, otherContent: () => undefined };

class EndListener implements NativeListener {
  readonly marks = /"[a-z_.]+\.(?:completed|done)"|"error"/;
  complete = false;
  readonly done = false;
  failure: UpstreamError | null = null;

  hear(event: Fields): boolean {
    if (event['type'] === 'error' || readError(event)) {
      this.failure = toUpstreamError(502, JSON.stringify(event['error'] ? event : { error: event }));
      return false;
    }
    const ends = /\.(?:completed|done)$/.test(someText(event['type']) ?? '');
    this.complete ||= ends;
    return ends;
  }

  usage(): Usage | null {
    return null;
  }
}
