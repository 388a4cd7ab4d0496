import { writeJson } from '../../../shared/exact-json.js';
import { InvalidInputError } from '../../../shared/errors.js';
import { asFields, asText, someText, type Fields } from '../../neutral/fields.js';
import { needFields, needList, needName, needText, optionalList, optionalText } from '../../neutral/given.js';
import type { NeutralMessage, Part, ReasoningPart, ToolCallPart } from '../../neutral/message.js';
import { cacheControlOf, parseContent } from './chat-parse-content.js';
import { signatureOf, thinkingBlocks } from './chat-read.js';

/**
 * `messages` of a chat call in the neutral form.
 * @throws AppError INVALID_INPUT naming the field
 */
export function parseMessages(value: unknown): NeutralMessage[] {
  const legacy = new LegacyCalls();
  return needList(value, 'messages').flatMap((entry, index) => {
    const at = `messages[${index}]`;
    const message = needFields(entry, at);
    const onlyAddsTools = message['role'] === 'system' && message['tools'] && !message['content'];
    return onlyAddsTools ? [] : [parseMessage(message, at, legacy)];
  });
}

function parseMessage(message: Fields, at: string, legacy: LegacyCalls): NeutralMessage {
  const role = someText(message['role']) ?? 'user';
  const name = optionalText(message['name'], `${at}.name`);
  const content = (): Part[] => withCache(parseContent(message['content'], `${at}.content`), message);
  switch (role) {
    case 'system':
    case 'developer':
    case 'user':
      return { role, parts: content(), ...(name === undefined ? {} : { name }) };
    case 'assistant':
      return {
        role,
        parts: [
          ...parseReasoning(message),
          ...signText(content(), message),
          ...parseRefusal(message, at),
          ...parseCalls(message, at, legacy),
        ],
        ...(name === undefined ? {} : { name }),
      };
    case 'tool':
    case 'function': {
      const callId =
        role === 'tool' ? needName(message['tool_call_id'], `${at}.tool_call_id`) : legacy.answer(name, at);
      const part: Part = {
        kind: 'toolResult',
        callId,
        content: parseContent(message['content'], `${at}.content`),
        ...(name === undefined ? {} : { name }),
        ...cacheControlOf(message),
        at,
      };
      return { role: 'tool', parts: [part] };
    }
    default:
      throw new InvalidInputError(`${at}.role must be one of system, developer, user, assistant, tool`, `${at}.role`);
  }
}

/** A cache hint on the message applies to its last text. */
function withCache(parts: Part[], message: Fields): Part[] {
  const cache = cacheControlOf(message);
  const last = parts.at(-1);
  if (!cache.cacheControl || last?.kind !== 'text') return parts;
  return [...parts.slice(0, -1), { ...last, ...cache }];
}

/** Signature of a text, in the position that Google's chat-compatible API uses. */
function signText(parts: Part[], message: Fields): Part[] {
  const signature = signatureOf(message);
  if (signature === undefined) return parts;
  const at = parts.findLastIndex((part) => part.kind === 'text');
  if (at < 0) return [...parts, { kind: 'text', text: '', signature }];
  return parts.map((part, index) => (index === at && part.kind === 'text' ? { ...part, signature } : part));
}

/** Returns blocks with signatures if the client kept them, or else the plain reasoning text. */
function parseReasoning(message: Fields): ReasoningPart[] {
  const blocks = thinkingBlocks(message);
  if (blocks.length > 0) return blocks;
  const text = someText(message['reasoning_content']) ?? someText(message['reasoning']);
  return text === undefined ? [] : [{ kind: 'reasoning', text }];
}

/** Parses a refusal: clients send a message back unchanged, with the refusal next to the content. */
function parseRefusal(message: Fields, at: string): Part[] {
  const text = optionalText(message['refusal'], `${at}.refusal`) ?? '';
  return text === '' ? [] : [{ kind: 'refusal', text, at: `${at}.refusal` }];
}

function parseCalls(message: Fields, at: string, legacy: LegacyCalls): ToolCallPart[] {
  const calls = optionalList(message['tool_calls'], `${at}.tool_calls`).map((entry, index) =>
    parseCall(needFields(entry, `${at}.tool_calls[${index}]`), `${at}.tool_calls[${index}]`),
  );
  const old = asFields(message['function_call']);
  if (!old) return calls;
  const name = needName(old['name'], `${at}.function_call.name`);
  return [
    ...calls,
    { kind: 'toolCall', id: legacy.call(name), name, arguments: asText(old['arguments']), at: `${at}.function_call` },
  ];
}

function parseCall(call: Fields, at: string): ToolCallPart {
  const id = needName(call['id'], `${at}.id`);
  const signature = signatureOf(call) ?? someText(asFields(call['function'])?.['thought_signature']);
  const signed = signature === undefined ? {} : { signature };
  if (call['type'] === 'custom') {
    const custom = needFields(call['custom'], `${at}.custom`);
    const name = needName(custom['name'], `${at}.custom.name`);
    return {
      kind: 'toolCall',
      id,
      name,
      arguments: needText(custom['input'], `${at}.custom.input`),
      custom: true,
      ...signed,
      at,
    };
  }
  const called = needFields(call['function'], `${at}.function`);
  const name = needName(called['name'], `${at}.function.name`);
  const given = called['arguments'];
  // Some clients send parsed arguments.
  const text = asFields(given) ? writeJson(given) : (optionalText(given, `${at}.function.arguments`) ?? '');
  return { kind: 'toolCall', id, name, arguments: text, ...signed, ...cacheControlOf(call), at };
}

/** Calls in the legacy `function_call` shape have no id: a result belongs to the oldest open call of the same name. */
class LegacyCalls {
  private readonly open: { id: string; name: string }[] = [];
  private count = 0;

  /**
   * Registers a call without id.
   * @returns a generated id
   */
  call(name: string): string {
    const id = `call_function_${this.count++}`;
    this.open.push({ id, name });
    return id;
  }

  /**
   * Finds the call that a result belongs to.
   * @returns its id
   * @throws AppError INVALID_INPUT
   */
  answer(name: string | undefined, at: string): string {
    const index = this.open.findIndex((call) => call.name === name);
    const [call] = index < 0 ? [] : this.open.splice(index, 1);
    if (!call) throw new InvalidInputError(`${at} is the result of a function that was not called`, at);
    return call.id;
  }
}
