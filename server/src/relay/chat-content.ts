import { maskSecrets } from './protocols/openai/masking.js';

type Fields = Readonly<Record<string, unknown>>;

/** Characters of each field. */
export const contentLimit = 64 * 1024;

/**
 * What was said, for admins who log it (option LogChatContentEnabled, off by default; `relay-core.md` 6.2): the last user
 * message, the other messages, the system texts and the answer, each cut to 64 KB and without keys.
 */
export function chatContent(body: Fields, answer: string): Record<string, string> {
  const messages = Array.isArray(body['messages']) ? (body['messages'] as Fields[]) : [];
  const isSystem = (message: Fields): boolean => message?.['role'] === 'system' || message?.['role'] === 'developer';
  const last = messages.findLast((message) => message?.['role'] === 'user');
  const system = messages.filter(isSystem).map((message) => textOf(message['content']));
  const others = messages
    .filter((message) => message !== last && !isSystem(message))
    .map((message) => `${String(message?.['role'])}: ${textOf(message?.['content'])}`);
  return {
    input_content: limited(textOf(last?.['content'])),
    output_content: limited(answer),
    ...(others.length > 0 ? { context: limited(others.join('\n')) } : {}),
    ...(system.length > 0 ? { system_prompt: limited(system.join('\n')) } : {}),
  };
}

function limited(text: string): string {
  return text.slice(0, contentLimit).replace(/\b(?:sk|pk|rk|gsk|xai)-[A-Za-z0-9_-]{6,}/g, (key) => maskSecrets(key));
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as Fields[])
    .map((part) =>
      typeof part?.['text'] === 'string'
        ? part['text']
        : `[${typeof part?.['type'] === 'string' ? part['type'] : 'part'}]`,
    )
    .join('\n');
}
