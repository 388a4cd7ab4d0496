import type { UpstreamRequest } from '../../dialects/contract.js';
import type { ProviderCodec } from '../../dialects/neutral/codec.js';
import type { Provider } from '../../dialects/providers/provider.js';

/** The name under which a provider finds the cached prompt of a session, for a client that sends none. */
export interface CacheKey {
  readonly place: NonNullable<Provider['cacheKey']>;
  /** Null: the call belongs to no session. */
  of(): string | null;
}

const isField = ({ place }: CacheKey, dialect: ProviderCodec['dialect']): boolean =>
  dialect === 'openai-responses' || (dialect === 'openai-chat' && place === 'prompt_cache_key');

/** A written body with the key, unless the client sent one. */
export function keyedBody(
  body: Record<string, unknown>,
  dialect: ProviderCodec['dialect'],
  cacheKey: CacheKey | undefined,
): Record<string, unknown> {
  if (!cacheKey || !isField(cacheKey, dialect) || body['prompt_cache_key'] !== undefined) return body;
  const key = cacheKey.of();
  return key === null ? body : { ...body, prompt_cache_key: key };
}

/** The same for a provider that reads it from a header. */
export function keyedRequest(
  sent: UpstreamRequest,
  dialect: ProviderCodec['dialect'],
  cacheKey: CacheKey | undefined,
): UpstreamRequest {
  if (!cacheKey || dialect !== 'openai-chat' || isField(cacheKey, dialect)) return sent;
  const key = cacheKey.of();
  return key === null ? sent : { ...sent, headers: { [cacheKey.place]: key, ...sent.headers } };
}
