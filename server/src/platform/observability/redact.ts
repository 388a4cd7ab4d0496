import { maskKeys } from '../../shared/key-patterns.js';

/** Names of fields whose values are never written, at any depth. Lower case. */
const secretNames = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'apikey',
  'key',
  'keys',
  'password',
  'passwordhash',
  'token',
  'accesstoken',
  'access_token',
  'secret',
  'session',
  'databaseurl',
  'sessionsecret',
  'encryptionkey',
  // Prompts and responses are private.
  'messages',
  'prompt',
  'body',
  'parameters',
]);

const hidden = '[redacted]';
const deepest = 6;

/**
 * Copies a value for the log without secret fields, by name, six levels deep. Deeper values are removed. Class
 * instances keep their own fields only.
 */
export function redactFields(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Error) return describeError(value, depth);
  if (Buffer.isBuffer(value)) return `[${value.length} bytes]`;
  if (depth >= deepest) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => redactFields(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      secretNames.has(name.toLowerCase()) && field !== undefined && field !== null
        ? hidden
        : redactFields(field, depth + 1),
    ]),
  );
}

/**
 * Describes an error for the log: type, message, stack and cause. Other properties are removed, because libraries
 * attach query parameters, row values and requests.
 */
export function describeError(error: Error, depth = 0): Record<string, unknown> {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    type: error.constructor.name,
    message: error.message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: error.stack,
    ...(cause instanceof Error && depth < deepest ? { cause: describeError(cause, depth + 1) } : {}),
  };
}

/** Each pattern needs linear time, because a line may contain a URL that a client chose. */
const patterns: ReadonlyArray<readonly [RegExp, string]> = [
  // Keys of this gateway, and of providers that use the same prefix, also in part.
  [/\bsk-[A-Za-z0-9_-]{8,}/g, 'sk-[redacted]'],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 [redacted]'],
  // The password in any URL.
  [/(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@"\\]*):[^\s/@"\\]+@/gi, '$1:[redacted]@'],
  [/([?&](?:key|api_key|access_token|token|code)=)[^&\s"\\]+/gi, '$1[redacted]'],
];

/** The place behind a letter of JSON, such as that of a line break, which is no part of the word that follows. */
const behindEscape = /(?<=\\[bfnrt])/;

/** Last resort: removes credentials by shape from a finished log line. A private key has several lines. */
export const maskCredentials = (line: string): string =>
  maskKeys(line, hidden).split(behindEscape).map(maskPiece).join('');

const maskPiece = (piece: string): string =>
  patterns.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), maskKeys(piece, hidden));
