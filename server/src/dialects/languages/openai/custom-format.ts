import { asFields, type Fields } from '../../neutral/fields.js';

/*
 * The format of a tool that takes plain text. Responses and the neutral form have a grammar's `syntax` and `definition` beside its type.
 * Chat completions have them in an object `grammar`.
 */

/** @returns the format as Responses has it */
export function flatFormat(format: Fields): Fields {
  const { grammar, ...rest } = format;
  const inner = asFields(grammar);
  return inner ? { ...rest, ...inner } : format;
}

/** @returns the format as chat completions have it */
export function nestedFormat(format: Fields): Fields {
  const { type, ...grammar } = format;
  return type === 'grammar' && !asFields(format['grammar']) ? { type, grammar } : format;
}
