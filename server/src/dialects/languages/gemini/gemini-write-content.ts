import { ofEachGroup, ofEachObject } from '../../../shared/of-each-object.js';
import { parseArguments } from '../../../shared/exact-json.js';
import { argumentsOf } from '../../neutral/arguments.js';
import { drawnPieces } from '../../neutral/drawn-text.js';
import type { Dialect } from '../../neutral/dialect.js';
import { Dropped, unsupported } from '../../neutral/field-name.js';
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
  readonly parts: readonly Json[];
}

/** A part of a turn. Results come first, in the order of their calls. */
interface PlacedPart {
  readonly part: Json;
  readonly place: number;
}

/**
 * Writes turns as Gemini requires them (docs/reference/providers/gemini-and-vertex.md#chat-to-generatecontent).
 * @throws AppError UNSUPPORTED_BY_CHANNEL, INVALID_INPUT naming the part
 */
export function writeContents(
  { messages, dialect }: NeutralRequest,
  { third }: GeminiTraits,
  { callIds, imageLimit }: GeminiSettings,
  dropped: Dropped,
): Content[] {
  const places = placesOfCalls(messages);
  // Results name the function, not the call.
  const names = new Map<string, string>();
  const turns: Array<{ readonly role: Content['role']; readonly parts: PlacedPart[] }> = [];
  const add = (role: Content['role'], parts: readonly Json[], place: number): void => {
    if (parts.length > 0 && turns.at(-1)?.role !== role) turns.push({ role, parts: [] });
    for (const part of parts) turns.at(-1)?.parts.push({ part, place });
  };
  for (const message of messages) {
    if (isInstruction(message)) continue;
    if (message.role !== 'tool') {
      const written = writeMessage(message, dialect, third, callIds, imageLimit);
      add(message.role === 'assistant' ? 'model' : 'user', written.parts, Infinity);
      dropped.add(...written.dropped);
    }
    for (const part of message.parts) {
      if (part.kind === 'toolCall') names.set(part.id, part.name);
      if (part.kind !== 'toolResult' || message.role !== 'tool') continue;
      const name = names.get(part.callId) ?? part.name ?? part.callId;
      const written = writeResult(part, name, dialect, third, callIds);
      add('user', [written.response], places.get(part.callId) ?? places.size);
      add('user', written.beside, Infinity);
      dropped.add(...written.dropped);
    }
  }
  const contents = turns.flatMap(({ role, parts }): Content[] => {
    const [first, ...others] = role === 'user' ? sorted(parts) : parts;
    return first ? [contentsOf[role]([first.part, ...others.map(({ part }) => part)])] : [];
  });
  // Google refuses a call that contains only instructions.
  return contents.length > 0 ? contents : [{ role: 'user', parts: [{ text: placeholder }] }];
}

/** Returns the positions of the calls of a conversation, by their ids. */
function placesOfCalls(messages: readonly NeutralMessage[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const { parts } of messages)
    for (const part of parts) if (part.kind === 'toolCall' && !places.has(part.id)) places.set(part.id, places.size);
  return places;
}

/** Parts of the same place keep their order. */
const sorted = (parts: readonly PlacedPart[]): readonly PlacedPart[] =>
  parts.some(({ place }, index) => place < (parts[index - 1]?.place ?? 0))
    ? parts.toSorted((one, other) => (one.place === other.place ? 0 : one.place - other.place))
    : parts;

const contentsOf = {
  user: ofEachGroup((parts: readonly [Json, ...Json[]]): Content => ({ role: 'user', parts })),
  model: ofEachGroup((parts: readonly [Json, ...Json[]]): Content => ({ role: 'model', parts })),
};

/**
 * Returns all instructions as one text.
 * @throws AppError UNSUPPORTED_BY_CHANNEL for other content than text
 */
export function writeInstruction({ messages }: NeutralRequest): Json | undefined {
  const [first, ...others] = messages.filter(isInstruction);
  return first && instructionOf([first, ...others]);
}

const instructionOf = ofEachGroup((messages: readonly [NeutralMessage, ...NeutralMessage[]]): Json | undefined => {
  const parts = messages.flatMap((message) => message.parts);
  const other = parts.find((part) => part.kind !== 'text');
  if (other) throw unsupported(other.at ?? 'systemInstruction', 'Gemini accepts only text as instructions');
  const texts = parts.flatMap((part) => (part.kind === 'text' && part.text !== '' ? part.text : []));
  return texts.length === 0 ? undefined : { parts: [{ text: texts.join('\n') }] };
});

/** Writes a message without results of tools. */
const writeMessage = ofEachObject(
  (message: NeutralMessage, dialect: Dialect, third: boolean, callIds: boolean, imageLimit: number) => {
    const dropped = new Dropped(dialect);
    dropped.hint('name', message.name);
    const writer = new PartWriter(dialect === 'gemini-generate', third, callIds, dropped);
    if (message.role !== 'assistant') checkImages(message.parts, { imageLimit });
    const parts = message.role === 'assistant' ? writer.modelParts(message) : writer.userParts(message);
    return { parts, dropped: dropped.names };
  },
);

/** @param name the name of the function */
const writeResult = ofEachObject(
  (part: ToolResultPart, name: string, dialect: Dialect, third: boolean, callIds: boolean) => {
    const dropped = new Dropped(dialect);
    const written = new PartWriter(dialect === 'gemini-generate', third, callIds, dropped).result(part, name);
    return { ...written, dropped: dropped.names };
  },
);

/** Writes parts of messages. */
class PartWriter {
  /** @param own whether the client speaks the same dialect */
  constructor(
    private readonly own: boolean,
    private readonly third: boolean,
    private readonly callIds: boolean,
    private readonly dropped: Dropped,
  ) {}

  userParts(message: NeutralMessage): Json[] {
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

  modelParts(message: NeutralMessage): Json[] {
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
        const signature = part.signature ?? thinkingSignature ?? (this.third && !called ? noSignature : undefined);
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
    return this.third ? noSignature : undefined;
  }

  private call(part: Extract<Part, { kind: 'toolCall' }>): Json {
    if (part.custom) throw unsupported(part.at ?? 'messages', 'Gemini has no tools that take plain text');
    const { id, name } = part;
    return {
      functionCall: { ...(this.callIds ? { id } : {}), name, args: argumentsOf(part.arguments) },
    };
  }

  /** Returns the result and the pictures beside it. */
  result(part: ToolResultPart, name: string): { readonly response: Json; readonly beside: readonly Json[] } {
    const text = part.content
      .map((each) => (each.kind === 'text' ? each.text : ''))
      .filter(Boolean)
      .join('\n');
    const pictures = part.content.filter((each) => each.kind !== 'text').flatMap((each) => this.part(each));
    const response = part.isError ? { error: text } : resultOf(text);
    const functionResponse = {
      ...(this.callIds ? { id: part.callId } : {}),
      name,
      response,
      ...(this.third && pictures.length > 0 ? { parts: pictures } : {}),
    };
    // Before generation 3 a tool result may contain only text.
    return { response: { functionResponse }, beside: this.third ? [] : pictures };
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

const signed = (thoughtSignature: string | undefined): Json =>
  thoughtSignature === undefined ? {} : { thoughtSignature };

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
