import type { UpstreamError } from '../errors/upstream-error.js';
import type { Usage } from '../../shared/usage.js';
import type { Fields } from './fields.js';
import type { FinishReason } from './finish-reason.js';

/**
 * An event of a stream in any dialect. `choice` identifies the choice if several were requested; `index` counts the
 * tool calls of one choice from 0.
 */
export type NeutralEvent =
  | { readonly kind: 'start'; readonly id: string; readonly model: string; readonly created?: number }
  | { readonly kind: 'text'; readonly choice: number; readonly text: string }
  | { readonly kind: 'reasoning'; readonly choice: number; readonly text: string }
  /** The thinking signature of the most recent part of its kind. */
  | {
      readonly kind: 'signature';
      readonly choice: number;
      readonly of: 'reasoning' | 'text';
      readonly signature: string;
    }
  | { readonly kind: 'redacted'; readonly choice: number; readonly data: string }
  | {
      readonly kind: 'toolStart';
      readonly choice: number;
      readonly index: number;
      readonly id: string;
      readonly name: string;
      readonly custom?: boolean;
      readonly namespace?: string;
      readonly signature?: string;
    }
  | { readonly kind: 'toolDelta'; readonly choice: number; readonly index: number; readonly text: string }
  /** This tool call is complete. Providers that do not mark the end omit it. */
  | { readonly kind: 'toolEnd'; readonly choice: number; readonly index: number }
  | {
      readonly kind: 'image';
      readonly choice: number;
      readonly mediaType: string;
      readonly data: string;
      readonly signature?: string;
    }
  | {
      readonly kind: 'audio';
      readonly choice: number;
      readonly id?: string;
      readonly data?: string;
      readonly transcript?: string;
      readonly expiresAt?: number;
    }
  | { readonly kind: 'refusal'; readonly choice: number; readonly text: string }
  /** A search of the web by the provider. */
  | { readonly kind: 'search'; readonly choice: number; readonly query: string }
  | { readonly kind: 'annotation'; readonly choice: number; readonly annotation: Fields }
  | { readonly kind: 'logprobs'; readonly choice: number; readonly logprobs: Fields }
  | { readonly kind: 'finish'; readonly choice: number; readonly reason: FinishReason; readonly stopSequence?: string }
  /** Totals so far; the last event counts. */
  | { readonly kind: 'usage'; readonly usage: Usage }
  | { readonly kind: 'error'; readonly error: UpstreamError };
