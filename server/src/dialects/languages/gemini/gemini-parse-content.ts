import { writeJson } from '../../../shared/exact-json.js';
import { InvalidInputError } from '../../../shared/errors.js';
import { asFields, either, someText, type Fields } from '../../neutral/fields.js';
import {
  needFields,
  needList,
  needName,
  needOneOf,
  needText,
  optionalFields,
  optionalList,
  optionalText,
} from '../../neutral/given.js';
import { audioFormat, bareMediaType } from '../../neutral/media.js';
import type { NeutralMessage, Part, ToolResultPart } from '../../neutral/message.js';
import { makerOfProof } from '../../neutral/thought-proof.js';

/**
 * `contents` of a call: turns of user and model, and function results.
 * @throws AppError INVALID_INPUT naming the field
 */
export function parseContents(value: unknown): NeutralMessage[] {
  const calls = new OpenCalls();
  const entries =
    typeof value === 'string'
      ? [{ parts: [{ text: value }] }]
      : Array.isArray(value)
        ? value
        : [needFields(value, 'contents')];
  const messages: NeutralMessage[] = [];
  // The parts of the last turn, if it is a turn of the model.
  let open: Part[] | null = null;
  for (const [index, entry] of entries.entries()) {
    const at = `contents[${index}]`;
    for (const message of parseContent(needFields(entry, at), at, calls)) {
      if (message.role !== 'assistant') open = null;
      else if (!open) messages.push({ ...message, parts: (open = []) });
      if (open) for (const part of message.parts) append(part, open);
      else messages.push(message);
    }
  }
  return messages;
}

/**
 * Chats of Google's SDKs keep every chunk of a stream as a turn of its own. A thought arrives in many chunks, followed
 * by its signature. Other providers require both in one part.
 */
function append(part: Part, parts: Part[]): void {
  const last = parts.at(-1);
  if (part.kind === 'reasoning' && last?.kind === 'reasoning' && last.signature === undefined) {
    parts[parts.length - 1] = { ...part, text: last.text + part.text };
  } else parts.push(part);
}

function parseContent(content: Fields, at: string, calls: OpenCalls): NeutralMessage[] {
  // Google accepts function results under any of three roles; the examples of its Python SDK use `tool`.
  const role = needOneOf(content['role'] ?? 'user', ['user', 'model', 'function', 'tool'], `${at}.role`);
  calls.begin(role === 'model');
  const parts = partsOf(content, at).flatMap((part, index) => parsePart(part, `${at}.parts[${index}]`, calls));
  if (role === 'model') return [{ role: 'assistant', parts }];
  const results = parts.filter((part) => part.kind === 'toolResult');
  const rest = parts.filter((part) => part.kind !== 'toolResult');
  return [
    ...(results.length > 0 ? [{ role: 'tool', parts: results } as const] : []),
    ...(rest.length > 0 || results.length === 0 ? [{ role: 'user', parts: rest } as const] : []),
  ];
}

function partsOf(content: Fields, at: string): Fields[] {
  const { parts } = content;
  if (parts === undefined || parts === null) return [];
  return (Array.isArray(parts) ? needList(parts, `${at}.parts`) : [parts]).map((part, index) =>
    typeof part === 'string' ? { text: part } : needFields(part, `${at}.parts[${index}]`),
  );
}

function parsePart(part: Fields, at: string, calls: OpenCalls): Part[] {
  const signature = asMade(someText(either(part, 'thoughtSignature', 'thought_signature')));
  const signed = signature === undefined ? {} : { signature };
  const call = asFields(either(part, 'functionCall', 'function_call'));
  if (call) {
    const name = needName(call['name'], `${at}.functionCall.name`);
    const args = optionalFields(call['args'], `${at}.functionCall.args`) ?? {};
    return [
      {
        kind: 'toolCall',
        id: calls.call(name, someText(call['id'])),
        name,
        arguments: writeJson(args),
        ...signed,
        at,
      },
    ];
  }
  const response = asFields(either(part, 'functionResponse', 'function_response'));
  if (response) return [parseResponse(response, at, calls)];
  const inline = asFields(either(part, 'inlineData', 'inline_data'));
  if (inline) return [{ ...parseInline(inline, at), ...signed }];
  const file = asFields(either(part, 'fileData', 'file_data'));
  if (file) return [parseFileData(file, at)];
  if (part['text'] !== undefined) {
    const text = needText(part['text'], `${at}.text`);
    if (part['thought'] === true) return [{ kind: 'reasoning', text, ...signed, at }];
    return text === '' && signature === undefined ? [] : [{ kind: 'text', text, ...signed }];
  }
  if (Object.keys(part).length === 0) return [];
  return [{ kind: 'foreign', dialect: 'gemini-generate', value: part, at }];
}

