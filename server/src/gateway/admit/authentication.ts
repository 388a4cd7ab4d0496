import type { IncomingHttpHeaders } from 'node:http';
import type { RowReader } from '../../billing/organisations/index.js';
import { missingScope } from '../../shared/token-scopes.js';
import { ranks } from '../../shared/actor.js';
import { wholeSecond, type Clock } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import type { KeyParts } from '../../shared/key-text.js';
import type { KeyDirectory, KnownToken, KnownUser } from './key-directory.js';
import { whenKnown } from '../../platform/cache/loader.js';

/** The caller of a relay call. */
export interface Caller {
  readonly user: KnownUser;
  readonly token: KnownToken;
  readonly key: string;
  /** The id of the channel that the key pins, as text. */
  readonly pin: string | null;
}

export const readerOf = ({ user, token }: Pick<Caller, 'user' | 'token'>): RowReader => ({
  userId: user.id,
  memberId: token.memberId,
});

/** Characters. A trusted proxy may forward any text. */
const maxAddress = 64;

/** Returns the client's address for the log row of a call. Undefined unless the user has chosen to record it. */
export const recordedAddress = ({ user }: Pick<Caller, 'user'>, address: string): string | undefined =>
  user.recordsAddress ? address.replace(/^::ffff:/, '').slice(0, maxAddress) : undefined;

/**
 * Rows 1 to 10 of docs/reference/relay/access.md#order-of-checks. Returns at once where the key and its owner are cached.
 * @param presented the result of `findKey`
 * @throws AppError with the code and message of the row; UnavailableError when the database does not respond
 */
export function authenticateKey(presented: string, keys: KeyDirectory, clock: Clock): Caller | Promise<Caller> {
  const { key, pin } = keys.parts(presented);
  if (key === '') throw new AppError('MISSING_API_KEY', 'No token provided');
  const token = keys.token(key);
  if (token instanceof Promise || !token || !isUsable(token, clock)) return lookUp({ key, pin }, token, keys, clock);
  return whenKnown(keys.user(token.userId), (owner) => callerOf(owner, token, key, pin));
}

/** Authenticates a key that is not in the cache or that is refused. */
async function lookUp(
  { key, pin }: KeyParts,
  found: ReturnType<KeyDirectory['token']>,
  keys: KeyDirectory,
  clock: Clock,
): Promise<Caller> {
  let token = await found;
  if (!token) throw new AppError('INVALID_API_KEY', 'Invalid token');
  if (isExhausted(token)) {
    // The cached copy may be slightly older than a top-up, so only the database may refuse for lack of quota.
    keys.forget(key);
    token = await keys.token(key);
    if (!token) throw new AppError('INVALID_API_KEY', 'Invalid token');
  }
  if (!isUsable(token, clock)) await refuse(token, key, keys, clock);
  return callerOf(await keys.user(token.userId), token, key, pin);
}

function callerOf(user: KnownUser | null, token: KnownToken, key: string, pin: string | null): Caller {
  if (!user) throw new AppError('INVALID_API_KEY', 'Invalid token');
  if (!token.canRelay) throw missingScope('relay');
  if (user.status !== 'enabled') throw new AppError('USER_BANNED', 'User is banned');
  if (pin !== null && ranks[user.role] < ranks.admin) {
    throw new AppError('CHANNEL_PIN_FORBIDDEN', 'Pinning a channel is not allowed for this user');
  }
  return { user, token, key, pin };
}

const isExhausted = (token: KnownToken): boolean =>
  token.status === 'enabled' && !token.unlimitedQuota && token.remainQuota <= 0;

const isExpired = (token: KnownToken, clock: Clock): boolean =>
  token.expiresAt !== null && token.expiresAt.getTime() <= clock.now();

const isUsable = (token: KnownToken, clock: Clock): boolean =>
  token.status === 'enabled' && !isExpired(token, clock) && !isExhausted(token);

/** Stores in the database that a key has expired or is exhausted, and throws the error of the refusal. */
async function refuse(token: KnownToken, key: string, keys: KeyDirectory, clock: Clock): Promise<never> {
  if (token.status === 'exhausted') {
    throw new AppError('TOKEN_QUOTA_EXHAUSTED', `Token quota exhausted [${maskKey(key)}]`);
  }
  if (token.status === 'expired') throw new AppError('TOKEN_EXPIRED', 'Token expired');
  if (token.status !== 'enabled') throw new AppError('TOKEN_DISABLED', 'Token is not available');
  if (isExpired(token, clock)) {
    await keys.markExpired(token);
    keys.forget(key);
    throw new AppError('TOKEN_EXPIRED', 'Token expired');
  }
  await keys.markExhausted(token, wholeSecond(clock.now()));
  keys.forget(key);
  throw new AppError(
    'TOKEN_QUOTA_EXHAUSTED',
    `[${maskKey(key)}] Token quota exhausted, remaining ${token.remainQuota}`,
  );
}

const bearer = /^Bearer(?:\s+|$)/i;
const drawingWord = 'midjourney-proxy';

/** Paths of Google's clients, which may send their key in the query. */
const ofGoogle =
  /^\/(?:v1\/(?:models|files|cachedContents|interactions|projects\/)|v1beta1?\/|v1alpha\/|upload\/|ws\/)/;

const single = (value: string | string[] | undefined): string =>
  ((Array.isArray(value) ? value[0] : value) ?? '').trim();

/**
 * Finds the key in one of its possible places, in the order of docs/reference/relay/access.md#where-a-key-may-stand.
 * @param path without its query, aliases resolved
 * @param query the part after `?`, may be empty
 */
export function findKey(headers: IncomingHttpHeaders, path: string, query: string): string {
  const apiKey = single(headers['x-api-key']);
  if (apiKey !== '' && path.includes('/v1/messages')) return apiKey.replace(bearer, '');
  const authorization = single(headers.authorization).replace(bearer, '').trim();
  if (authorization !== '' && authorization !== drawingWord) return authorization;
  const secret = single(headers['mj-api-secret']).replace(bearer, '').trim();
  if (secret !== '') return secret;
  const azure = single(headers['api-key']);
  if (azure !== '') return azure;
  // Clients of Anthropic and Google send theirs to every path, served or not.
  if (apiKey !== '') return apiKey;
  const google = single(headers['x-goog-api-key']);
  if (google !== '') return google;
  if (ofGoogle.test(path)) {
    const inQuery = query === '' ? null : new URLSearchParams(query).get('key');
    if (inQuery) return inQuery.trim();
  }
  return authorization;
}

/** `sk-abc***xyz`: enough to tell keys apart, not enough to use one. */
export function maskKey(key: string): string {
  return key.length < 8 ? 'sk-***' : `sk-${key.slice(0, 3)}***${key.slice(-3)}`;
}
