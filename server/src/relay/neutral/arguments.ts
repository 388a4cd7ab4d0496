import { InvalidInputError } from '../../shared/errors.js';
import { parseFields } from './fields.js';

/**
 * Arguments of a call in the history, for dialects that want them parsed.
 * @throws AppError INVALID_INPUT when they are no JSON object
 */
export function argumentsGiven(text: string, at: string | undefined): unknown {
  if (text.trim() === '') return {};
  const input = parseFields(text);
  if (!input) throw new InvalidInputError(`${at ?? 'messages'} holds arguments that are no JSON object`, at);
  return input;
}

/** Arguments of a call in an answer. What was cut off is no object: it is handed over under a name that says so. */
export const argumentsProduced = (text: string): unknown =>
  text.trim() === '' ? {} : (parseFields(text) ?? { INVALID_JSON: text });
