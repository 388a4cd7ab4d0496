import type { Target } from '../../adapter.js';

type Fields = Record<string, unknown>;

/** What a provider wants changed in a chat body beside the model's name. */
export interface BodyRules {
  /** The model to ask for: the target's, or what is left of it when a suffix was cut. */
  readonly model: string;
  readonly reasoningEffort?: string;
  /** Fields to set; undefined removes one. Null when the body can stay as it is. */
  readonly changes: Readonly<Record<string, unknown>> | null;
}

/** `true` is base + the client's own path, text a path behind the base. `base` has no trailing slash. */
export type EndpointPath = true | string | ((base: string, call: { readonly path: string }, target: Target) => string);

/** Calls that are answered in one piece, and completions of a prompt, which may stream. */
export type Capabilities = Readonly<
  Partial<
    Record<
      | 'completions'
      | 'embeddings'
      | 'moderations'
      | 'rerank'
      | 'images'
      | 'imageEdits'
      | 'speech'
      | 'transcription'
      | 'translation',
      EndpointPath
    >
  >
>;

/** Everything OpenAI itself has, at the client's own paths. */
export const everything: Capabilities = {
  completions: true,
  embeddings: true,
  moderations: true,
  rerank: true,
  images: true,
  imageEdits: true,
  speech: true,
  transcription: true,
  translation: true,
};

/** The same at one place that is told by a function. */
export const everythingAt = (place: EndpointPath): Capabilities =>
  Object.fromEntries(Object.keys(everything).map((name) => [name, place]));

/** How one member of the OpenAI family differs from OpenAI itself. Everything is optional: `{}` is OpenAI. */
export interface Dialect {
  /** Where chat goes; missing: base + the client's own path. `false`: the provider does not chat. */
  readonly chat?: EndpointPath | false;
  /** Where Responses goes, when the provider speaks it too. Missing: it is served by chat. */
  readonly responses?: EndpointPath;
  /** What the provider offers beside chat, and where. */
  readonly capabilities?: Capabilities;
  /** Who calls, when it is not `Authorization: Bearer key`. */
  readonly credentials?: (target: Target) => Record<string, string>;
  /** Headers beside the credentials. */
  readonly headers?: (target: Target, call: { readonly stream: boolean }) => Record<string, string>;
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
