import { argumentsOf } from '../../neutral/arguments.js';
import { unsupported, type Dropped } from '../../neutral/field-name.js';
import { fileType, imageType, isTextType, textOfBase64 } from '../../neutral/media.js';
import {
  isInstruction,
  type FilePart,
  type ImagePart,
  type NeutralMessage,
  type Part,
  type ToolResultPart,
} from '../../neutral/message.js';
import type { NeutralRequest } from '../../neutral/request.js';
import type { ClaudeSettings } from './claude-settings.js';
import type { Json } from '../../neutral/fields.js';

/** Replaces a turn that the client left empty, because Anthropic requires content. */
const placeholder = '...';

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly results: Json[];
  readonly blocks: Json[];
}

/**
 * Returns turns as Anthropic requires them (docs/reference/providers/anthropic.md#chat-to-messages): user and assistant
 * alternate, tool results come first, no text is empty, and the user begins.
 * @throws AppError UNSUPPORTED_BY_CHANNEL, INVALID_INPUT naming the part
 */
export function writeTurns(request: NeutralRequest, settings: ClaudeSettings, dropped: Dropped): Json[] {
  const turns: Turn[] = [];
  for (const message of request.messages) {
    if (isInstruction(message)) continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    let turn = turns.at(-1);
    if (turn?.role !== role) turns.push((turn = { role, results: [], blocks: [] }));
    if (message.name !== undefined && message.role !== 'tool') dropped.hint('name', message.name);
    writeParts(message, turn, settings, dropped);
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', results: [], blocks: [] });
  trimEnd(turns.at(-1));
  return turns.map(({ role, results, blocks }) => ({ role, content: contentOf([...results, ...blocks]) }));
}

function writeParts(message: NeutralMessage, turn: Turn, settings: ClaudeSettings, dropped: Dropped): void {
  for (const part of message.parts) {
    if (part.kind === 'toolResult') turn.results.push(writeResult(part, settings, dropped));
    else if (part.kind === 'reasoning' && part.signature === undefined && part.redacted === undefined) {
      // Anthropic refuses thinking without a signature.
      dropped.hint('reasoningHistory', part.text);
    } else if (part.kind !== 'text' || part.text.trim() !== '') turn.blocks.push(writeBlock(part, settings, dropped));
  }
}

function contentOf(blocks: readonly Json[]): unknown {
  const [first] = blocks;
  if (!first) return [{ type: 'text', text: placeholder }];
  const plain = blocks.length === 1 && first['type'] === 'text' && first['cache_control'] === undefined;
  return plain ? first['text'] : blocks;
}

/** A prefilled assistant turn must not end in spaces. */
function trimEnd(turn: Turn | undefined): void {
  const last = turn?.role === 'assistant' ? turn.blocks.at(-1) : undefined;
  if (last?.['type'] === 'text') last['text'] = String(last['text']).trimEnd() || placeholder;
}

const cacheOf = (part: { readonly cacheControl?: object }): Json =>
  part.cacheControl ? { cache_control: part.cacheControl } : {};

function writeBlock(part: Part, settings: ClaudeSettings, dropped: Dropped): Json {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text, ...cacheOf(part) };
    case 'refusal':
      return { type: 'text', text: part.text };
    case 'image':
      if (part.detail !== undefined && part.detail !== 'auto') dropped.hint('detail', part.detail);
      return writeImage(part, settings);
    case 'file':
      return writeFile(part, settings);
    case 'reasoning':
      return part.redacted === undefined
        ? { type: 'thinking', thinking: part.text, signature: part.signature }
        : { type: 'redacted_thinking', data: part.redacted };
    case 'toolCall': {
      if (part.custom) throw unsupported(part.at ?? 'messages', 'Claude has no tools that take plain text');
      return {
        type: 'tool_use',
        id: toolId(part.id),
        name: part.name,
        input: argumentsOf(part.arguments),
        ...cacheOf(part),
      };
    }
    case 'foreign':
      if (part.dialect === 'anthropic-messages') return part.value;
      throw unsupported(part.at ?? 'messages', 'Claude does not support this part');
    case 'audio':
      throw unsupported(part.at ?? 'messages', 'Claude does not accept audio');
    case 'toolResult':
      return writeResult(part, settings, dropped);
  }
}

