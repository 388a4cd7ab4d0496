import { asFields, asFieldsList, asText, type Fields, type Json } from '../../neutral/fields.js';

/** Returns the instruction for a model that cannot enforce a schema. */
export function schemaInstruction({ schema, description }: Fields): string {
  const about = asText(description);
  return [
    ...(about === '' ? [] : [about]),
    `Respond with one JSON object that follows this JSON schema:\n${JSON.stringify(schema ?? {})}`,
  ].join('\n\n');
}

/** Adds an instruction to chat messages. It joins the instructions at their beginning. */
export function withInstruction(messages: readonly unknown[], text: string): unknown[] {
  const [first, ...rest] = messages;
  const message = asFields(first);
  const isInstruction = message?.['role'] === 'system' || message?.['role'] === 'developer';
  if (!message || !isInstruction) return [{ role: 'system', content: text }, ...messages];
  const { content } = message;
  const joined = Array.isArray(content)
    ? [...(content as unknown[]), { type: 'text', text }]
    : [asText(content), text].filter(Boolean).join('\n\n');
  return [{ ...message, content: joined }, ...rest];
}

/**
 * OpenAI and providers that copy it refuse a call for JSON without a schema unless its messages contain the word
 * "JSON". Google does not.
 */
export const mentioningJson = (messages: Json[]): unknown[] =>
  messages.some(({ content }) => mentions(content)) ? messages : withInstruction(messages, 'Respond with JSON.');

const mentions = (content: unknown): boolean =>
  /json/i.test(asText(content)) || asFieldsList(content).some((part) => /json/i.test(asText(part['text'])));
