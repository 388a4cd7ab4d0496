import { session, type SessionUser } from '../lib/session.js';
import { fromStoredUser } from '../lib/session.wire.js';

/** Result of `/api/oauth`. */
export type OAuthAnswer =
  | { readonly kind: 'signedIn'; readonly user: SessionUser }
  /** The identity is now bound to the signed-in user. */
  | { readonly kind: 'bound' }
  /** With the server's words, empty when it was not reached. */
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Asks one of the sign-in endpoints that only REST has, because browsers come back to them from other sites.
 * @param path below `/api/oauth/`
 */
export async function askOAuth(path: string, query: URLSearchParams): Promise<OAuthAnswer> {
  const refused = (message: string): OAuthAnswer => ({ kind: 'refused', message });
  try {
    const response = await fetch(`/api/oauth/${path}?${query.toString()}`, {
      // Another site can send a visitor here, but not this header.
      headers: { 'Veloera-User': String(session.get()?.id ?? -1), 'cache-control': 'no-store' },
      credentials: 'same-origin',
      // A finished Telegram binding answers with a redirect for browsers that came by themselves.
      redirect: 'manual',
    });
    if (response.type === 'opaqueredirect') return { kind: 'bound' };
    const body = (await response.json()) as { success?: unknown; message?: unknown; data?: unknown };
    const message = typeof body.message === 'string' ? body.message : '';
    if (body.success !== true) return refused(message);
    const user = fromStoredUser(body.data);
    return user ? { kind: 'signedIn', user } : { kind: 'bound' };
  } catch {
    return refused('');
  }
}
