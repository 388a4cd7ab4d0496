import type { StreamTransform } from '../../dialects/contract.js';
import type { UpstreamError } from '../../dialects/errors/upstream-error.js';
import { sumOfUsage, type Usage } from '../../shared/usage.js';
import { NativeStream, type NativeListener } from '../../dialects/wire/pass-through/native-stream.js';
import { asFields, parseFields, someText, type Fields } from '../../dialects/neutral/fields.js';
import { ImageCount } from '../../dialects/languages/openai/image-count.js';
import { toOneShotUsage } from '../../dialects/languages/openai/one-shot-usage.js';
import { readError, toUpstreamError } from '../../dialects/errors/read-upstream-error.js';
import type { Exchange } from '../upstream/exchange.js';

/** The part of a response that was read before anything is sent: all of it, or its beginning. */
export interface Beginning {
  readonly pieces: Buffer[];
  readonly whole: boolean;
}

/**
 * Reads a response to its end or beyond `limit` bytes. The remaining bytes stay in the paused exchange until it is
 * piped.
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

/** Bytes that fields other than the images take in a response. */
const reportLimit = 16 * 1024;
/** Matches the usage key. Quotes inside JSON text are escaped, so content cannot match. */
const usageMark = /"usage"\s*:\s*(?=\{)/g;
/** A usage report has fewer objects than this. */
const maxClosings = 32;

/**
 * Forwards bytes unchanged: audio, or images in one long JSON object. Only two facts of such an object are read: the
 * usage, which is before or behind the images, and the number of images.
 */
export class ForwardedBytes implements StreamTransform {
  readonly done = false;
  readonly complete = true;
  readonly failure = null;
  private head: Buffer = Buffer.alloc(0);
  private tail: Buffer = Buffer.alloc(0);

  /**
   * @param isJson whether the bytes may contain usage
   * @param count absent when images are not counted
   */
  constructor(
    private readonly isJson: boolean,
    private readonly count?: ImageCount,
  ) {}

  push(bytes: Buffer): Buffer {
    if (!this.isJson) return bytes;
    this.count?.push(bytes);
    const missing = reportLimit - this.head.length;
    if (missing > 0) this.head = Buffer.concat([this.head, bytes.subarray(0, missing)]);
    const all = bytes.length < reportLimit ? Buffer.concat([this.tail, bytes]) : bytes;
    this.tail = all.subarray(-reportLimit);
    return bytes;
  }

  end(): null {
    return null;
  }

  report(): void {
    // Nothing in a binary response is counted.
  }

  closing(): string {
    return '';
  }

  usage(): Usage | null {
    return this.isJson ? (usageIn(this.tail, 'last') ?? usageIn(this.head, 'first')) : null;
  }
}

/** Finds the usage in a part of a JSON text. */
function usageIn(part: Buffer, which: 'first' | 'last'): Usage | null {
  const text = part.toString('latin1');
  const found = [...text.matchAll(usageMark)].at(which === 'first' ? 0 : -1);
  if (!found) return null;
  const start = found.index + found[0].length;
  let end = start;
  for (let closings = 0; closings < maxClosings; closings++) {
    end = text.indexOf('}', end) + 1;
    if (end === 0) return null;
    const usage = parseFields(text.slice(start, end));
    if (usage) return toOneShotUsage(usage);
  }
  return null;
}

/** A transform that counts images while they are forwarded. */
export interface Forwarded {
  readonly transform: StreamTransform;
  /** The number of images that the client got; undefined when it is not known. */
  readonly images: () => number | undefined;
}

/**
 * Forwards a response in one piece.
 * @param requested number of images that were requested
 */
export function forwardedBytes(isJson: boolean, requested: number): Forwarded {
  // A single image is charged in any case.
  const count = isJson && requested > 1 ? new ImageCount() : undefined;
  return { transform: new ForwardedBytes(isJson, count), images: () => count?.found };
}

/** Forwards images, speech and transcripts that arrive as events, except for the final event. */
export function forwardedEvents(): Forwarded {
  const listener = new EndListener();
  const transform = new NativeStream(listener, { done: false, push: () => [] }, silent);
  return { transform, images: () => listener.images || undefined };
}

const silent = { text: () => undefined, toolCall: () => undefined, otherContent: () => undefined };

const finishedImages: ReadonlySet<string> = new Set(['image_generation.completed', 'image_edit.completed']);

class EndListener implements NativeListener {
  readonly marks = /"[a-z_.]+\.(?:completed|done)"|"error"/;
  complete = false;
  readonly done = false;
  failure: UpstreamError | null = null;
  /** Each image has a final event of its own. */
  images = 0;
  private reported: Usage | null = null;

  read(event: Fields): boolean {
    if (event['type'] === 'error' || readError(event)) {
      this.failure = toUpstreamError(502, JSON.stringify(event['error'] ? event : { error: event }));
      return false;
    }
    const type = someText(event['type']) ?? '';
    const ends = /\.(?:completed|done)$/.test(type);
    this.complete ||= ends;
    if (finishedImages.has(type)) this.images++;
    if (ends) this.reported = usageOfBoth(this.reported, usageOf(event));
    return ends;
  }

  usage(): Usage | null {
    return this.reported;
  }
}

/** Adds up the usage of several images: each has an event of its own, which reports that image alone. */
function usageOfBoth(before: Usage | null, next: Usage | null): Usage | null {
  return before && next ? sumOfUsage(before, next) : (next ?? before);
}

/** Reads the usage of a final event. All output of speech is audio; its events do not say so. */
function usageOf(event: Fields): Usage | null {
  const usage = asFields(event['usage']);
  const found = usage && toOneShotUsage(usage);
  if (!found || event['type'] !== 'speech.audio.done') return found;
  return { ...found, audioOutputTokens: found.completionTokens };
}
