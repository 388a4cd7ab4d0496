import { createSign } from 'node:crypto';
import { AppError } from '../../../shared/errors.js';
import type { CredentialExchange } from '../../adapter.js';
import { asText, parseFields, someNumber, someText } from '../../neutral/fields.js';
import { projectOf } from './place.js';

const tokenUrl = 'https://oauth2.googleapis.com/token';
const scope = 'https://www.googleapis.com/auth/cloud-platform';
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * Signs the identity of the service account.
 * @param now Unix seconds
 * @throws AppError UPSTREAM_UNREACHABLE
 */
export function accountAssertion(key: string, now: number): string {
  const account = parseFields(key) ?? {};
  const privateKey = asText(account['private_key']).replaceAll('\\n', '\n');
  const head = encoded({ alg: 'RS256', typ: 'JWT', kid: asText(account['private_key_id']) });
  const claims = encoded({ iss: asText(account['client_email']), scope, aud: tokenUrl, iat: now, exp: now + 3600 });
  try {
    const signature = createSign('RSA-SHA256').update(`${head}.${claims}`).sign(privateKey, 'base64url');
    return `${head}.${claims}.${signature}`;
  } catch (cause) {
    throw new AppError('UPSTREAM_UNREACHABLE', 'The service account of the channel has no usable private key', {
      cause,
    });
  }
}

/**
 * A service account is exchanged for a token valid for an hour
 * (docs/reference/providers/gemini-and-vertex.md#vertex-credentials); an API key is sent unchanged.
 */
export const vertexCredential: CredentialExchange = {
  needed: (target) => projectOf(target) !== null,
  toRequest: ({ key, now }) => ({
    method: 'POST',
    url: tokenUrl,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: accountAssertion(key, Math.floor(now / 1000)),
    }).toString(),
  }),
  fromAnswer({ body }) {
    const answer = parseFields(body.toString('utf8'));
    const credential = someText(answer?.['access_token']);
    if (credential === undefined)
      throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The provider returned no access token');
    return { credential, secondsToLive: Math.max(0, (someNumber(answer?.['expires_in']) ?? 3600) - 240) };
  },
};
