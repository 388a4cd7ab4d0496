import { parseArguments } from '../../../shared/exact-json.js';
import { argumentsOf } from '../../neutral/arguments.js';
import { drawnPieces } from '../../neutral/drawn-text.js';
import { unsupported, type Dropped } from '../../neutral/field-name.js';
import { asFields, type Json } from '../../neutral/fields.js';
import { audioType, fileType, imageType } from '../../neutral/media.js';
import {
  isInstruction,
  type MediaSource,
  type NeutralMessage,
  type Part,
  type ToolResultPart,
} from '../../neutral/message.js';
import type { NeutralRequest } from '../../neutral/request.js';
import type { GeminiTraits } from './gemini-model.js';
import type { GeminiSettings } from './gemini-settings.js';

/**
 * Google's value for a call without a known thinking signature
 * (docs/reference/providers/gemini-and-vertex.md#gemini-thinking).
 */
export const noSignature = 'skip_thought_signature_validator';
/** The user's text in a call without messages. */
const placeholder = '...';

/** @throws AppError UNSUPPORTED_BY_CHANNEL if one message has more images than the provider accepts */
export function checkImages(parts: readonly Part[], { imageLimit }: Pick<GeminiSettings, 'imageLimit'>): void {
  const images = parts.filter((part) => part.kind === 'image');
  if (imageLimit < 0 || images.length <= imageLimit) return;
  throw unsupported(images[imageLimit]?.at ?? 'messages', `at most ${imageLimit} images are accepted in one message`);
}

/** URLs that Google fetches itself. */
export const fetchable =
  /^(?:gs:\/\/|https:\/\/generativelanguage\.googleapis\.com\/|https:\/\/(?:www\.)?youtube\.com\/|https:\/\/youtu\.be\/)/;

interface Content {
  readonly role: 'user' | 'model';
  readonly parts: Json[];
}

/** Writes the conversation of one request in Gemini's form. */
export class GeminiContentWriter {
  private readonly own: boolean;
  /** Tool names by call id: results name the function, not the call. */
  private readonly names = new Map<string, string>();
  private readonly order: string[] = [];

  constructor(
    private readonly request: NeutralRequest,
    private readonly traits: GeminiTraits,
    private readonly settings: GeminiSettings,
    private readonly dropped: Dropped,
  ) {
    this.own = request.dialect === 'gemini-generate';
  }

  /**
   * Turns as Gemini requires them (docs/reference/providers/gemini-and-vertex.md#chat-to-generatecontent).
   * @throws AppError UNSUPPORTED_BY_CHANNEL, INVALID_INPUT naming the part
   */
  contents(): Content[] {
    const contents: Content[] = [];
    for (const message of this.request.messages) {
      if (isInstruction(message)) continue;
      if (message.name !== undefined && message.role !== 'tool') this.dropped.hint('name', message.name);
      const role = message.role === 'assistant' ? 'model' : 'user';
      const parts =
        role === 'model'
          ? this.modelParts(message)
          : message.role === 'tool'
            ? this.results(message)
            : this.userParts(message);
      const last = contents.at(-1);
      if (last?.role === role) last.parts.push(...parts);
      else if (parts.length > 0) contents.push({ role, parts });
    }
    for (const content of contents) if (content.role === 'user') sortResults(content.parts, this.order);
    // Google refuses a call that contains only instructions.
    return contents.length > 0 ? contents : [{ role: 'user', parts: [{ text: placeholder }] }];
  }

  /**
   * Returns all instructions as one text.
   * @throws AppError UNSUPPORTED_BY_CHANNEL for other content than text
   */
  instruction(): Json | undefined {
    const parts = this.request.messages.filter(isInstruction).flatMap((message) => message.parts);
    const other = parts.find((part) => part.kind !== 'text');
    if (other) throw unsupported(other.at ?? 'systemInstruction', 'Gemini accepts only text as instructions');
    const texts = parts.flatMap((part) => (part.kind === 'text' && part.text !== '' ? part.text : []));
    return texts.length === 0 ? undefined : { parts: [{ text: texts.join('\n') }] };
  }

  private userParts(message: NeutralMessage): Json[] {
    checkImages(message.parts, this.settings);
    return message.parts.flatMap((part) => this.part(part));
  }

  private part(part: Part): Json[] {
    switch (part.kind) {
      case 'text':
        return part.text === '' ? [] : [{ text: part.text }];
      case 'refusal':
        return [{ text: part.text }];
      case 'image':
        if (part.detail !== undefined && part.detail !== 'auto') this.dropped.hint('detail', part.detail);
        return [media(part.source, part.source.kind === 'base64' ? imageType(part.source) : '', part.at)];
      case 'audio':
        return [{ inlineData: { mimeType: audioType(part.format), data: part.data } }];
      case 'file':
        if (part.source.kind === 'text') return [{ text: part.source.text }];
        return [media(part.source, fileType(part.source, part.filename), part.at)];
      case 'foreign':
        if (part.dialect === 'gemini-generate') return [part.value];
        throw unsupported(part.at ?? 'messages', 'Gemini does not support this part');
      default:
        throw unsupported(part.at ?? 'messages', 'Gemini does not support it here');
    }
  }

