import type { FormPart } from '../adapter.js';
import type { ImageOrder } from '../../modules/pricing/price-book.service.js';

/** The fields of a call that the relay itself needs, for every endpoint. All other fields travel unchanged. */
export interface RelayCall {
  /** The JSON object, or the text fields of a form. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly stream: boolean;
  /** The client wants the final usage of a stream, where its dialect lets it choose. */
  readonly wantsUsage: boolean;
  /** Maximum output tokens that the client allows; 0 when it sets no limit. */
  readonly maxOutput: number;
  /** The parts of a multipart form. */
  readonly form?: readonly FormPart[];
  /** Known before the call: prompt tokens of endpoints whose price depends on the request only. */
  readonly measuredTokens?: number;
  /** The requested images, for endpoints priced by them. The model that generates them is known later. */
  readonly images?: Omit<ImageOrder, 'upstreamModel'>;
  /** Optional fields that were left out before a provider was called, by the client's own names. */
  readonly dropped?: readonly string[];
  /** Path and body for adapters, if they differ from the client's. */
  readonly sent?: { readonly path: string; readonly rawBody: Buffer };
  /** Embeddings as base64 text. */
  readonly base64?: boolean;
  /** The channel and key that store what the call continues: no other channel knows it. */
  readonly origin?: { readonly channelId: number; readonly keyMark: string; readonly responseId: string };
  /** Id of the response that the call continues, if nothing is known of it: any account may have made it. */
  readonly unknownResponse?: string;
  /** The channel and key that made the encrypted reasoning of the request: no other account can read it. */
  readonly reasoningOrigin?: { readonly channelId: number; readonly keyMark: string };
  /** A Gemini stream as one growing JSON list instead of events. */
  readonly jsonList?: boolean;
}

/** A body, parsed as far as routing needs it. */
export interface OpenedBody {
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly form?: readonly FormPart[];
}
