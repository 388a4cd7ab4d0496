import { createHmac, randomBytes } from 'node:crypto';
import { millisecondsIn, seconds, type Clock } from '../../shared/clock.js';
import { sameSecret } from '../../shared/secrets.js';

/** Seconds for which a browser stays known after a sign-in. */
export const knownBrowserSeconds = 180 * 86_400;

/**
 * Marks browsers in which a user signed in before. A mark grants no access: it only separates that browser's attempts
 * from those of others, so that others cannot lock the owner out (a device cookie in OWASP's terms). Marks are signed,
 * not stored.
 */
export class KnownBrowsers {
  constructor(
    private readonly sessionSecret: string,
    private readonly clock: Clock,
  ) {}

  /** @returns the value of the cookie */
  mark(userId: number): string {
    const expires = seconds(this.clock) + knownBrowserSeconds;
    const body = `${userId}.${expires}.${randomBytes(9).toString('base64url')}`;
    return `${body}.${this.sign(body)}`;
  }

  /** @returns the user and the browser's own id; null for a forged, changed or expired value */
  read(text: string | undefined): { userId: number; browser: string } | null {
    const match = /^((\d{1,10})\.(\d{1,12})\.([\w-]{12}))\.([\w-]{43})$/.exec(text ?? '');
    const [, body = '', userId = '', expires = '', browser = '', signature = ''] = match ?? [];
    if (!match || !sameSecret(signature, this.sign(body))) return null;
    if (millisecondsIn(Number(expires)) <= this.clock.now()) return null;
    return { userId: Number(userId), browser };
  }

  private sign(body: string): string {
    return createHmac('sha256', this.sessionSecret).update(`known-browser:${body}`).digest('base64url');
  }
}
