import { malformed } from '../errors/relay-error.js';

/**
 * Refuses a path and a query that a provider could read differently than the gateway: segments that leave the channel's
 * base path once they are joined, and parameters that are named twice.
 * @throws RelayError invalid_request
 */
export function checkTarget({ path, query }: { readonly path: string; readonly query: string }): void {
  // Most paths have neither.
  if (path.includes('.') || path.includes('%') || path.includes('\\')) {
    for (const segment of decodedTwice(path).split(/[/\\]/)) {
      // Google's paths end in a method: `models/..:generateContent`.
      const [name] = segment.split(':', 1);
      if (name === '.' || name === '..') throw malformed('the path is not normalized');
    }
  }
  if (!query.includes('&')) return;
  const names = [...new URLSearchParams(query).keys()].map((name) => name.toLowerCase());
  if (new Set(names).size !== names.length) throw malformed('a query parameter is named twice');
}

/** Percent signs that encode nothing stay. */
function decodedTwice(path: string): string {
  let text = path;
  for (let round = 0; round < 2; round++) {
    text = text.replace(/%(2e|2f|5c|25)/gi, (_match, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  }
  return text;
}

/** Parameters that adapters read: Google's form of a stream, and Azure's version. Nothing else reaches a provider. */
const dialectParameters = ['alt', 'api-version'];

/** @returns what of a client's query the adapters get, with `?`; empty where nothing is left */
export const dialectQuery = (query: string): string => keptQuery(query, dialectParameters);

/** Parameters of reading a stored response and its input. A stream is not read from storage. */
const storedParameters = ['limit', 'order', 'after', 'before', 'include', 'include[]'];

/** @returns what of a client's query a provider gets that stores a response, with `?`; empty where nothing is left */
export const storedQuery = (query: string): string => keptQuery(query, storedParameters);

function keptQuery(query: string, names: readonly string[]): string {
  if (query === '') return '';
  const given = new URLSearchParams(query);
  const kept = new URLSearchParams();
  for (const name of names) for (const value of given.getAll(name)) kept.append(name, value);
  const text = kept.toString().replaceAll('%5B%5D', '[]');
  return text === '' ? '' : `?${text}`;
}
