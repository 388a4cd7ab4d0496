import { asReminder } from '../neutral/repaired-history.js';
import { asFields, asFieldsList, asList, asText, type Fields } from '../neutral/fields.js';
import { changedList } from '../wire/pass-through/changed-list.js';

/** Mistral's template accepts no message of the user right after the result of a tool. */
const between = { role: 'assistant', content: 'I have the results.' };

/**
 * Chat messages in which the assistant speaks between the result of a tool and the user.
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
 * One message of instructions at the beginning, and later ones as words of the user, for templates that take no other.
 * @returns the same value when nothing changes
 */
export function withoutLaterInstructions(messages: unknown): unknown {
  const given = asFieldsList(messages);
  const first = given.findIndex((message) => !isInstruction(message));
  const leading = first === -1 ? given : given.slice(0, first);
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

/** Turns and instructions of a Messages body without blank texts. A message that has no other content gets a placeholder. */
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

/** Chat messages in which each turn of the assistant has thoughts, for models that want them back. */
export const withThoughts = (messages: unknown): unknown =>
  changedList(messages, (message) =>
    message['role'] === 'assistant' && asText(message['reasoning_content']) === ''
      ? { ...message, reasoning_content: ' ' }
      : message,
  );
