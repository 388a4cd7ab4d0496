import type { ChatRequest, Target } from '../../adapter.js';

type Fields = Record<string, unknown>;

/** What a provider wants changed in a chat body beside the model's name. */
export interface BodyRules {
  /** The model to ask for: the target's, or what is left of it when a suffix was cut. */
  readonly model: string;
  readonly reasoningEffort?: string;
  /** Fields to set; undefined removes one. Null when the body can stay as it is. */
  readonly changes: Readonly<Record<string, unknown>> | null;
}

/** How one member of the OpenAI family differs from OpenAI itself. Everything is optional: `{}` is OpenAI. */
export interface Dialect {
  /** The provider's own address; empty: the channel has to name one. */
  readonly defaultBaseUrl?: string;
  /** Where chat goes, when it is not base + the client's own path. `base` has no trailing slash. */
  readonly chatUrl?: (base: string, request: ChatRequest, target: Target) => string;
  /** Who calls, when it is not `Authorization: Bearer key`. */
  readonly credentials?: (target: Target) => Record<string, string>;
  /** Headers beside the credentials. */
  readonly headers?: (target: Target, request: ChatRequest) => Record<string, string>;
  /** True when a closing usage chunk may be asked of a stream. */
  readonly streamUsage?: boolean;
  /** What the provider wants otherwise in a body. */
  readonly rules?: (body: Readonly<Fields>, model: string, target: Target) => BodyRules;
  /**
   * Makes a whole answer what the family says it is. @returns the same object when it already is
   * @throws UpstreamError for an error in a form of the provider's own
   */
  readonly answer?: (answer: Fields, target: Target) => Fields;
  /** The same for each chunk of a stream. */
  readonly chunk?: (chunk: Fields, target: Target) => Fields;
  /** Named events that carry chunks. Missing: all. */
  readonly eventTypes?: readonly string[];
}
