import { createHmac, randomBytes } from 'node:crypto';
import type { SiteEvent } from './webhook.entity.js';

const secretPrefix = 'whsec_';

/** A new secret of an endpoint, in the form of Standard Webhooks. */
export const newSecret = (): string => secretPrefix + randomBytes(32).toString('base64');

/** The body of a message. It is the same for each attempt. */
export const bodyOf = ({ kind, createdAt, data }: Pick<SiteEvent, 'kind' | 'createdAt' | 'data'>): string =>
  JSON.stringify({ type: kind, timestamp: createdAt.toISOString(), data });

/**
 * The headers of one attempt, as Standard Webhooks has them (standardwebhooks.com, spec of 2023): an HMAC-SHA256 of
 * `id.timestamp.body` with the bytes of each secret. A receiver accepts a message if one of the signatures is right.
 * @param seconds Unix time of the attempt
 */
export function headersOf(
  name: string,
  body: string,
  secrets: readonly string[],
  seconds: number,
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${name}.${seconds}.${body}`).digest('base64')}`;
  });
  return {
    'content-type': 'application/json',
    'webhook-id': name,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}
