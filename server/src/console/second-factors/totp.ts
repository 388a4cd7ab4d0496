import { Secret, TOTP } from 'otpauth';
import { secondsIn } from '../../shared/clock.js';

const period = 30;
/** Number of steps before and after the current one whose codes are accepted, because clocks differ. */
const window = 1;

export interface NewAuthenticator {
  /** The secret in Base32, for typing it into an authenticator app. */
  readonly secret: string;
  /** The URI `otpauth://totp/…`, for a QR code. */
  readonly uri: string;
}

const generator = (secret: string, label = '', issuer = ''): TOTP =>
  new TOTP({
    ...(issuer && { issuer }),
    label,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: 6,
    period,
  });

/**
 * Creates a secret of 160 bits.
 * @param issuer the name of the site that the app shows
 */
export function newAuthenticator(username: string, issuer: string): NewAuthenticator {
  const secret = new Secret({ size: 20 }).base32;
  return { secret, uri: generator(secret, username, issuer).toString() };
}

/**
 * Returns the time step of a code by RFC 6238 (SHA-1, 6 digits, 30 seconds), or null when the code is wrong. The caller
 * must refuse a step that is not after the last accepted one.
 * @param now milliseconds since 1970
 */
export function stepOfCode(secret: string, code: string, now: number): number | null {
  const token = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return null;
  const delta = generator(secret).validate({ token, timestamp: now, window });
  return delta === null ? null : Math.floor(secondsIn(now) / period) + delta;
}
