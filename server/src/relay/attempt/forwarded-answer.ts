import type { StreamTransform } from '../adapter.js';
import type { UpstreamError } from '../errors/upstream-error.js';
import type { Usage } from '../../shared/usage.js';
import { NativeStream, type NativeListener } from '../pass-through/native-stream.js';
import { asFields, someText, type Fields } from '../neutral/fields.js';
import { toOneShotUsage } from '../protocols/openai/one-shot-usage.js';
import { readError, toUpstreamError } from '../errors/read-upstream-error.js';
import type { Exchange } from '../upstream/exchange.js';

/** The part of a response that was read before anything is sent: all of it, or its beginning. */
export interface Beginning {
  readonly pieces: Buffer[];
  readonly whole: boolean;
}

/** Reads a response up to its end or to `limit` bytes. The rest stays in the paused exchange until it is piped. */
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

/**
 * Forwards bytes without inspection: audio, and images in one long JSON object. Their price does not depend on the
 * content.
 */
export class ForwardedBytes implements StreamTransform {
  readonly done = false;
  readonly complete = true;
  readonly failure = null;

  /** @param pieces the bytes read so far */
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

/** Forwards images, speech and transcripts that arrive as events, except for the final event. */
export const forwardedEvents = (): StreamTransform =>
  new NativeStream(new EndListener(), { done: false, push: () => [] }, silent);

const silent = { text: () => undefined, toolCall: () => undefined, otherContent: () => undefined };

class EndListener implements NativeListener {
  readonly marks = /"[a-z_.]+\.(?:completed|done)"|"error"/;
  complete = false;
  readonly done = false;
  failure: UpstreamError | null = null;
  private reported: Usage | null = null;

  read(event: Fields): boolean {
    if (event['type'] === 'error' || readError(event)) {
      this.failure = toUpstreamError(502, JSON.stringify(event['error'] ? event : { error: event }));
      return false;
    }
    const ends = /\.(?:completed|done)$/.test(someText(event['type']) ?? '');
    this.complete ||= ends;
    if (ends) this.reported = usageOf(event) ?? this.reported;
    return ends;
  }

  usage(): Usage | null {
    return this.reported;
  }
}

/** The usage of a final event. All output of speech is audio, which its events do not say. */
function usageOf(event: Fields): Usage | null {
  const usage = asFields(event['usage']);
  const found = usage && toOneShotUsage(usage);
  if (!found || event['type'] !== 'speech.audio.done') return found;
  return { ...found, audioOutputTokens: found.completionTokens };
}