function parseInline(inline: Fields, at: string): Part {
  const mediaType = bareMediaType(
    optionalText(either(inline, 'mimeType', 'mime_type'), `${at}.inlineData.mimeType`) ?? '',
  );
  const data = needName(inline['data'], `${at}.inlineData.data`);
  const format = audioFormat(mediaType);
  if (format !== '') return { kind: 'audio', format, data, at };
  const source = { kind: 'base64', mediaType, data } as const;
  return mediaType.startsWith('image/') ? { kind: 'image', source, at } : { kind: 'file', source, at };
}

function parseFileData(file: Fields, at: string): Part {
  const url = needName(either(file, 'fileUri', 'file_uri'), `${at}.fileData.fileUri`);
  const mediaType = bareMediaType(optionalText(either(file, 'mimeType', 'mime_type'), `${at}.fileData.mimeType`) ?? '');
  const source = { kind: 'url', url, ...(mediaType === '' ? {} : { mediaType }) } as const;
  return mediaType.startsWith('image/') ? { kind: 'image', source, at } : { kind: 'file', source, at };
}

function parseResponse(response: Fields, at: string, calls: OpenCalls): ToolResultPart {
  const name = needName(response['name'], `${at}.functionResponse.name`);
  const result = optionalFields(response['response'], `${at}.functionResponse.response`) ?? {};
  const media = optionalList(response['parts'], `${at}.functionResponse.parts`).flatMap((given, index) => {
    const place = `${at}.functionResponse.parts[${index}]`;
    const part = needFields(given, place);
    const inline = asFields(either(part, 'inlineData', 'inline_data'));
    const file = asFields(either(part, 'fileData', 'file_data'));
    return inline ? parseInline(inline, place) : file ? parseFileData(file, place) : [];
  });
  return {
    kind: 'toolResult',
    callId: calls.answer(name, someText(response['id']), at),
    name,
    content: [{ kind: 'text', text: resultText(result) }, ...media],
    ...(Object.keys(result).join() === 'error' ? { isError: true } : {}),
    at,
  };
}

/** Google's clients wrap plain text as `result`, `output` or `error`. */
function resultText(result: Fields): string {
  const entries = Object.entries(result);
  const [only] = entries;
  const wraps = entries.length === 1 && only !== undefined && ['result', 'output', 'error'].includes(only[0]);
  return wraps && typeof only[1] === 'string' ? only[1] : writeJson(result);
}

/**
 * Gemini calls may lack an id: a result then belongs to the oldest open call of the same name. A call that was
 * interrupted has no result, so the next turn of the model closes it.
 */
class OpenCalls {
  private open: { id: string; name: string }[] = [];
  private count = 0;
  private isModel = false;

  /** Begins a content. A turn of the model may consist of several. */
  begin(isModel: boolean): void {
    if (isModel && !this.isModel) this.open = [];
    this.isModel = isModel;
  }

  /**
   * Registers a call.
   * @returns its id, generated if absent
   */
  call(name: string, given: string | undefined): string {
    const id = given ?? `call_${this.count++}_${name}`;
    this.open.push({ id, name });
    return id;
  }

  /**
   * Finds the call that a result belongs to.
   * @returns its id
   * @throws AppError INVALID_INPUT
   */
  answer(name: string, given: string | undefined, at: string): string {
    const index = this.open.findIndex((call) => (given === undefined ? call.name === name : call.id === given));
    const [call] = index < 0 ? [] : this.open.splice(index, 1);
    const id = call?.id ?? given;
    if (id === undefined) throw new InvalidInputError(`${at} is the result of a function that was not called`, at);
    return id;
  }
}

/**
 * Parses `systemInstruction`, which may be a content, a list of parts, or plain text. Providers refuse content other
 * than text, and the error names it.
 */
export function parseInstruction(value: unknown): NeutralMessage[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string')
    return value === '' ? [] : [{ role: 'system', parts: [{ kind: 'text', text: value }] }];
  const content = Array.isArray(value) ? { parts: value as unknown[] } : needFields(value, 'systemInstruction');
  const calls = new OpenCalls();
  const parts = partsOf(content, 'systemInstruction').flatMap((part, index) =>
    parsePart(part, `systemInstruction.parts[${index}]`, calls),
  );
  return parts.length === 0 ? [] : [{ role: 'system', parts }];
}

/**
 * Google's Python SDK decodes a signature from base64 and writes it with the URL-safe alphabet. Google accepts both.
 * Anthropic requires the original text.
 */
const asMade = (signature: string | undefined): string | undefined =>
  signature !== undefined && makerOfProof(signature) === 'anthropic' && !signature.startsWith('claude#')
    ? signature.replaceAll('-', '+').replaceAll('_', '/')
    : signature;
