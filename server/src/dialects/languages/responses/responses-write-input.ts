import { unsupported, type Dropped } from '../../neutral/field-name.js';
import { fileType, imageType, isTextType, textOfBase64, toDataUrl } from '../../neutral/media.js';
import {
  isInstruction,
  type FilePart,
  type ImagePart,
  type NeutralMessage,
  type Part,
  type ReasoningPart,
  type ToolResultPart,
} from '../../neutral/message.js';
import { resultContent } from '../../neutral/tool-error.js';
import type { NeutralRequest } from '../../neutral/request.js';
import { encryptedContent, itemOfSignature } from './thinking-signature.js';
import type { Json } from '../../neutral/fields.js';

/** The leading instructions of the call, and the items after them. */
export interface WrittenInput {
  readonly instructions?: string;
  readonly input: Json[];
}

/**
 * Messages as a Responses provider expects them.
 * @throws AppError UNSUPPORTED_BY_CHANNEL naming the part
 */
export function writeInput(request: NeutralRequest, dropped: Dropped): WrittenInput {
  const own = request.dialect === 'openai-responses';
  const count = own ? ownInstructions(request.messages) : leadingInstructions(request.messages);
  const instructions = request.messages.slice(0, count).map(textOf).filter(Boolean).join('\n\n');
  const input = request.messages.slice(count).flatMap((message) => writeMessage(message, own, dropped));
  return { ...(instructions === '' ? {} : { instructions }), input };
}

const ownInstructions = ([first]: readonly NeutralMessage[]): number =>
  first?.parts[0]?.at === 'instructions' ? 1 : 0;

function leadingInstructions(messages: readonly NeutralMessage[]): number {
  const first = messages.findIndex(
    (message) => !isInstruction(message) || message.parts.some((part) => part.kind !== 'text'),
  );
  return first < 0 ? messages.length : first;
}

const textOf = (message: NeutralMessage): string =>
  message.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');

function writeMessage(message: NeutralMessage, own: boolean, dropped: Dropped): Json[] {
  const { role, parts } = message;
  if (message.name !== undefined && role !== 'tool') dropped.hint('name', message.name);
  if (role === 'tool') return parts.flatMap((part) => (part.kind === 'toolResult' ? writeResult(part, own) : []));
  if (role === 'assistant') return writeAssistant(parts, own, dropped);
  const [only] = parts;
  const content = parts.length === 1 && only?.kind === 'text' ? only.text : parts.map((part) => writePart(part, own));
  return parts.length === 0 ? [] : [{ type: 'message', role, content }];
}

function writeAssistant(parts: readonly Part[], own: boolean, dropped: Dropped): Json[] {
  const items: Json[] = [];
  let texts: Json[] = [];
  const flush = (): void => {
    if (texts.length > 0) items.push({ type: 'message', role: 'assistant', content: texts });
    texts = [];
  };
  for (const part of parts) {
    if (part.kind === 'text') {
      if (part.text !== '') texts.push({ type: 'output_text', text: part.text, annotations: [] });
      continue;
    }
    if (part.kind === 'refusal') {
      texts.push({ type: 'refusal', refusal: part.text });
      continue;
    }
    flush();
    if (part.kind === 'toolCall') items.push(writeCall(part));
    else if (part.kind === 'reasoning') items.push(...writeReasoning(part, own, dropped));
    else if (part.kind === 'foreign' && own) items.push(part.value);
    else throw unsupported(part.at ?? 'messages', 'Responses accepts only text from the assistant');
  }
  flush();
  return items;
}

function writeCall({ id, name, namespace, custom, arguments: text }: Extract<Part, { kind: 'toolCall' }>): Json {
  const called = { call_id: id, name, ...(namespace === undefined ? {} : { namespace }) };
  return custom
    ? { type: 'custom_tool_call', ...called, input: text }
    : { type: 'function_call', ...called, arguments: text || '{}' };
}

/** Reasoning is accepted back only with its signature and its original id. */
function writeReasoning(part: ReasoningPart, own: boolean, dropped: Dropped): Json[] {
  const summary = part.text === '' ? [] : [{ type: 'summary_text', text: part.text }];
  if (own) {
    const encrypted = encryptedContent(part);
    return [
      {
        type: 'reasoning',
        ...(part.id === undefined ? {} : { id: part.id }),
        summary,
        ...(encrypted === undefined ? {} : { encrypted_content: encrypted }),
      },
    ];
  }
  const item = part.signature === undefined ? null : itemOfSignature(part.signature);
  if (item) return [{ type: 'reasoning', id: item.id, summary, encrypted_content: item.encrypted }];
  dropped.hint('reasoningHistory', true);
  return [];
}

function writeResult(part: ToolResultPart, own: boolean): Json[] {
  const content = resultContent(part);
  const plain = content.every((each) => each.kind === 'text');
  const output = plain
    ? content.map((each) => (each.kind === 'text' ? each.text : '')).join('\n')
    : content.map((each) => writePart(each, own));
  return [{ type: part.custom ? 'custom_tool_call_output' : 'function_call_output', call_id: part.callId, output }];
}

function writePart(part: Part, own: boolean): Json {
  switch (part.kind) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image':
      return writeImage(part, own);
    case 'file':
      return writeFile(part, own);
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
    case 'foreign':
      if (own) return part.value;
      throw unsupported(part.at ?? 'messages', 'Responses does not support this part');
    default:
      throw unsupported(part.at ?? 'messages', 'Responses does not support it here');
  }
}

function writeImage({ source, detail, at }: ImagePart, own: boolean): Json {
  const more = { detail: detail ?? 'auto' };
  if (source.kind === 'url') return { type: 'input_image', image_url: source.url, ...more };
  if (source.kind === 'base64')
    return { type: 'input_image', image_url: toDataUrl(imageType(source), source.data), ...more };
  if (source.kind === 'id' && own) return { type: 'input_image', file_id: source.id, ...more };
  throw unsupported(at ?? 'messages', 'the image is stored at another provider');
}

function writeFile({ source, filename, at }: FilePart, own: boolean): Json {
  const named = filename === undefined ? {} : { filename };
  switch (source.kind) {
    case 'text':
      return { type: 'input_text', text: source.text };
    case 'url':
      return { type: 'input_file', file_url: source.url };
    case 'id':
      // Chat and Responses share one file storage.
      if (own || source.dialect === 'openai-chat') return { type: 'input_file', file_id: source.id };
      throw unsupported(at ?? 'messages', 'the file is stored at another provider');
    case 'base64': {
      const type = fileType(source, filename);
      if (!own && isTextType(type)) return { type: 'input_text', text: textOfBase64(source.data) };
      const data = type === '' ? source.data : toDataUrl(type, source.data);
      return { type: 'input_file', filename: filename ?? 'document.pdf', ...named, file_data: data };
    }
  }
}
