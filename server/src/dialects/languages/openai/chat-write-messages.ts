import { ofEachGroup, ofEachObject } from '../../../shared/of-each-object.js';
import { fileType, imageType, isTextType, textOfBase64, toDataUrl } from '../../neutral/media.js';
import { makerOfModel, reasoningDetails } from './reasoning-details.js';
import {
  type FilePart,
  type ImagePart,
  type NeutralMessage,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
  isInstruction,
} from '../../neutral/message.js';
import { resultContent } from '../../neutral/tool-error.js';
import { shortCallId } from '../../neutral/call-id.js';
import { Dropped, unsupported } from '../../neutral/field-name.js';
import type { Dialect } from '../../neutral/dialect.js';
import type { ProofMaker } from '../../neutral/thought-proof.js';
import type { NeutralRequest } from '../../neutral/request.js';
import type { Json } from '../../neutral/fields.js';

/**
 * Messages as a chat provider expects them.
 * @param reasoningHistory the field in which the provider requires reasoning; undefined: it refuses reasoning
 * @throws AppError UNSUPPORTED_BY_CHANNEL naming the part that chat cannot express
 */
export function writeMessages(request: NeutralRequest, dropped: Dropped, reasoningHistory?: string): Json[] {
  const own = request.dialect === 'openai-chat';
  const maker = !own && reasoningHistory === 'reasoning' ? makerOfModel(request.model) : undefined;
  const written: Json[] = [];
  // Content that a tool result must not contain is sent after all results of the turn.
  let carried: Json[] = [];
  const flush = (): void => {
    const [first, ...others] = carried;
    if (first) written.push(carriedMessage([first, ...others]));
    carried = [];
  };
  for (const message of request.messages) {
    if (message.role !== 'tool') flush();
    const each = writeMessage(message, own, dropped.dialect, reasoningHistory, maker);
    for (const one of each.messages) written.push(one);
    for (const part of each.carried) carried.push(part);
    dropped.add(...each.dropped);
  }
  flush();
  return written;
}

const carriedMessage = ofEachGroup((content: readonly [Json, ...Json[]]): Json => ({ role: 'user', content }));

interface WrittenMessage {
  readonly messages: readonly Json[];
  readonly carried: readonly Json[];
  readonly dropped: readonly string[];
}

/**
 * @param dialect the client's dialect, whose names are reported
 * @param maker the maker whose proofs of thinking the model accepts
 */
const writeMessage = ofEachObject(
  (
    message: NeutralMessage,
    own: boolean,
    dialect: Dialect,
    reasoningHistory: string | undefined,
    maker: ProofMaker | undefined,
  ): WrittenMessage => {
    const dropped = new Dropped(dialect);
    const carried: Json[] = [];
    const messages =
      message.role === 'tool'
        ? message.parts.flatMap((part): Json[] => (part.kind === 'toolResult' ? [writeResult(part, own, carried)] : []))
        : message.role === 'assistant'
          ? [
              {
                ...writeAssistant(message, own, dropped, reasoningHistory),
                ...(maker ? reasoningDetails(message.parts, maker) : {}),
              },
            ]
          : [writeInput(message, own)];
    return { messages, carried, dropped: dropped.names };
  },
);

function writeInput(message: NeutralMessage, own: boolean): Json {
  const { role, name } = message;
  const texts = message.parts.flatMap((part) => (part.kind === 'text' ? part : []));
  const plain = texts.length === message.parts.length && !(own && texts.some((text) => text.cacheControl));
  const joins = plain && (texts.length <= 1 || (isInstruction(message) && !own));
  const content = joins ? texts.map((part) => part.text).join('\n') : message.parts.map((part) => writePart(part, own));
  return { role, content, ...(name === undefined ? {} : { name }) };
}

function writePart(part: Part, own: boolean): Json {
  switch (part.kind) {
    case 'text':
      return {
        type: 'text',
        text: part.text,
        ...(own && part.cacheControl ? { cache_control: part.cacheControl } : {}),
      };
    case 'image':
      return writeImage(part, own);
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
    case 'file':
      return writeFile(part, own);
    case 'refusal':
      return { type: 'refusal', refusal: part.text };
    case 'foreign':
      if (own) return part.value;
      throw unsupported(part.at ?? 'messages', 'chat completions do not support this part');
    default:
      throw unsupported(part.at ?? 'messages', 'chat completions do not support it here');
  }
}

function writeImage({ source, detail, cacheControl, at }: ImagePart, own: boolean): Json {
  const url =
    source.kind === 'url' ? source.url : source.kind === 'base64' ? toDataUrl(imageType(source), source.data) : null;
  if (url === null) throw unsupported(at ?? 'messages', 'the image is stored at another provider');
  return {
    type: 'image_url',
    image_url: { url, ...(detail === undefined ? {} : { detail }) },
    ...(own && cacheControl ? { cache_control: cacheControl } : {}),
  };
}

