import type { UpstreamRequest } from '../../dialects/contract.js';
import type { ProviderCodec } from '../../dialects/neutral/codec.js';
import type { Provider } from '../../dialects/providers/provider.js';

/** The key under which a provider caches the prompts of a session, for clients that send none. */
export interface CacheKey {
  /** The field or the header that has the key. */
  readonly name: NonNullable<Provider['cacheKey']>;
  /** Returns the key; null when the call belongs to no session. */
  of(): string | null;
}

const isField = ({ name }: CacheKey, dialect: ProviderCodec['dialect']): boolean =>
  dialect === 'openai-responses' || (dialect === 'openai-chat' && name === 'prompt_cache_key');

/** Adds the key to a written body that has none. */
export function keyedBody(
  body: Record<string, unknown>,
  dialect: ProviderCodec['dialect'],
  cacheKey: CacheKey | undefined,
): Record<string, unknown> {
  if (!cacheKey || !isField(cacheKey, dialect) || body['prompt_cache_key'] !== undefined) return body;
  const key = cacheKey.of();
  return key === null ? body : { ...body, prompt_cache_key: key };
}

/** Adds the key to the headers of chat completions, for a provider that reads it there. The client's own header stays. */
export function keyedRequest(
  sent: UpstreamRequest,
  dialect: ProviderCodec['dialect'],
  cacheKey: CacheKey | undefined,
): UpstreamRequest {
  if (!cacheKey || dialect !== 'openai-chat' || isField(cacheKey, dialect)) return sent;
  const key = cacheKey.of();
  return key === null ? sent : { ...sent, headers: { [cacheKey.name]: key, ...sent.headers } };
}