  private modelParts(message: NeutralMessage): Json[] {
    const parts: Json[] = [];
    let thinkingSignature: string | undefined;
    let called = false;
    for (const part of message.parts) {
      if (part.kind === 'reasoning') {
        if (part.redacted !== undefined || (part.signature === undefined && !this.own))
          this.dropped.hint('reasoningHistory', true);
        else if (this.own) parts.push({ text: part.text, thought: true, ...signed(part.signature) });
        else {
          if (part.text !== '') parts.push({ text: part.text, thought: true });
          // Other dialects attach the signature to the thought; Google requires it on the part that follows.
          thinkingSignature = part.signature;
        }
        continue;
      }
      if (part.kind === 'toolCall') {
        const signature =
          part.signature ?? thinkingSignature ?? (this.traits.third && !called ? noSignature : undefined);
        parts.push({ ...this.call(part), ...signed(signature) });
        called = true;
      } else if (part.kind === 'text') {
        const signature = part.signature ?? thinkingSignature;
        const drawn = drawnPieces(part.text);
        if (drawn) parts.push(...this.drawn(drawn));
        else if (part.text !== '' || signature !== undefined) parts.push({ text: part.text, ...signed(signature) });
      } else {
        const signature = 'signature' in part ? part.signature : undefined;
        const unsigned = part.kind === 'image' && !this.own ? this.drawnSignature : undefined;
        parts.push(...this.part(part).map((each) => ({ ...each, ...signed(signature ?? unsigned) })));
      }
      thinkingSignature = undefined;
    }
    if (thinkingSignature !== undefined) parts.push({ text: '', ...signed(thinkingSignature) });
    return parts;
  }

  /**
   * Writes images that the model drew. As text they would use a hundred times the tokens. Clients do not keep their
   * signatures.
   */
  private drawn(pieces: NonNullable<ReturnType<typeof drawnPieces>>): Json[] {
    return pieces.map((piece) =>
      typeof piece === 'string'
        ? { text: piece }
        : {
            inlineData: { mimeType: imageType({ kind: 'base64', ...piece }), data: piece.data },
            ...signed(this.drawnSignature),
          },
    );
  }

  /** The signature of an image that the model drew, if the client did not keep it. */
  private get drawnSignature(): string | undefined {
    return this.traits.third ? noSignature : undefined;
  }

  private call(part: Extract<Part, { kind: 'toolCall' }>): Json {
    if (part.custom) throw unsupported(part.at ?? 'messages', 'Gemini has no tools that take plain text');
    const { id, name } = part;
    this.names.set(id, name);
    this.order.push(id);
    return {
      functionCall: { ...(this.settings.callIds ? { id } : {}), name, args: argumentsOf(part.arguments) },
    };
  }

  private results(message: NeutralMessage): Json[] {
    const responses: Json[] = [];
    const beside: Json[] = [];
    for (const part of message.parts) if (part.kind === 'toolResult') responses.push(this.result(part, beside));
    return [...responses, ...beside];
  }

  private result(part: ToolResultPart, beside: Json[]): Json {
    const text = part.content
      .map((each) => (each.kind === 'text' ? each.text : ''))
      .filter(Boolean)
      .join('\n');
    const pictures = part.content.filter((each) => each.kind !== 'text').flatMap((each) => this.part(each));
    // Before generation 3 a tool result may contain only text.
    if (!this.traits.third) beside.push(...pictures);
    const response = part.isError ? { error: text } : resultOf(text);
    const functionResponse = {
      ...(this.settings.callIds ? { id: part.callId } : {}),
      name: this.names.get(part.callId) ?? part.name ?? part.callId,
      response,
      ...(this.traits.third && pictures.length > 0 ? { parts: pictures } : {}),
    };
    return this.settings.callIds ? { functionResponse } : { functionResponse, [callOf]: part.callId };
  }
}

/** Matches the beginning of an object. Parsing another text only to find that it is none takes long. */
const objectBegin = /^\s*\{/;

/**
 * From generation 3 on, Google looks up `$ref` of a structured result among the parts of the call, and refuses a
 * reference without a target.
 */
const resultOf = (text: string): Json =>
  (objectBegin.test(text) && !text.includes('$ref') ? asFields(parseArguments(text)) : null) ?? { result: text };

/** The key of the call that a result belongs to. The body must not contain it, and symbols are not serialized. */
const callOf = Symbol('call');

const signed = (thoughtSignature: string | undefined): Json =>
  thoughtSignature === undefined ? {} : { thoughtSignature };

/** Sorts results of one turn in the order of their calls, before the user's content. */
function sortResults(parts: Json[], order: readonly string[]): void {
  const place = (part: Json): number => {
    const response = part['functionResponse'] as { id?: string } | undefined;
    if (!response) return Infinity;
    const at = order.indexOf(response.id ?? String((part as { [callOf]?: string })[callOf]));
    return at < 0 ? order.length : at;
  };
  const places = new Map(parts.map((part) => [part, place(part)]));
  // Equal positions keep their order.
  parts.sort((one, other) => compare(places.get(one) ?? 0, places.get(other) ?? 0));
}

const compare = (one: number, other: number): number => (one === other ? 0 : one < other ? -1 : 1);

function media(source: MediaSource, mimeType: string, at: string | undefined): Json {
  if (source.kind === 'base64')
    return { inlineData: { mimeType: mimeType || 'application/octet-stream', data: source.data } };
  if (source.kind === 'url' && fetchable.test(source.url)) {
    return {
      fileData: {
        fileUri: source.url,
        ...(source.mediaType || mimeType ? { mimeType: source.mediaType ?? mimeType } : {}),
      },
    };
  }
  throw unsupported(
    at ?? 'messages',
    source.kind === 'url' ? 'it does not fetch this URL' : 'the file is stored at another provider',
  );
}
