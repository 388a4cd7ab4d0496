import type { Dialect } from './dialect.js';
import type { Fields } from './fields.js';
import type { NeutralMessage } from './message.js';

export type NeutralTool =
  | {
      readonly kind: 'function';
      readonly name: string;
      readonly description?: string;
      /** JSON schema, types in lower case. */
      readonly parameters?: Fields;
      readonly strict?: boolean;
      readonly cacheControl?: Fields;
      readonly at?: string;
    }
  /** Takes plain text. */
  | {
      readonly kind: 'custom';
      readonly name: string;
      readonly description?: string;
      readonly format?: Fields;
      readonly at?: string;
    }
  /** Run by the provider: web search, code execution. Nobody else can. */
  | {
      readonly kind: 'builtin';
      readonly name: string;
      readonly dialect: Dialect;
      readonly value: Fields;
      readonly at?: string;
    };

export type ToolChoice =
  | { readonly mode: 'auto' | 'required' | 'none' }
  | { readonly mode: 'tool'; readonly name: string; readonly custom?: boolean }
  | { readonly mode: 'allowed'; readonly names: readonly string[]; readonly required: boolean }
  | { readonly mode: 'builtin'; readonly dialect: Dialect; readonly value: Fields };

export type ResponseFormat =
  | { readonly kind: 'text' }
  | { readonly kind: 'json' }
  | {
      readonly kind: 'schema';
      readonly name: string;
      readonly schema: Fields;
      readonly description?: string;
      readonly strict?: boolean;
    };

/** How to draw the next token. All hints but `temperature`, `topP` and `topK`, which every provider knows. */
export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly logitBias?: Fields;
  readonly logprobs?: boolean;
  readonly topLogprobs?: number;
}

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

export interface Reasoning {
  readonly effort?: Effort;
  /** Tokens it may take. */
  readonly budget?: number;
  /** The model is to choose for itself how much it thinks. */
  readonly adaptive?: boolean;
  /** No thinking, where the client said so without naming an effort. */
  readonly off?: boolean;
  /** The client wants to read the thoughts. */
  readonly visible?: boolean;
  /** Top-level fields as they were given, for the client's own dialect. */
  readonly given: Fields;
}

/**
 * One chat call, whoever it came from. Only calls whose dialect is not the provider's take this form; all others pass
 * through untouched.
 */
export interface NeutralRequest {
  /** The client's dialect: names fields in refusals and tells where `extras` belong. */
  readonly dialect: Dialect;
  readonly model: string;
  readonly messages: readonly NeutralMessage[];
  readonly tools: readonly NeutralTool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly responseFormat?: ResponseFormat;
  readonly sampling: Sampling;
  readonly stop: readonly string[];
  /** Tokens the answer may have; undefined: the provider's own limit. */
  readonly maxOutput?: number;
  readonly reasoning?: Reasoning;
  readonly stream: boolean;
  /** The client wants the closing usage of a stream, where its dialect lets it choose. */
  readonly includeUsage: boolean;
  /** Answers wanted. */
  readonly count: number;
  /** Whom the client calls for: one of its own users. */
  readonly user?: string;
  /** What the answer may consist of: `text`, `image`, `audio`. Empty: text. */
  readonly modalities: readonly string[];
  /** Voice and format of a spoken answer, as given. */
  readonly audio?: Fields;
  readonly serviceTier?: string;
  /** How long the answer should be: low, medium, high. */
  readonly verbosity?: string;
  /** Top-level fields without a place here, as they were given. */
  readonly extras: Fields;
}
