/**
 * Query parameters that adapters read: Google's stream format and Azure's version. No other parameter reaches a
 * provider.
 */
const dialectParameters = ['alt', 'api-version'];

/** @returns the part of a client's query that adapters get, with `?`; empty when nothing is left */
export const dialectQuery = (query: string): string => keptQuery(query, dialectParameters);

/** Query parameters for reading a stored response and its input. A stream is not read from storage. */
const storedParameters = ['limit', 'order', 'after', 'before', 'include', 'include[]'];

/**
 * @returns the part of a client's query that the provider of a stored response gets, with `?`; empty when nothing is
 * left
 */
export const storedQuery = (query: string): string => keptQuery(query, storedParameters);

/** Query parameters for files and other objects that a provider keeps. */
const objectParameters = [
  ...storedParameters,
  ...['filter', 'page', 'after_id', 'before_id', 'beta', 'alt', 'updateMask', 'update_mask'],
];

/**
 * @returns the part of a client's query that the provider of a kept object gets, with `?`; empty when nothing is left
 */
export const objectQuery = (query: string): string => keptQuery(query, objectParameters);

/** @returns the part of a client's query that the provider of a stored interaction gets, with `?`; empty when nothing is left */
export const interactionQuery = (query: string): string => keptQuery(query, ['include_input']);

function keptQuery(query: string, names: readonly string[]): string {
  const given = new URLSearchParams(query);
  const kept = new URLSearchParams();
  for (const name of names) for (const value of given.getAll(name)) kept.append(name, value);
  const text = kept.toString().replaceAll('%5B%5D', '[]');
  return text === '' ? '' : `?${text}`;
}
