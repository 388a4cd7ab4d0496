import type { Target } from '../../target.js';
import type { Json, Fields } from '../../neutral/fields.js';

/** A provider's changes to a chat body, apart from the model name. */
export interface BodyRules {
  /** The model to request: the target's, or without a removed suffix. */
  readonly model: string;
  readonly reasoningEffort?: string;
  /** Fields to set; undefined removes one. Null when the body can stay unchanged. */
  readonly changes: Readonly<Record<string, unknown>> | null;
  /** Fields that the changes leave out although the client sent them. */
  readonly dropped?: readonly string[];
}

/** `true` is base URL + the client's path; a text is a path after the base URL. `base` has no trailing slash. */
export type EndpointPath = true | string | ((base: string, call: { readonly path: string }, target: Target) => string);

/** Non-streaming endpoints, and completions of a prompt, which may stream. */
export type Capabilities = Readonly<
  Partial<
    Record<
      | 'completions'
      | 'fim'
      | 'embeddings'
      | 'moderations'
      | 'rerank'
      | 'images'
      | 'imageEdits'
      | 'imageVariations'
      | 'speech'
      | 'transcription'
      | 'translation',
      EndpointPath
    >
  >
>;

/** Everything OpenAI itself supports, at the client's paths. It retired variations of images with dall-e-2. */
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

/** Returns all capabilities at one path, given by a function. */
export const everythingAt = (place: EndpointPath): Capabilities =>
  Object.fromEntries(Object.keys(everything).map((name) => [name, place]));

/** Differences of one member of the OpenAI family from OpenAI itself. All fields are optional: `{}` is OpenAI. */
export interface OpenAiVariant {
  /** Path of chat; missing: base URL + the client's path. `false`: no chat. */
  readonly chat?: EndpointPath | false;
  /** Path of Responses, if the provider supports it. Missing: served by chat. */
  readonly responses?: EndpointPath;
  /** Path of Responses, if only clients of other dialects are served there. */
  readonly overResponses?: EndpointPath;
  /**
   * Whether chat completions refuse a call, of any dialect, that Responses accepts. Absent: the provider's refusals
   * decide.
   */
  readonly needsResponses?: (body: Fields, model: string) => boolean;
  /** Whether the provider accepts earlier thoughts only with OpenAI's proof, and without their text. */
  readonly provesThoughts?: true;
  /** Whether the provider compacts conversations at a path below that of Responses. */
  readonly compaction?: true;
  /** Whether the provider keeps files and other objects at OpenAI's paths. */
  readonly keptObjects?: true;
  /** Further capabilities and their paths. */
  readonly capabilities?: Capabilities;
  /** Credential headers, if they are not `Authorization: Bearer key`. */
  readonly credentials?: (target: Target) => Record<string, string>;
  /** Returns headers in addition to the credentials. Only calls that may stream have a `body`. */
  readonly headers?: (
    target: Target,
    call: { readonly stream: boolean; readonly body?: Fields },
  ) => Record<string, string>;
  /** Set if the provider's own clients get the usage of every stream, and do not ask for it. */
  readonly alwaysReportsUsage?: true;
  /** Set only if a provider is known to refuse `stream_options`. All others are asked for the usage of a stream. */
  readonly refusesStreamOptions?: true;
  /** Changes to the request body. */
  readonly rules?: (body: Fields, model: string, target: Target) => BodyRules;
  /**
   * Converts a complete response to the family's shape.
   * @returns the same object when it has that shape already
   * @throws UpstreamError for an error in the provider's own shape
   */
  readonly answer?: (answer: Json, target: Target) => Json;
  /** Changes each chunk of a stream. */
  readonly chunk?: (chunk: Json, target: Target) => Json;
  /** Names of events that contain chunks. Missing: all. */
  readonly eventTypes?: readonly string[];
}
