import { parse, type ParseError } from 'jsonc-parser';

/** Position of a JSON syntax error. */
export type JsonProblem = { readonly line: number };

/** @returns null for valid JSON and for empty text */
export function findJsonProblem(text: string): JsonProblem | null {
  if (text.trim() === '') return null;
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  const [first] = errors;
  return first ? { line: text.slice(0, first.offset).split('\n').length } : null;
}

/** Indents by two spaces; invalid JSON is returned unchanged. */
export function formatJson(text: string): string {
  try {
    return text.trim() === '' ? text : JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
