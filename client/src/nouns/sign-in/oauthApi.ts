import { sitePath } from '../../lib/basePath.js';
import { noResponse, restFailure, type Failure } from '../../lib/errors.js';
import { session } from '../../lib/session.js';
import type { SessionUser } from '../../lib/sessionUser.js';
import { fromStoredUser } from '../../lib/session.wire.js';
import { askConfirmation } from '../../lib/confirmation.js';

/** Result of `/api/oauth`. */
export type OAuthAnswer =
  | { readonly kind: 'signedIn'; readonly user: SessionUser }
  /** The identity is now bound to the signed-in user. */
  | { readonly kind: 'bound' }
  /** The second factor is still missing. */
  | { readonly kind: 'secondFactor' }
  | { readonly kind: 'refused'; readonly failure: Failure };

/**
 * Calls one of the OAuth endpoints, which exist in REST only, because other sites redirect browsers to them. The second
 * factor is asked for where the server wants it.
 * @param path below `/api/oauth/`
 */
export async function askOAuth(path: string, query: URLSearchParams): Promise<OAuthAnswer> {
  const answer = await send(path, query);
  const isUnconfirmed = answer.kind === 'refused' && answer.failure.code === 'CONFIRMATION_NEEDED';
  return isUnconfirmed && (await askConfirmation()) ? await send(path, query) : answer;
}

async function send(path: string, query: URLSearchParams): Promise<OAuthAnswer> {
  try {
    const response = await fetch(`${sitePath('/api/oauth')}/${path}?${query.toString()}`, {
      // Other sites can redirect a browser here, but cannot set this header.
      headers: { 'Veloera-User': String(session.get()?.id ?? -1), 'cache-control': 'no-store' },
      credentials: 'same-origin',
      // A completed Telegram binding responds with a redirect, meant for direct visits.
      redirect: 'manual',
    });
    if (response.type === 'opaqueredirect') return { kind: 'bound' };
    const text = await response.text();
    const body = JSON.parse(text) as { success?: unknown; code?: unknown; data?: unknown };
    if (body.code === 'SECOND_FACTOR_NEEDED') return { kind: 'secondFactor' };
    if (body.success !== true) return { kind: 'refused', failure: restFailure(text, response.status) };
    const user = fromStoredUser(body.data);
    return user ? { kind: 'signedIn', user } : { kind: 'bound' };
  } catch {
    return { kind: 'refused', failure: noResponse };
  }
}
