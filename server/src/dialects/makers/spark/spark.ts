import type { Adapter } from '../../contract.js';
import type { Target } from '../../target.js';
import { asFields } from '../../neutral/fields.js';
import { acceptedChat } from '../openai-compatible/chat-codec.js';
import { baseOf, jsonHeaders } from '../openai-compatible/own-dialect.js';
import { signedAddress, sparkKeys, sparkModel } from './address.js';
import { isLast, sparkCodec } from './spark-codec.js';

/**
 * Whether a channel uses chat completions: its base URL is an HTTP address, or its key a password. All other channels
 * use the provider's WebSocket.
 */
const speaksChat = ({ baseUrl, key }: Pick<Target, 'baseUrl' | 'key'>): boolean =>
  /^https?:\/\//i.test(baseUrl.trim()) || (baseUrl.trim() === '' && !key.includes('|'));

/** The newer API accepts a password, or the same keys in a different order. */
function bearerOf({ key }: Target): string {
  const parts = key.split('|').map((part) => part.trim());
  return parts.length === 3 ? `${parts[2]}:${parts[1]}` : key.trim();
}

/** Type 18, iFlytek Spark. */
export const spark: Adapter = {
  conversation: {
    codec: (target) => (speaksChat(target) ? acceptedChat(target) : sparkCodec(target)),
    toUpstreamRequest(body, { stream }, target) {
      if (speaksChat(target)) {
        const base = baseOf(target) || 'https://spark-api-open.xf-yun.com';
        return {
          method: 'POST',
          url: `${/\/v\d+$/.test(base) ? base : `${base}/v1`}/chat/completions`,
          headers: { ...jsonHeaders(stream), authorization: `Bearer ${bearerOf(target)}` },
          body: JSON.stringify(body),
        };
      }
      const keys = sparkKeys(target);
      return {
        method: 'GET',
        url: signedAddress(sparkModel(target), keys, target.now, target.baseUrl),
        headers: {},
        body: JSON.stringify({ ...body, header: { ...asFields(body['header']), app_id: keys.appId } }),
        socket: { form: stream ? 'events' : 'list', isLast },
      };
    },
  },
};
