import { sitePath } from '../../lib/basePath.js';
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
  /** With the server's message; empty when it was unreachable. */
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Calls one of the OAuth endpoints, which exist in REST only, because other sites redirect browsers to them. The second
 * factor is asked for where the server wants it.
 * @param path below `/api/oauth/`
 */
export async function askOAuth(path: string, query: URLSearchParams): Promise<OAuthAnswer> {
  const first = await send(path, query);
  const answer = first.kind === 'unconfirmed' && (await askConfirmation()) ? await send(path, query) : first;
  return answer.kind === 'unconfirmed' ? refused(answer.message) : answer;
}

const refused = (message: string): OAuthAnswer => ({ kind: 'refused', message });

/** The second factor was not shown recently. */
interface Unconfirmed {
  readonly kind: 'unconfirmed';
  readonly message: string;
}

async function send(path: string, query: URLSearchParams): Promise<OAuthAnswer | Unconfirmed> {
  try {
    const response = await fetch(`${sitePath('/api/oauth')}/${path}?${query.toString()}`, {
      // Other sites can redirect a browser here, but cannot set this header.
      headers: { 'Veloera-User': String(session.get()?.id ?? -1), 'cache-control': 'no-store' },
      credentials: 'same-origin',
      // A completed Telegram binding responds with a redirect, meant for direct visits.
      redirect: 'manual',
    });
    if (response.type === 'opaqueredirect') return { kind: 'bound' };
    const body = (await response.json()) as { success?: unknown; code?: unknown; message?: unknown; data?: unknown };
    const message = typeof body.message === 'string' ? body.message : '';
    if (body.code === 'SECOND_FACTOR_NEEDED') return { kind: 'secondFactor' };
    if (body.code === 'CONFIRMATION_NEEDED') return { kind: 'unconfirmed', message };
    if (body.success !== true) return refused(message);
    const user = fromStoredUser(body.data);
    return user ? { kind: 'signedIn', user } : { kind: 'bound' };
  } catch {
    return refused('');
  }
}
