import type { ModelKind } from './playground.generated.js';
import type { ChatPayload } from './chatStream.js';

/** Kinds of models besides chat that the playground calls. Music and realtime models have no call of one response. */
export type OtherKind = Exclude<ModelKind, 'CHAT' | 'MUSIC' | 'REALTIME'>;

/** A call of a model that does not chat. */
export interface OtherCall {
  readonly kind: OtherKind;
  readonly model: string;
  readonly group: string;
  /** Fields of the body besides the model and the text. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The typed text: prompt, input or query. */
  readonly text: string;
  /** The recording to transcribe. Absent when it was not kept. */
  readonly recording?: File | undefined;
}

/** A request as programs send it, below `/v1`. */
export interface ApiRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The form field that takes a file. Absent for JSON. */
  readonly file?: string;
}

/** The field that takes the typed text, and the path, by kind. */
const endpoints: Readonly<Record<OtherKind, readonly [path: string, textField: string]>> = {
  COMPLETION: ['/completions', 'prompt'],
  EMBEDDING: ['/embeddings', 'input'],
  MODERATION: ['/moderations', 'input'],
  RERANK: ['/rerank', 'query'],
  IMAGE: ['/images/generations', 'prompt'],
  SPEECH: ['/audio/speech', 'input'],
  TRANSCRIPTION: ['/audio/transcriptions', 'prompt'],
  VIDEO: ['/videos', 'prompt'],
};

/** Returns the request of a call, for the playground and for the code that a program is written in. */
export function requestOf({
  kind,
  model,
  fields,
  text,
}: Pick<OtherCall, 'kind' | 'model' | 'fields' | 'text'>): ApiRequest {
  const [path, field] = endpoints[kind];
  const isForm = kind === 'TRANSCRIPTION';
  // The prompt of a transcription is optional.
  const typed = isForm && text === '' ? {} : { [field]: text };
  return { path, body: { model, ...typed, ...fields }, ...(isForm && { file: 'file' }) };
}

/** Returns the request of a chat call. The group is of the key in programs. */
export function chatRequestOf({ group: _group, model, messages, stream, ...more }: ChatPayload): ApiRequest {
  return { path: '/chat/completions', body: { model, messages, stream, ...more } };
}
