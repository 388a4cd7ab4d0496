/** What is wrong with a JSON text, and in which line. */
export type JsonProblem = { readonly line: number };

/** @returns null for valid JSON and for empty text */
export function findJsonProblem(text: string): JsonProblem | null {
  if (text.trim() === '') return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return { line: lineOf(text, error) };
  }
}

/** Engines tell the place as a line, as a position, or not at all (then it is the end). */
function lineOf(text: string, error: unknown): number {
  const message = error instanceof Error ? error.message : '';
  const line = /line (\d+)/.exec(message)?.[1];
  if (line) return Number(line);
  const position = /position (\d+)/.exec(message)?.[1];
  return text.slice(0, position ? Number(position) : text.length).split('\n').length;
}

/** Indents by two; text that is not JSON stays as it is. */
export function formatJson(text: string): string {
  try {
    return text.trim() === '' ? text : JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
