import { parseExact, writeJson } from '../../../shared/exact-json.js';
import type { Usage } from '../../../shared/usage.js';
import type { ChatAnswer } from '../../contract.js';
import type { AnswerContext } from '../../neutral/codec.js';
import { asFields } from '../../neutral/fields.js';
import { fromGeminiUsage } from './gemini-usage.js';

/**
 * A complete response as the stream that its client asked for: one chunk with all that the provider sent, as the
 * sources of a search.
 * @returns the chunk with the usage, which is the provider's where it reported one
 */
export function replayedContents(
  { body, usage: reported }: ChatAnswer,
  { jsonList }: AnswerContext,
): (usage: Usage) => string {
  const answer = asFields(parseExact(body.toString('utf8'))) ?? {};
  return (usage) => {
    const chunk = writeJson(reported ? answer : { ...answer, usageMetadata: fromGeminiUsage(usage) });
    return jsonList ? `[${chunk}]` : `data: ${chunk}\n\n`;
  };
}
