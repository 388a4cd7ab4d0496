import { asFields, asFieldsList, asText, either, type Fields } from '../../dialects/neutral/fields.js';
import { maskKeys } from '../../shared/key-patterns.js';

/** Maximum characters of each field. */
export const contentLimit = 64 * 1024;

interface Turn {
  readonly role: string;
  readonly text: string;
}

/**
 * Collects the texts of a call, for admins who log them (option LogChatContentEnabled, off by default;
 * docs/reference/relay/usage-log.md#the-other-field): the last user message, the other messages, the system texts and
 * the response, each cut to 64 KB and without keys. Works for the body of any endpoint; a request without turns counts
 * as one message.
 */
export function chatContent(body: Fields, answer: string): Record<string, string> {
  const said = turnsOf(body);
  const isSystem = ({ role }: Turn): boolean => role === 'system' || role === 'developer';
  const last = said.findLast(({ role }) => role === 'user');
  const system = said.filter(isSystem).map(({ text }) => text);
  const others = said.filter((each) => each !== last && !isSystem(each)).map(({ role, text }) => `${role}: ${text}`);
  return {
    input_content: limited(last?.text ?? ''),
    output_content: limited(answer),
    ...(others.length > 0 ? { context: limited(others.join('\n')) } : {}),
    ...(system.length > 0 ? { system_prompt: limited(system.join('\n')) } : {}),
  };
}

function turnsOf(body: Fields): Turn[] {
  const system = [body['system'], body['instructions'], either(body, 'systemInstruction', 'system_instruction')]
    .filter((value) => value !== undefined && value !== null)
    .map((value) => ({ role: 'system', text: textOf(value) }));
  return [...system, ...turnsIn(body)];
}

/**
 * Reads the turns of a body: first the dialects of conversations (Chat and Messages, Gemini, Responses), then endpoints
 * without turns: completions, embeddings, images, speech, rerank.
 */
function turnsIn(body: Fields): Turn[] {
  if (Array.isArray(body['messages'])) return asFieldsList(body['messages']).map(turnOf);
  if (Array.isArray(body['contents'])) {
    return asFieldsList(body['contents']).map((each) => turnOf({ role: 'user', ...each, content: each['parts'] }));
  }
  const { input } = body;
  const turns = asFieldsList(input).filter((item) => item['role'] !== undefined || item['type'] !== undefined);
  if (turns.length > 0) return turns.map(turnOf);
  const asked = [input, body['prompt'], body['query']].find((value) => value !== undefined && value !== null);
  return [{ role: 'user', text: textOf(asked) }];
}

/** Reads a message, or an item of Responses, where tool calls and results have no role. */
function turnOf(item: Fields): Turn {
  const role = asText(item['role']) || asText(item['type']) || 'undefined';
  return { role, text: textOf(item['content'] ?? item['output'] ?? item['arguments']) };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) {
    const parts = asFields(content)?.['parts'];
    return parts === undefined ? '' : textOf(parts);
  }
  return (content as unknown[])
    .map(textOfPart)
    .filter((text) => text !== null)
    .join('\n');
}

/** @returns null for parts that are not readable text: inputs may be lists of token numbers */
function textOfPart(part: unknown): string | null {
  if (typeof part === 'string') return part;
  const fields = asFields(part);
  if (!fields) return null;
  return typeof fields['text'] === 'string' ? fields['text'] : `[${asText(fields['type']) || 'part'}]`;
}

function limited(text: string): string {
  return maskKeys(text.slice(0, contentLimit), '[key]');
}
