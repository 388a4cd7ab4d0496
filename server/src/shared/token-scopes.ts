import { AppError, InvalidInputError } from './errors.js';

/** Rights of an API key: call models, read its usage and log rows, and manage the keys of its owner. */
export const tokenScopes = ['relay', 'usage', 'keys'] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** Scopes of a new key, as they are stored: a comma list. */
export const usualScopes = 'relay,usage';

/**
 * Parses a comma list to its stored form: each scope once, in the order of `tokenScopes`.
 * @throws InvalidInputError for unknown scopes and an empty list
 */
export function parseScopes(text: string): string {
  const given = text
    .split(',')
    .map((scope) => scope.trim())
    .filter(Boolean);
  if (given.length === 0) throw new InvalidInputError('An API key needs at least one scope', 'scopes');
  if (!given.every((scope) => (tokenScopes as readonly string[]).includes(scope))) {
    throw new InvalidInputError(`Scopes are ${tokenScopes.join(', ')}`, 'scopes');
  }
  return tokenScopes.filter((scope) => given.includes(scope)).join(',');
}

/** @param scopes the stored list of a key */
export const scopesIn = (scopes: string): TokenScope[] =>
  tokenScopes.filter((scope) => scopes.split(',').includes(scope));

export const missingScope = (scope: TokenScope): AppError =>
  new AppError('KEY_SCOPE_MISSING', `This API key lacks the scope ${scope}`);
