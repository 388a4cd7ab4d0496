import type { Dialect } from './dialect.js';
import type { Fields } from './fields.js';
import { mapChanged } from '../../shared/map-changed.js';

/** The bytes of an image, a document or audio, or a reference to them. */
export type MediaSource =
  /** `mediaType` without parameters, '' when unknown. */
  | { readonly kind: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'url'; readonly url: string; readonly mediaType?: string }
  /** A file stored at the provider of one dialect. */
  | { readonly kind: 'id'; readonly id: string; readonly dialect: Dialect }
  | { readonly kind: 'text'; readonly text: string };

interface Located {
  /** Path in the client's body, such as `messages[2].content[0]`; used in error messages. */
  readonly at?: string;
}

/** Anthropic's cache hint, as the client sent it. */
interface Cacheable {
  readonly cacheControl?: Fields;
}

/** Text of a message. */
export interface TextPart extends Located, Cacheable {
  readonly kind: 'text';
  readonly text: string;
  /** The thinking signature, which the provider requires back on the same part. */
  readonly signature?: string;
  /** Sources of the text, in the shape of the chat dialect (`url_citation`). */
  readonly annotations?: readonly Fields[];
}

/** An image of a message. */
export interface ImagePart extends Located, Cacheable {
  readonly kind: 'image';
  readonly source: MediaSource;
  readonly detail?: string;
  readonly signature?: string;
}

/** Audio of a message. */
export interface AudioPart extends Located {
  readonly kind: 'audio';
  /** `wav`, `mp3`, `pcm16` … */
  readonly format: string;
  readonly data: string;
  readonly id?: string;
  readonly transcript?: string;
  /** Unix seconds until which the provider accepts `id`. */
  readonly expiresAt?: number;
}

/** A document or any other file. */
export interface FilePart extends Located, Cacheable {
  readonly kind: 'file';
  readonly source: MediaSource;
  readonly filename?: string;
}

/** The model's reasoning before its response. */
export interface ReasoningPart extends Located {
  readonly kind: 'reasoning';
  readonly text: string;
  /** Without it, no provider accepts the reasoning back. */
  readonly signature?: string;
  /** Reasoning that the provider encrypts: opaque, to be sent back unchanged. */
  readonly redacted?: string;
  /** The item's id, in dialects where reasoning has one. */
  readonly id?: string;
}

/** A refusal by the model, which some dialects separate from text. */
export interface RefusalPart extends Located {
  readonly kind: 'refusal';
  readonly text: string;
}

/** A tool call of the model. */
export interface ToolCallPart extends Located, Cacheable {
  readonly kind: 'toolCall';
  readonly id: string;
  readonly name: string;
  /** JSON text of an object, '' when there are none; any text when `custom`. */
  readonly arguments: string;
  /** A tool that takes plain text instead of JSON. */
  readonly custom?: boolean;
  /** The name space of Responses that declares the tool. */
  readonly namespace?: string;
  readonly signature?: string;
}

/** The result of a tool call. */
export interface ToolResultPart extends Located, Cacheable {
  readonly kind: 'toolResult';
  readonly callId: string;
  /** The tool's name, in dialects that repeat it. */
  readonly name?: string;
  readonly content: readonly Part[];
  readonly isError?: boolean;
  readonly custom?: boolean;
}

/**
 * Content that only the client's own dialect defines: passed on in that dialect. In others, the record of a tool that a
 * provider ran is dropped and reported, and all other content is refused.
 */
export interface ForeignPart extends Located {
  readonly kind: 'foreign';
  readonly dialect: Dialect;
  readonly value: Fields;
  /** The image that the content contains, for providers that accept images of the model. */
  readonly drawn?: ImagePart;
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

/** One turn. Tool results are separate turns with role `tool` and no other content. */
export interface NeutralMessage {
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly name?: string;
}

/** Whether the message has role `system` or `developer`. */
export const isInstruction = (message: NeutralMessage): boolean =>
  message.role === 'system' || message.role === 'developer';

/** Returns the message with each part changed, or the same message if no part changes. */
export function withParts(message: NeutralMessage, change: (part: Part) => Part): NeutralMessage {
  const parts = mapChanged(message.parts, change);
  return parts === message.parts ? message : { ...message, parts };
}

/** Returns a tool's result with each part of its content changed, or the same result if no part changes. */
export function withContent(result: ToolResultPart, change: (part: Part) => Part): ToolResultPart {
  const content = mapChanged(result.content, change);
  return content === result.content ? result : { ...result, content };
}
