import { InvalidInputError } from '../../shared/errors.js';
import { parseArguments } from '../../shared/exact-json.js';
import { asFields } from './fields.js';

/**
 * Arguments of a tool call in the history, for dialects that need them parsed.
 * @throws AppError INVALID_INPUT when they are not a JSON object
 */
export function argumentsGiven(text: string, at: string | undefined): unknown {
  if (text.trim() === '') return {};
  const input = asFields(parseArguments(text));
  if (!input) throw new InvalidInputError(`${at ?? 'messages'} contains arguments that are not a JSON object`, at);
  return input;
}

/**
 * Arguments of a tool call in a response. Truncated arguments are not valid JSON: they are returned as text under a
 * special key.
 */
export const argumentsProduced = (text: string): unknown =>
  text.trim() === '' ? {} : (asFields(parseArguments(text)) ?? { INVALID_JSON: text });
