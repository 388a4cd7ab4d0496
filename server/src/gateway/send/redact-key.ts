import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import type { AttemptOutcome } from './attempt.js';

/** Characters. Shorter parts are ordinary words, such as a region or an account number. */
const minSecret = 8;

/** Returns the key, and its parts if it consists of several. */
function secretsIn(key: string): string[] {
  const parts = key.startsWith('{') ? documentTexts(key) : [key, ...key.split('|'), ...key.split('.')];
  return [...new Set(parts.map((part) => part.trim()).filter((part) => part.length >= minSecret))].sort(
    (a, b) => b.length - a.length,
  );
}

/** Returns the texts of a key that is a JSON document, except URLs, which are the provider's own. */
function documentTexts(key: string): string[] {
  try {
    const texts = Object.values(JSON.parse(key) as Record<string, unknown>);
    return texts.filter((text): text is string => typeof text === 'string' && !text.startsWith('http'));
  } catch {
    return [key];
  }
}

/** Removes the channel's key from a text of a provider. */
export function withoutKey(text: string, key: string): string {
  return secretsIn(key).reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text);
}

/**
 * Removes the channel's key from the message of a failure: some providers repeat a refused key, in any encoding. All
 * other parts are unchanged.
 */
export function redactKey(error: unknown, key: string): unknown {
  if (!(error instanceof UpstreamError)) return error;
  const { message, type, param, code } = error.detail;
  const said = [message, type, param, code].filter((text) => typeof text === 'string').join('\n');
  if (withoutKey(said, key) === said) return error;
  const hide = (text: string): string => withoutKey(text, key);
  const detail = {
    ...error.detail,
    message: hide(message),
    ...(type === undefined ? {} : { type: hide(type) }),
    ...(typeof param === 'string' ? { param: hide(param) } : {}),
    ...(typeof code === 'string' ? { code: hide(code) } : {}),
  };
  return new UpstreamError(error.status, detail);
}

/** Removes the channel's key from the failure of an interrupted response. */
export function redactOutcome(outcome: AttemptOutcome, key: string): AttemptOutcome {
  const { delivery } = outcome;
  if (delivery.end.kind !== 'broken') return outcome;
  const end = { kind: 'broken' as const, error: redactKey(delivery.end.error, key) };
  return { ...outcome, delivery: { ...delivery, end } };
}
