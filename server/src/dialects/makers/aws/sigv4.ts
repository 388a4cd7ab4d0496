import { createHmac } from 'node:crypto';
import { hmac, sha256 } from '../openai-compatible/signing.js';

/** Credentials for AWS signatures. */
export interface AwsKeys {
  readonly accessKey: string;
  readonly secretKey: string;
  /** The session token; empty for permanent keys. */
  readonly sessionToken: string;
  readonly region: string;
}

const service = 'bedrock';

/**
 * Signature version 4 of a POST (docs/reference/providers/aws.md#requests). The path of `url` is escaped already and is
 * escaped once more for signing, as all services except S3 require.
 * @param now Unix milliseconds
 * @returns the headers to send
 */
export function signedHeaders(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: Buffer | string,
  keys: AwsKeys,
  now: number,
): Record<string, string> {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const date = time.slice(0, 8);
  const sent: Record<string, string> = {
    ...headers,
    'x-amz-date': time,
    ...(keys.sessionToken ? { 'x-amz-security-token': keys.sessionToken } : {}),
  };
  const signed: Record<string, string> = { ...sent, host: url.host };
  const names = Object.keys(signed).sort();
  const path = url.pathname.split('/').map(encodeURIComponent).join('/');
  const canonical = [
    'POST',
    path,
    '',
    ...names.map((name) => `${name}:${(signed[name] ?? '').trim()}`),
    '',
    names.join(';'),
    sha256(body),
  ].join('\n');
  const scope = `${date}/${keys.region}/${service}/aws4_request`;
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`;
  const key = hmac(hmac(hmac(hmac(`AWS4${keys.secretKey}`, date), keys.region), service), 'aws4_request');
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${keys.accessKey}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...sent, authorization };
}
