import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../shared/clock.js';
import { sameSecret } from '../../shared/secrets.js';

/** How long a browser stays known after a sign-in. */
export const knownBrowserSeconds = 180 * 86_400;

/**
 * Marks of browsers in which a user has signed in before. A mark opens nothing: it only keeps that browser apart from the
 * wrong guesses of others, so that they cannot lock the owner out (OWASP calls it a device cookie). Signed, not stored.
 */
export class KnownBrowsers {
  constructor(
    private readonly sessionSecret: string,
    private readonly clock: Clock,
  ) {}

  /** @returns the cookie's text */
  mark(userId: number): string {
    const expires = Math.floor(this.clock.now() / 1000) + knownBrowserSeconds;
    const body = `${userId}.${expires}.${randomBytes(9).toString('base64url')}`;
    return `${body}.${this.sign(body)}`;
  }

  /** @returns whose browser it is and the browser's own name; null for a text that is forged, changed or too old */
  read(text: string | undefined): { userId: number; browser: string } | null {
    const match = /^((\d{1,10})\.(\d{1,12})\.([\w-]{12}))\.([\w-]{43})$/.exec(text ?? '');
    const [, body = '', userId = '', expires = '', browser = '', signature = ''] = match ?? [];
    if (!match || !sameSecret(signature, this.sign(body))) return null;
    if (Number(expires) * 1000 <= this.clock.now()) return null;
    return { userId: Number(userId), browser };
  }

  private sign(body: string): string {
    return createHmac('sha256', this.sessionSecret).update(`known-browser:${body}`).digest('base64url');
  }
}
