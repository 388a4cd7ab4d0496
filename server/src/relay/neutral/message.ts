import type { Dialect } from './dialect.js';
import type { Fields } from './fields.js';

/** Where the bytes of an image, a document or a recording are. */
export type MediaSource =
  /** `mediaType` without parameters, '' when nobody said. */
  | { readonly kind: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'url'; readonly url: string; readonly mediaType?: string }
  /** A file that lies at the provider of one dialect. */
  | { readonly kind: 'id'; readonly id: string; readonly dialect: Dialect }
  | { readonly kind: 'text'; readonly text: string };

interface Located {
  /** Where the client wrote it, e.g. `messages[2].content[0]`; named when it is refused. */
  readonly at?: string;
}

/** Anthropic's mark for what should be cached, as it was given. */
interface Cacheable {
  readonly cacheControl?: Fields;
}

export interface TextPart extends Located, Cacheable {
  readonly kind: 'text';
  readonly text: string;
  /** The thinking signature, which its provider wants back on the same part. */
  readonly signature?: string;
  /** Sources the text rests on, in the chat dialect's form (`url_citation`). */
  readonly annotations?: readonly Fields[];
}

export interface ImagePart extends Located, Cacheable {
  readonly kind: 'image';
  readonly source: MediaSource;
  readonly detail?: string;
  readonly signature?: string;
}

export interface AudioPart extends Located {
  readonly kind: 'audio';
  /** `wav`, `mp3`, `pcm16` … */
  readonly format: string;
  readonly data: string;
  readonly id?: string;
  readonly transcript?: string;
  /** Unix seconds until which the provider knows `id`. */
  readonly expiresAt?: number;
}

/** Documents, and everything else that is a file. */
export interface FilePart extends Located, Cacheable {
  readonly kind: 'file';
  readonly source: MediaSource;
  readonly filename?: string;
}

/** What the model thought before it answered. */
export interface ReasoningPart extends Located {
  readonly kind: 'reasoning';
  readonly text: string;
  /** Without it no provider takes the thought back. */
  readonly signature?: string;
  /** Thoughts the provider keeps to itself: opaque, to be sent back as they came. */
  readonly redacted?: string;
  /** The item's own id, where the dialect gives thoughts one. */
  readonly id?: string;
}

export interface RefusalPart extends Located {
  readonly kind: 'refusal';
  readonly text: string;
}

export interface ToolCallPart extends Located, Cacheable {
  readonly kind: 'toolCall';
  readonly id: string;
  readonly name: string;
  /** JSON text of an object, '' when there are none; any text when `custom`. */
  readonly arguments: string;
  /** A tool that takes plain text instead of JSON. */
  readonly custom?: boolean;
  readonly signature?: string;
}

export interface ToolResultPart extends Located, Cacheable {
  readonly kind: 'toolResult';
  readonly callId: string;
  /** The tool's name, where the dialect says it. */
  readonly name?: string;
  readonly content: readonly Part[];
  readonly isError?: boolean;
  readonly custom?: boolean;
}

/** Something only the client's own dialect knows: travels there, and is refused anywhere else. */
export interface ForeignPart extends Located {
  readonly kind: 'foreign';
  readonly dialect: Dialect;
  readonly value: Fields;
}

export type Part =
  | TextPart
  | ImagePart
  | AudioPart
  | FilePart
  | ReasoningPart
  | RefusalPart
  | ToolCallPart
  | ToolResultPart
  | ForeignPart;

export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool';

/** One turn. Results of tools are turns of their own, role `tool`, holding nothing else. */
export interface NeutralMessage {
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly name?: string;
}

export const isInstruction = (message: NeutralMessage): boolean =>
  message.role === 'system' || message.role === 'developer';
