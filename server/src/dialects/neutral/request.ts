import type { Dialect } from './dialect.js';
import type { Fields } from './fields.js';
import type { NeutralMessage } from './message.js';

export type NeutralTool =
  | {
      readonly kind: 'function';
      readonly name: string;
      readonly description?: string;
      /** JSON schema with lower-case types. */
      readonly parameters?: Fields;
      readonly strict?: boolean;
      readonly cacheControl?: Fields;
      /** The name space of Responses that declares the tool. */
      readonly namespace?: string;
      readonly at?: string;
    }
  /** A tool that accepts plain text. */
  | {
      readonly kind: 'custom';
      readonly name: string;
      readonly description?: string;
      /** As Responses has it: a grammar's `syntax` and `definition` are beside its type. */
      readonly format?: Fields;
      readonly namespace?: string;
      readonly at?: string;
    }
  /** A tool that the provider runs itself: web search, code execution. */
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

/**
 * Modes of chat completions that only some providers have: Mistral's, which its own clients send, and Gemini's, which
 * Copilot CLI sends for every model with a Gemini name.
 */
export const choiceModes: Readonly<Record<string, 'required' | 'auto'>> = { any: 'required', validated: 'auto' };

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

/**
 * Sampling parameters. All are optional hints except `temperature`, `topP` and `topK`, which every provider supports.
 */
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

/** Named reasoning efforts, in ascending order. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

/** How much the model should reason. */
export interface Reasoning {
  readonly effort?: Effort;
  /** Maximum reasoning tokens. */
  readonly budget?: number;
  /** The model decides how much to reason. */
  readonly adaptive?: boolean;
  /** Reasoning is off, without a named effort. */
  readonly off?: boolean;
  /** The client wants to see the reasoning. */
  readonly visible?: boolean;
  /** Top-level fields as sent, for the client's own dialect. */
  readonly given: Fields;
}

/** Whether the client specifies how much to reason, and not only whether to show it. */
export const hasSettings = ({ effort, budget, adaptive, off }: Reasoning): boolean =>
  effort !== undefined || budget !== undefined || adaptive === true || off === true;

/** Whether the client wants no reasoning. */
export const isOff = ({ effort, off }: Reasoning): boolean => off === true || effort === 'none';

/**
 * One chat call of any client. Used only if client and provider speak different dialects; all other calls pass through
 * unchanged.
 */
export interface NeutralRequest {
  /** The client's dialect: names fields in errors and determines where `extras` belong. */
  readonly dialect: Dialect;
  readonly model: string;
  readonly messages: readonly NeutralMessage[];
  readonly tools: readonly NeutralTool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly responseFormat?: ResponseFormat;
  readonly sampling: Sampling;
  readonly stop: readonly string[];
  /** Maximum output tokens; undefined: the provider's limit. */
  readonly maxOutput?: number;
  readonly reasoning?: Reasoning;
  readonly stream: boolean;
  /** Number of choices. */
  readonly count: number;
  /** The client's end user. */
  readonly user?: string;
  /** Allowed kinds of output: `text`, `image`, `audio`. Empty: text. */
  readonly modalities: readonly string[];
  /** Voice and format of audio output, as sent. */
  readonly audio?: Fields;
  readonly serviceTier?: string;
  /** Length of the response: low, medium, high. */
  readonly verbosity?: string;
  /** Top-level fields that the neutral form does not have, as sent. */
  readonly extras: Fields;
}
