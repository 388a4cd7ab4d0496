import { z } from 'zod';
import type { OutboundPolicy } from '../../platform/outbound/outbound-guard.js';
import type { GuardedFetch, GuardedRequest } from '../../platform/outbound/guarded-fetch.js';
import { AppError, InvalidInputError } from '../../shared/errors.js';
import { parseJson } from '../../shared/json.js';
import { siteAddress } from '../../shared/site-address.js';

const timeoutMs = 5000;
const maxBytes = 1024 * 1024;

type ProviderRequest = Pick<GuardedRequest, 'url' | 'method' | 'headers' | 'body'> & {
  readonly policy?: OutboundPolicy;
};

/**
 * Calls a provider, whose JSON response must match `shape`. The provider's own messages are never shown.
 * @throws AppError UPSTREAM_UNREACHABLE
 */
export async function askProvider<T>(
  fetch: GuardedFetch,
  label: string,
  call: ProviderRequest,
  shape: z.ZodType<T>,
): Promise<T> {
  const unreachable = (cause?: unknown): AppError =>
    new AppError('UPSTREAM_UNREACHABLE', `Cannot reach the ${label} server, try later`, { cause });
  const answer = await fetch.fetch({ policy: 'admin', timeoutMs, maxBytes, ...call }).catch((error: unknown) => {
    throw unreachable(error);
  });
  if (answer.status >= 500) throw unreachable();
  const parsed = shape.safeParse(parseJson(answer.body.toString()));
  if (answer.status !== 200 || !parsed.success) throw badCode(label);
  return parsed.data;
}

export const badCode = (label: string): AppError =>
  new InvalidInputError(`${label} did not accept the code. Sign in again.`, 'code');

export const form = (
  fields: Record<string, string>,
): Pick<GuardedRequest, 'method' | 'body'> & { headers: Record<string, string> } => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
  body: new URLSearchParams(fields).toString(),
});

export const tokenShape = z.object({ access_token: z.string().min(1) });

/** Returns the redirect URL of the console, as registered at the provider. */
export const returnAddress = (serverAddress: string, name: string): string =>
  `${siteAddress(serverAddress)}/oauth/${name}`;
