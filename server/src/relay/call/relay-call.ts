import type { FormPart } from '../adapter.js';
import type { ImageOrder } from '../../modules/pricing/price-book.service.js';

/** What the relay itself has to know of a call, whatever its endpoint; everything else travels untouched. */
export interface RelayCall {
  /** The JSON object, or the text fields of a form. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly stream: boolean;
  /** The client wants the closing usage of a stream, where its dialect lets it choose. */
  readonly wantsUsage: boolean;
  /** Tokens the client allows the answer, 0 when it names no limit. */
  readonly maxOutput: number;
  /** The parts of a multipart form. */
  readonly form?: readonly FormPart[];
  /** Known before the call: prompt tokens of endpoints that are priced by what is sent. */
  readonly measuredTokens?: number;
  /** What is drawn, for endpoints that are priced by it. The model that draws is known later. */
  readonly images?: Omit<ImageOrder, 'upstreamModel'>;
  /** Hints that were left out before anybody was asked, by the client's own names. */
  readonly dropped?: readonly string[];
  /** What adapters see, where the client's own path and body are not what they know. */
  readonly sent?: { readonly path: string; readonly rawBody: Buffer };
  /** Embeddings as base64 text. */
  readonly base64?: boolean;
  /** A Gemini stream as one growing JSON list instead of events. */
  readonly jsonList?: boolean;
}

/** A body as far as it has to be read to decide who may serve it. */
export interface OpenedBody {
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly form?: readonly FormPart[];
}
