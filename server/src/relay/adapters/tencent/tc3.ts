import { createHash, createHmac } from 'node:crypto';

export interface Tc3Call {
  readonly secretId: string;
  readonly secretKey: string;
  /** With the port unless it is the default. */
  readonly host: string;
  readonly action: string;
  /** Exactly the bytes that are sent. */
  readonly body: string;
  /** Unix seconds. */
  readonly timestamp: number;
}

const service = 'hunyuan';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/**
 * Tencent's signature TC3-HMAC-SHA256 (docs/reference/providers/own-protocols.md#tencent-hunyuan) of a POST to `/`.
 * @returns the Authorization header
 */
export function tc3Authorization({ secretId, secretKey, host, action, body, timestamp }: Tc3Call): string {
  const signedHeaders = 'content-type;host;x-tc-action';
  const canonical = [
    'POST',
    '/',
    '',
    'content-type:application/json',
    `host:${host}`,
    `x-tc-action:${action.toLowerCase()}`,
    '',
    signedHeaders,
    sha256(body),
  ].join('\n');
  const date = new Date(timestamp * 1000).toISOString().slice(0, 10);
  const scope = `${date}/${service}/tc3_request`;
  const toSign = `TC3-HMAC-SHA256\n${timestamp}\n${scope}\n${sha256(canonical)}`;
  const key = hmac(hmac(hmac(`TC3${secretKey}`, date), service), 'tc3_request');
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  return `TC3-HMAC-SHA256 Credential=${secretId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
}