function writeFile({ source, filename, cacheControl, at }: FilePart, own: boolean): Json {
  const cache = own && cacheControl ? { cache_control: cacheControl } : {};
  const named = filename === undefined ? {} : { filename };
  switch (source.kind) {
    case 'text':
      return { type: 'text', text: source.text };
    case 'id':
      if (own) return { type: 'file', file: { file_id: source.id, ...named }, ...cache };
      throw unsupported(at ?? 'messages', 'the file is stored at another provider');
    case 'url':
      if (own) return { type: 'file', file: { file_data: source.url, ...named }, ...cache };
      throw unsupported(at ?? 'messages', 'files by URL are not supported');
    case 'base64': {
      const type = fileType(source, filename);
      if (!own && isTextType(type)) return { type: 'text', text: textOfBase64(source.data) };
      const data = type === '' ? source.data : toDataUrl(type, source.data);
      return { type: 'file', file: { filename: filename ?? 'document.pdf', file_data: data }, ...cache };
    }
  }
}

function writeAssistant(
  { parts, name }: NeutralMessage,
  own: boolean,
  dropped: Dropped,
  reasoningHistory: string | undefined,
): Json {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? part.text : []));
  const calls = parts.filter((part) => part.kind === 'toolCall');
  const others = parts.filter((part) => !['text', 'toolCall', 'reasoning'].includes(part.kind));
  const content =
    others.length > 0
      ? parts
          .filter((part) => part.kind !== 'toolCall' && part.kind !== 'reasoning')
          .map((part) => writeAssistantPart(part, own))
      : texts.length > 0
        ? texts.join('')
        : calls.length > 0
          ? null
          : '';
  return {
    role: 'assistant',
    content,
    ...(name === undefined ? {} : { name }),
    ...(own ? ownExtensions(parts) : {}),
    ...(calls.length > 0 ? { tool_calls: calls.map((call) => writeCall(call, own)) } : {}),
    ...(own ? {} : writeReasoning(parts, reasoningHistory, dropped)),
  };
}

const writeAssistantPart = (part: Part, own: boolean): Json => {
  if (part.kind === 'text' || part.kind === 'refusal' || part.kind === 'foreign') return writePart(part, own);
  throw unsupported(part.at ?? 'messages', 'chat completions accept only text from the assistant');
};

/**
 * OpenAI refuses reasoning in the history. Providers that require it refuse a tool call without it. A client that hides
 * reasoning, or whose last response came from another provider, has none, so a blank is sent in its place.
 */
function writeReasoning(parts: readonly Part[], field: string | undefined, dropped: Dropped): Json {
  const thoughts = parts.flatMap((part) => (part.kind === 'reasoning' ? part : []));
  if (field === undefined) {
    if (thoughts.length > 0) dropped.hint('reasoningHistory', true);
    return {};
  }
  const text = thoughts.map((part) => part.text).join('');
  if (text !== '') return { [field]: text };
  return field === 'reasoning_content' && parts.some((part) => part.kind === 'toolCall') ? { [field]: ' ' } : {};
}

function ownExtensions(parts: readonly Part[]): Json {
  const thoughts = parts.flatMap((part) => (part.kind === 'reasoning' ? part : []));
  const signature = parts.findLast((part) => part.kind === 'text' && part.signature !== undefined);
  const extra = signature && 'signature' in signature ? { extra_content: googleExtra(signature.signature) } : {};
  if (thoughts.length === 0) return extra;
  const proven = thoughts.some((part) => part.signature !== undefined || part.redacted !== undefined);
  return {
    ...extra,
    ...(proven
      ? { thinking_blocks: thinkingBlocks(parts) }
      : { reasoning_content: thoughts.map((part) => part.text).join('') }),
  };
}

/** Reasoning with its signature, so that a client can send it back (docs/reference/providers/anthropic.md#thinking). */
export const thinkingBlocks = (parts: readonly Part[]): Json[] =>
  parts.flatMap((part): Json[] => {
    if (part.kind !== 'reasoning') return [];
    if (part.redacted !== undefined) return [{ type: 'redacted_thinking', data: part.redacted }];
    return [
      { type: 'thinking', thinking: part.text, ...(part.signature === undefined ? {} : { signature: part.signature }) },
    ];
  });

/**
 * The position of the thinking signature in Google's chat-compatible API
 * (docs/reference/providers/gemini-and-vertex.md#gemini-thinking).
 */
export const googleExtra = (signature: string | undefined): Json => ({ google: { thought_signature: signature } });

/** A tool call of the history. */
export function writeCall(call: ToolCallPart, withSignature: boolean): Json {
  const signed = withSignature && call.signature !== undefined ? { extra_content: googleExtra(call.signature) } : {};
  return call.custom
    ? { id: shortCallId(call.id), type: 'custom', custom: { name: call.name, input: call.arguments }, ...signed }
    : {
        id: shortCallId(call.id),
        type: 'function',
        function: { name: call.name, arguments: call.arguments || '{}' },
        ...signed,
      };
}

function writeResult(part: ToolResultPart, own: boolean, carried: Json[]): Json {
  const texts: string[] = [];
  for (const each of resultContent(part)) {
    if (each.kind === 'text') texts.push(each.text);
    else if (own)
      return {
        role: 'tool',
        tool_call_id: shortCallId(part.callId),
        content: part.content.map((piece) => writePart(piece, own)),
      };
    else carried.push(writePart(each, own));
  }
  return {
    role: 'tool',
    tool_call_id: shortCallId(part.callId),
    content: texts.join('\n'),
    ...(own && part.name !== undefined ? { name: part.name } : {}),
  };
}