/** Ids of other providers may contain characters that Anthropic refuses; call and result change alike. */
export const toolId = (id: string): string => id.replace(/[^A-Za-z0-9_-]/g, '_');

function writeImage(part: ImagePart, settings: ClaudeSettings): Json {
  const { source, at } = part;
  switch (source.kind) {
    case 'base64':
      return {
        type: 'image',
        source: { type: 'base64', media_type: imageType(source), data: source.data },
        ...cacheOf(part),
      };
    case 'url':
      if (!settings.remoteMedia) throw unsupported(at ?? 'messages', 'it does not fetch images by URL');
      return { type: 'image', source: { type: 'url', url: source.url }, ...cacheOf(part) };
    default:
      return { type: 'image', source: { type: 'file', file_id: idOf(part) }, ...cacheOf(part) };
  }
}

function writeFile(part: FilePart, settings: ClaudeSettings): Json {
  const { source, filename, at } = part;
  const title = filename === undefined ? {} : { title: filename };
  const document = (given: Json): Json => ({ type: 'document', source: given, ...title, ...cacheOf(part) });
  switch (source.kind) {
    case 'text':
      return document({ type: 'text', media_type: 'text/plain', data: source.text });
    case 'url':
      if (!settings.remoteMedia) throw unsupported(at ?? 'messages', 'it does not fetch files by URL');
      return document({ type: 'url', url: source.url });
    case 'id':
      return document({ type: 'file', file_id: idOf(part) });
    case 'base64': {
      const type = fileType(source, filename);
      if (type === 'application/pdf' || type === '')
        return document({ type: 'base64', media_type: 'application/pdf', data: source.data });
      if (isTextType(type))
        return document({ type: 'text', media_type: 'text/plain', data: textOfBase64(source.data) });
      if (type.startsWith('image/')) return writeImage({ kind: 'image', source, at }, settings);
      throw unsupported(at ?? 'messages', `Claude does not accept ${type}`);
    }
  }
}

/** Only clients of the same dialect can refer to a file stored at Anthropic. */
function idOf({ source, at }: ImagePart | FilePart): string {
  if (source.kind === 'id' && source.dialect === 'anthropic-messages') return source.id;
  throw unsupported(at ?? 'messages', 'the file is stored at another provider');
}

function writeResult(part: ToolResultPart, settings: ClaudeSettings, dropped: Dropped): Json {
  const blocks = part.content
    .filter((each) => each.kind !== 'text' || each.text.trim() !== '')
    .map((each) => writeBlock(each, settings, dropped));
  const content = blocks.length === 0 ? '' : contentOf(blocks);
  return {
    type: 'tool_result',
    tool_use_id: toolId(part.callId),
    content,
    ...(part.isError ? { is_error: true } : {}),
    ...cacheOf(part),
  };
}

/**
 * All instructions as one text, or as blocks if part of them is to be cached.
 * @throws AppError UNSUPPORTED_BY_CHANNEL for other content than text
 */
export function writeSystem(request: NeutralRequest): unknown {
  const parts = request.messages.filter(isInstruction).flatMap((message) => message.parts);
  const other = parts.find((part) => part.kind !== 'text');
  if (other) throw unsupported(other.at ?? 'system', 'Claude accepts only text as instructions');
  const texts = parts.flatMap((part) => (part.kind === 'text' && part.text.trim() !== '' ? part : []));
  if (texts.length === 0) return undefined;
  if (!texts.some((part) => part.cacheControl)) return texts.map((part) => part.text).join('\n\n');
  return texts.map((part) => ({ type: 'text', text: part.text, ...cacheOf(part) }));
}
