import { AppError } from '../../../shared/errors.js';
import type { Target } from '../../target.js';
import type { EndpointPath } from './variant.js';

const cloudflareGateway = 'https://gateway.ai.cloudflare.com';

/**
 * The URL of a call: base URL + the client's path without its query, and without a duplicate `/v1`, unless the provider has its own path
 * (docs/reference/providers/openai-family.md#urls).
 * @throws AppError UPSTREAM_UNREACHABLE when the channel has no base URL
 */
export function addressOf(place: EndpointPath, call: { readonly path: string }, target: Target): string {
  const base = target.baseUrl.trim().replace(/\/+$/, '');
  if (base === '') throw new AppError('UPSTREAM_UNREACHABLE', 'The channel has no base URL');
  if (typeof place === 'function') return place(base, call, target);
  const path = typeof place === 'string' ? place : (call.path.split('?', 1)[0] ?? '');
  if (base.startsWith(cloudflareGateway)) return base + path.replace(/^\/v1/, '');
  return base.endsWith('/v1') && path.startsWith('/v1/') ? base + path.slice('/v1'.length) : base + path;
}

/** Type 8: the URL is complete; only `{model}` is filled in. */
export const wholeAddress = (base: string, _call: { readonly path: string }, target: Target): string =>
  base.replaceAll('{model}', encodeURIComponent(target.upstreamModel));

/** The usual credential header of the OpenAI family. */
export const bearer = ({ key }: Target): Record<string, string> => ({ authorization: `Bearer ${key}` });

/** For providers that may run without a key: an empty one is not sent. */
export const bearerIfGiven = (target: Target): Record<string, string> =>
  target.key.trim() === '' ? {} : bearer(target);

/** The channel's organisation, if an admin set one. */
export const organizationHeader = ({ organization }: Pick<Target, 'organization'>): Record<string, string> =>
  organization ? { 'openai-organization': organization } : {};
