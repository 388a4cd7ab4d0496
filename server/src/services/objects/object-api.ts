import type { ObjectApi } from '../../dialects/contract.js';
import type { SharedPathRequest } from '../../platform/http/not-found.js';

const ofGoogle = /^\/(?:upload\/v1(?:beta)?|v1beta)\/(?!openai\/)|^\/v1\/(?:cachedContents|interactions)\b/;

/**
 * Returns the API that a client speaks: that of the path, else of the header that has its key or its version. Google's
 * newer clients have `/v1/files` and `/v1/batches` in common with all others.
 */
export function apiOf({ url, headers }: SharedPathRequest): ObjectApi {
  if (ofGoogle.test(url)) return 'gemini';
  if (url.startsWith('/anthropic/')) return 'anthropic';
  if (headers['anthropic-version'] !== undefined || headers['x-api-key'] !== undefined) return 'anthropic';
  const isGoogle = headers['x-goog-api-key'] !== undefined || /^[^?]*\/v1\/(?:files|batches)\b.*[?&]key=/.test(url);
  return isGoogle ? 'gemini' : 'openai';
}
