import { createHmac } from 'node:crypto';
import { AppError } from '../../../shared/errors.js';
import type { Adapter, UpstreamRequest } from '../../contract.js';
import type { Target } from '../../target.js';
import { acceptedChat } from '../openai-compatible/chat-codec.js';
import { plainJsonFrames } from '../openai-compatible/block-frames.js';
import { baseOf, jsonHeaders } from '../openai-compatible/own-dialect.js';
import { HunyuanStreamReader, readHunyuan } from './hunyuan-read.js';
import { writeHunyuan } from './hunyuan-write.js';
import { hmac, sha256 } from '../openai-compatible/signing.js';
import { dateOf, unixSecond } from '../../../shared/clock.js';

const action = 'ChatCompletions';

/** The newer API has its own host, which replaces the table's default URL. */
function chatBaseOf(target: Target): string {
  const base = baseOf(target).replace(/\/v1$/, '');
  return base === 'https://hunyuan.tencentcloudapi.com' ? 'https://api.hunyuan.cloud.tencent.com' : base;
}

/** A key without separator belongs to the newer API, which uses chat completions. */
const speaksChat = ({ key }: Pick<Target, 'key'>): boolean => !key.includes('|');

function signed(body: string, target: Target): UpstreamRequest {
  const [appId = '', secretId = '', secretKey = '', ...more] = target.key.split('|').map((part) => part.trim());
  if (!/^\d+$/.test(appId) || secretId === '' || secretKey === '' || more.length > 0) {
    throw new AppError('UPSTREAM_UNREACHABLE', 'The key of the channel must have the form AppId|SecretId|SecretKey');
  }
  const url = new URL(`${baseOf(target)}/`);
  const timestamp = unixSecond(target.now);
  return {
    method: 'POST',
    url: url.href,
    headers: {
      'content-type': 'application/json',
      'x-tc-action': action,
      'x-tc-version': '2023-09-01',
      'x-tc-timestamp': String(timestamp),
      authorization: tc3Authorization({ secretId, secretKey, host: url.host, action, body, timestamp }),
    },
    body,
    signedFor: (other) => signed(other, target).headers,
  };
}

/** Type 23 (docs/reference/providers/own-protocols.md#tencent-hunyuan). */
export const tencent: Adapter = {
  conversation: {
    codec: (target) =>
      speaksChat(target)
        ? acceptedChat(target)
        : {
            dialect: 'own',
            write: writeHunyuan,
            read: readHunyuan,
            openReader: () => new HunyuanStreamReader(),
          },
    openFrames: plainJsonFrames,
    toUpstreamRequest(body, { stream }, target) {
      const text = JSON.stringify(body);
      if (!speaksChat(target)) return signed(text, target);
      const base = chatBaseOf(target);
      return {
        method: 'POST',
        url: `${base}/v1/chat/completions`,
        headers: { ...jsonHeaders(stream), authorization: `Bearer ${target.key.trim()}` },
        body: text,
      };
    },
  },
};

interface Tc3Request {
  readonly secretId: string;
  readonly secretKey: string;
  /** The host, with the port unless it is the default. */
  readonly host: string;
  readonly action: string;
  /** The exact bytes that are sent. */
  readonly body: string;
  /** Unix seconds. */
  readonly timestamp: number;
}

const service = 'hunyuan';

/**
 * Tencent's signature TC3-HMAC-SHA256 (docs/reference/providers/own-protocols.md#tencent-hunyuan) of a POST to `/`.
 * @returns the Authorization header
 */
export function tc3Authorization({ secretId, secretKey, host, action, body, timestamp }: Tc3Request): string {
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
  const date = dateOf(timestamp).toISOString().slice(0, 10);
  const scope = `${date}/${service}/tc3_request`;
  const toSign = `TC3-HMAC-SHA256\n${timestamp}\n${scope}\n${sha256(canonical)}`;
  const key = hmac(hmac(hmac(`TC3${secretKey}`, date), service), 'tc3_request');
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  return `TC3-HMAC-SHA256 Credential=${secretId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
}
