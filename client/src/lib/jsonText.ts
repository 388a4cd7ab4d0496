/** Position of a JSON syntax error. */
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

/** Line of a syntax error. Engines report a line, a position, or neither; then the text is scanned. */
function lineOf(text: string, error: unknown): number {
  const message = error instanceof Error ? error.message : '';
  const line = /line (\d+)/.exec(message)?.[1];
  if (line) return Number(line);
  const position = /position (\d+)/.exec(message)?.[1];
  return text.slice(0, position ? Number(position) : faultOf(text)).split('\n').length;
}

const token =
  /[ \t\r\n]*([{}[\]:,]|"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.]))/uy;

/** Position of the first unexpected token, else the end of the text. */
function faultOf(text: string): number {
  const open: string[] = [];
  let wanted: 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'next' = 'value';
  let at = 0;
  for (;;) {
    const start = at + (/^[ \t\r\n]*/.exec(text.slice(at))?.[0].length ?? 0);
    token.lastIndex = at;
    const found = token.exec(text)?.[1];
    if (found === undefined) return start;
    at = token.lastIndex;
    const inside = open.at(-1);
    const ends = found === (inside === '{' ? '}' : ']') && inside !== undefined;
    if (ends && (wanted === 'next' || wanted === 'valueOrEnd' || wanted === 'keyOrEnd')) {
      open.pop();
      wanted = 'next';
    } else if (wanted === 'value' || wanted === 'valueOrEnd') {
      if (found === '{' || found === '[') {
        open.push(found);
        wanted = found === '{' ? 'keyOrEnd' : 'valueOrEnd';
      } else if (/^[}\]:,]/.test(found)) return start;
      else wanted = 'next';
    } else if (wanted === 'colon') {
      if (found !== ':') return start;
      wanted = 'value';
    } else if (wanted === 'next') {
      if (found !== ',' || inside === undefined) return start;
      wanted = inside === '{' ? 'key' : 'value';
    } else {
      if (!found.startsWith('"')) return start;
      wanted = 'colon';
    }
  }
}

/** Indents by two spaces; invalid JSON is returned unchanged. */
export function formatJson(text: string): string {
  try {
    return text.trim() === '' ? text : JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
