import { AppError, InvalidInputError } from './errors.js';

/** Rights of an API key: call models, read its usage and log rows, and manage the keys of its owner. */
export const tokenScopes = ['relay', 'usage', 'keys'] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** Scopes of a new key. */
export const usualScopes: readonly TokenScope[] = ['relay', 'usage'];

/**
 * Returns each scope once, in the order of `tokenScopes`.
 * @throws InvalidInputError for unknown scopes and an empty list
 */
export function parseScopes(given: readonly string[]): TokenScope[] {
  if (given.length === 0) throw new InvalidInputError('An API key needs at least one scope', 'scopes');
  if (!given.every((scope) => (tokenScopes as readonly string[]).includes(scope))) {
    throw new InvalidInputError(`Scopes are ${tokenScopes.join(', ')}`, 'scopes');
  }
  return tokenScopes.filter((scope) => given.includes(scope));
}

export const missingScope = (scope: TokenScope): AppError =>
  new AppError('KEY_SCOPE_MISSING', `This API key lacks the scope ${scope}`);
