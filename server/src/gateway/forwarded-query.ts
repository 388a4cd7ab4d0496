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
