import type { ChatRequest, Target } from '../../adapter.js';

/** How one member of the OpenAI family differs from OpenAI itself. Everything is optional: `{}` is OpenAI. */
export interface Dialect {
  /** The provider's own address; empty: the channel has to name one. */
  readonly defaultBaseUrl?: string;
  /** Where chat goes, when it is not base + the client's own path. `base` has no trailing slash. */
  readonly chatUrl?: (base: string, request: ChatRequest, target: Target) => string;
  /** Headers beside `Authorization: Bearer key`. */
  readonly headers?: (target: Target) => Record<string, string>;
  /** True when a closing usage chunk may be asked of a stream. */
  readonly streamUsage?: boolean;
  /** Applies the rules of OpenAI's reasoning models (`relay-providers.md` 1.4). */
  readonly reasoningRules?: boolean;
}
