import { UpstreamError } from '../errors/upstream-error.js';
import type { AttemptOutcome } from './attempt.js';

/** Shorter pieces are words that anybody says: a region, an account's number. */
const shortestSecret = 8;

/** The key, and the parts of those that are several in one. */
function secretsIn(key: string): string[] {
  const parts = key.startsWith('{') ? documentTexts(key) : [key, ...key.split('|'), ...key.split('.')];
  return [...new Set(parts.map((part) => part.trim()).filter((part) => part.length >= shortestSecret))].sort(
    (a, b) => b.length - a.length,
  );
}

/** Texts of a key that is a document: all but addresses, which are the provider's own. */
function documentTexts(key: string): string[] {
  try {
    const texts = Object.values(JSON.parse(key) as Record<string, unknown>);
    return texts.filter((text): text is string => typeof text === 'string' && !text.startsWith('http'));
  } catch {
    return [key];
  }
}

/**
 * A failure in whose words the channel's key does not stand: some providers repeat it when they refuse it, in whatever
 * form keys have there. Everything else about it stays.
 */
export function withoutKey(error: unknown, key: string): unknown {
  if (!(error instanceof UpstreamError)) return error;
  const secrets = secretsIn(key);
  const { message, type, param, code } = error.detail;
  const said = [message, type, param, code].filter((text) => typeof text === 'string').join('\n');
  if (!secrets.some((secret) => said.includes(secret))) return error;
  const hide = (text: string): string => secrets.reduce((sum, secret) => sum.replaceAll(secret, '[key]'), text);
  const detail = {
    ...error.detail,
    message: hide(message),
    ...(type === undefined ? {} : { type: hide(type) }),
    ...(typeof param === 'string' ? { param: hide(param) } : {}),
    ...(typeof code === 'string' ? { code: hide(code) } : {}),
  };
  return new UpstreamError(error.status, detail);
}

/** The same for an answer that broke off. */
export function outcomeWithoutKey(outcome: AttemptOutcome, key: string): AttemptOutcome {
  const { delivery } = outcome;
  if (delivery.end.kind !== 'broken') return outcome;
  const end = { kind: 'broken' as const, error: withoutKey(delivery.end.error, key) };
  return { ...outcome, delivery: { ...delivery, end } };
}
