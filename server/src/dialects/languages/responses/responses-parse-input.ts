import { InvalidInputError } from '../../../shared/errors.js';
import { ofEachGroup } from '../../../shared/of-each-object.js';
import { asFieldsList, asText, ofEachPart, someText, type Fields } from '../../neutral/fields.js';
import { needFields, needList, needName, needOneOf, needText, optionalText } from '../../neutral/given.js';
import { unsupported } from '../../neutral/field-name.js';
import { toMediaSource } from '../../neutral/media.js';
import { makerOfProof } from '../../neutral/thought-proof.js';
import type { ImagePart, NeutralMessage, Part } from '../../neutral/message.js';
import { imageTypeOf } from './responses-read.js';
import { readEncrypted } from './thinking-signature.js';

/**
 * The type of items that change the effort or the format of later responses (`openai` 3.57.0,
 * types/responses/response_configuration_update_item_param_param.py).
 */
export const configurationUpdate = 'configuration_update';

/**
 * `input`: text or a list of items. Adjacent items of the assistant form one turn.
 * @throws AppError INVALID_INPUT naming the field
 */
export function parseInput(value: unknown): NeutralMessage[] {
  if (typeof value === 'string') return [{ role: 'user', parts: [{ kind: 'text', text: value }] }];
  const turns: Array<[NeutralMessage, ...NeutralMessage[]]> = [];
  for (const message of parseItems(needList(value, 'input')).flat()) {
    if (!message) continue;
    const turn = turns.at(-1);
    if (turn?.[0].role === 'assistant' && message.role === 'assistant') turn.push(message);
    else turns.push([message]);
  }
  return turns.map((turn) => (turn.length === 1 ? turn[0] : joined(turn)));
}

const joined = ofEachGroup((turn: readonly [NeutralMessage, ...NeutralMessage[]]): NeutralMessage => ({
  ...turn[0],
  parts: turn.flatMap(({ parts }) => parts),
}));

const parseItems = ofEachPart((items, from) =>
  items.map((entry, index) => {
    const at = `input[${from + index}]`;
    const item = needFields(entry, at);
    return item['type'] === configurationUpdate ? null : parseItem(item, at);
  }),
);

function parseItem(item: Fields, at: string): NeutralMessage {
  switch (item['type'] ?? 'message') {
    case 'message': {
      const role = needOneOf(item['role'], ['user', 'assistant', 'system', 'developer'], `${at}.role`);
      return { role, parts: parseContent(item['content'], `${at}.content`) };
    }
    case 'function_call':
    case 'custom_tool_call': {
      const custom = item['type'] === 'custom_tool_call';
      const namespace = someText(item['namespace']);
      return assistant({
        kind: 'toolCall',
        id: needName(item['call_id'], `${at}.call_id`),
        name: needName(item['name'], `${at}.name`),
        arguments: custom
          ? needText(item['input'], `${at}.input`)
          : (optionalText(item['arguments'], `${at}.arguments`) ?? ''),
        ...(custom ? { custom } : {}),
        ...(namespace === undefined ? {} : { namespace }),
        at,
      });
    }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const result: Part = {
        kind: 'toolResult',
        callId: needName(item['call_id'], `${at}.call_id`),
        content: parseContent(item['output'], `${at}.output`),
        ...(item['type'] === 'custom_tool_call_output' ? { custom: true } : {}),
        at,
      };
      return { role: 'tool', parts: [result] };
    }
    case 'reasoning': {
      const texts = [...asFieldsList(item['summary']), ...asFieldsList(item['content'])].map((part) =>
        asText(part['text']),
      );
      const id = someText(item['id']);
      return assistant({
        kind: 'reasoning',
        text: texts.filter(Boolean).join('\n\n'),
        ...readEncrypted(someText(item['encrypted_content'])),
        ...(id === undefined ? {} : { id }),
        at,
      });
    }
    case 'agent_message':
      return { role: 'user', parts: [{ kind: 'text', text: agentText(item['content'], `${at}.content`) }] };
    default:
      needName(item['type'], `${at}.type`);
      return assistant({ kind: 'foreign', dialect: 'openai-responses', value: item, ...drawnIn(item, at), at });
  }
}

/**
 * Returns the task of a subagent of Codex, which is in a message type of its own. Its payload is plain text unless
 * OpenAI itself made the call.
 * @throws AppError UNSUPPORTED_BY_CHANNEL for a payload that only OpenAI can read
 */
function agentText(content: unknown, at: string): string {
  const texts = needList(content, at).map((entry, index) => {
    const part = needFields(entry, `${at}[${index}]`);
    const payload = someText(part['encrypted_content']);
    if (payload !== undefined && makerOfProof(payload) === 'openai')
      throw unsupported(`${at}[${index}].encrypted_content`, 'only OpenAI can read what it encrypted');
    return payload ?? asText(part['text']);
  });
  return texts.join('');
}

/** Returns the image of an item; a failed call has none. */
function drawnIn(item: Fields, at: string): { readonly drawn?: ImagePart } {
  const data = item['type'] === 'image_generation_call' ? someText(item['result']) : undefined;
  if (data === undefined) return {};
  return { drawn: { kind: 'image', source: { kind: 'base64', mediaType: imageTypeOf(item), data }, at } };
}

const assistant = (part: Part): NeutralMessage => ({ role: 'assistant', parts: [part] });

function parseContent(content: unknown, at: string): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  return needList(content, at).flatMap((entry, index) =>
    parsePart(needFields(entry, `${at}[${index}]`), `${at}[${index}]`),
  );
}

function parsePart(part: Fields, at: string): Part[] {
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text': {
      const text = needText(part['text'], `${at}.text`);
      return text === '' ? [] : [{ kind: 'text', text }];
    }
    case 'refusal':
      return [{ kind: 'refusal', text: needText(part['refusal'], `${at}.refusal`), at }];
    case 'input_image': {
      const detail = optionalText(part['detail'], `${at}.detail`);
      const more = { ...(detail === undefined ? {} : { detail }), at };
      const id = someText(part['file_id']);
      if (id !== undefined)
        return [{ kind: 'image', source: { kind: 'id', id, dialect: 'openai-responses' }, ...more }];
      return [
        {
          kind: 'image',
          source: toMediaSource(needName(part['image_url'], `${at}.image_url`), `${at}.image_url`),
          ...more,
        },
      ];
    }
    case 'input_file':
      return [parseFile(part, at)];
    case 'input_audio': {
      const audio = needFields(part['input_audio'], `${at}.input_audio`);
      const format = optionalText(audio['format'], `${at}.input_audio.format`) ?? 'wav';
      return [{ kind: 'audio', format, data: needName(audio['data'], `${at}.input_audio.data`), at }];
    }
    default:
      needName(part['type'], `${at}.type`);
      return [{ kind: 'foreign', dialect: 'openai-responses', value: part, at }];
  }
}

function parseFile(part: Fields, at: string): Part {
  const filename = someText(part['filename']);
  const named = filename === undefined ? {} : { filename };
  const id = someText(part['file_id']);
  if (id !== undefined) return { kind: 'file', source: { kind: 'id', id, dialect: 'openai-responses' }, ...named, at };
  const url = someText(part['file_url']);
  if (url !== undefined) return { kind: 'file', source: { kind: 'url', url }, ...named, at };
  const data = someText(part['file_data']);
  if (data === undefined) throw new InvalidInputError(`${at} needs file_data, file_url or file_id`, at);
  return { kind: 'file', source: toMediaSource(data, `${at}.file_data`), ...named, at };
}
