import { toolId } from '../languages/anthropic/messages-write-content.js';
import { asReminder } from '../neutral/repaired-history.js';
import { asFields, asFieldsList, asList, asText, type Fields } from '../neutral/fields.js';
import { changedList } from '../wire/pass-through/changed-list.js';

/**
 * Mistral's template refuses a user message directly after a tool result, so this assistant message is inserted between
 * them.
 */
const between = { role: 'assistant', content: 'I have the results.' };

/**
 * Returns chat messages in which an assistant message stands between a tool result and the user.
 * @returns the same value when nothing changes
 */
export function withAnsweredResults(messages: unknown): unknown {
  const given = asList(messages);
  const turns = given.flatMap((message, index) =>
    roleOf(message) === 'user' && roleOf(given[index - 1]) === 'tool' ? [between, message] : [message],
  );
  return turns.length === given.length ? messages : turns;
}

const roleOf = (message: unknown): unknown => asFields(message)?.['role'];
const isInstruction = (message: unknown): boolean => ['system', 'developer'].includes(asText(roleOf(message)));

/**
 * Keeps one message of instructions at the beginning, and turns later instructions into user messages, for templates
 * that accept no others.
 * @returns the same value when nothing changes
 */
export function withoutLaterInstructions(messages: unknown): unknown {
  const given = asFieldsList(messages);
  const first = given.findIndex((message) => !isInstruction(message));
  const leading = first < 0 ? given : given.slice(0, first);
  const rest = given.slice(leading.length);
  if (leading.length < 2 && !rest.some(isInstruction)) return messages;
  const [one, ...more] = leading;
  const begun = one ? [{ ...one, content: more.map(({ content }) => content).reduce(joined, one['content']) }] : [];
  return [...begun, ...rest.map((message) => (isInstruction(message) ? reminded(message) : message))];
}

const joined = (one: unknown, other: unknown): unknown =>
  typeof one === 'string' && typeof other === 'string' ? `${one}\n\n${other}` : [...partsOf(one), ...partsOf(other)];

const partsOf = (content: unknown): readonly unknown[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : asList(content);

function reminded({ role: _role, content, ...message }: Fields): Fields {
  const said =
    typeof content === 'string'
      ? asReminder(content)
      : changedList(content, (part) =>
          part['type'] === 'text' ? { ...part, text: asReminder(asText(part['text'])) } : part,
        );
  return { role: 'user', content: said, ...message };
}

const isBlankText = (block: unknown): boolean => {
  const fields = asFields(block);
  return fields?.['type'] === 'text' && asText(fields['text']).trim() === '';
};

/**
 * Removes blank texts from the turns and instructions of a Messages body. A message without other content gets a
 * placeholder.
 */
export function withoutBlanks(body: Fields): Fields {
  const messages = changedList(body['messages'], (message) => {
    const { content } = message;
    if (typeof content === 'string') return content.trim() === '' ? { ...message, content: placeholder } : message;
    if (!asList(content).some(isBlankText)) return message;
    const kept = asList(content).filter((block) => !isBlankText(block));
    return { ...message, content: kept.length > 0 ? kept : placeholder };
  });
  const blocks = asList(body['system']);
  const kept = blocks.filter((block) => !isBlankText(block));
  if (kept.length === blocks.length) return messages === body['messages'] ? body : { ...body, messages };
  const { system: _system, ...rest } = body;
  return { ...rest, messages, ...(kept.length > 0 ? { system: kept } : {}) };
}

const placeholder = '...';

/** Replaces the ids of calls of another maker's model as in a translated call. Call and result change alike. */
export const withCallIds = (messages: unknown): unknown =>
  changedList(messages, (message) => {
    const content = changedList(message['content'], (block) => {
      const name = block['type'] === 'tool_use' ? 'id' : 'tool_use_id';
      const id = asText(block[name]);
      return toolId(id) === id ? block : { ...block, [name]: toolId(id) };
    });
    return content === message['content'] ? message : { ...message, content };
  });

/** Adds thoughts to every assistant turn, for models that require them. */
export const withThoughts = (messages: unknown): unknown =>
  changedList(messages, (message) =>
    message['role'] === 'assistant' && asText(message['reasoning_content']) === ''
      ? { ...message, reasoning_content: ' ' }
      : message,
  );
