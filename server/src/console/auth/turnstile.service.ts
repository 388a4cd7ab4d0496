import { createHash } from 'node:crypto';
import type { SharedState } from '../../platform/cache/shared-state.js';
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import { addressKey } from '../../shared/address.js';
import { AppError, InvalidInputError } from '../../shared/errors.js';
import type { OptionValues } from '../../options/option.service.js';

/** Data of an unauthenticated request for the bot check and the limits of guesses. */
export interface Challenge {
  readonly ip: string;
  /** Token of the Turnstile widget. */
  readonly turnstile?: string;
  /** The mark that an earlier sign-in stored in this browser (`KnownBrowsers`). */
  readonly knownBrowser?: string;
  /** Id of this browser, created on first use. */
  readonly visitor: () => string;
}

export interface TurnstileDeps {
  readonly fetch: GuardedFetch;
  readonly state: SharedState;
  readonly options: { readonly values: OptionValues };
  /** The base URL, `https://challenges.cloudflare.com` in production. */
  readonly baseUrl: string;
}

/** Seconds. After a success, a browser at the same address needs no token for this time. */
const passSeconds = 600;

/** Cloudflare's bot check (docs/reference/rest/accounts.md#turnstile). */
export class TurnstileService {
  constructor(private readonly deps: TurnstileDeps) {}

  /** @throws AppError INVALID_INPUT, UPSTREAM_UNREACHABLE, UPSTREAM_TIMEOUT */
  async check({ ip, turnstile, visitor }: Challenge): Promise<void> {
    const { state, options } = this.deps;
    if (!options.values.TurnstileCheckEnabled) return;
    const key = passOf(visitor(), ip);
    if ((await state.get(key)) !== null) return;
    if (!turnstile) throw new InvalidInputError('Turnstile token is empty', 'turnstile');
    if (!(await this.ask(turnstile, ip))) {
      throw new InvalidInputError('Turnstile check failed, refresh and retry', 'turnstile');
    }
    await state.set(key, '1', passSeconds);
  }

  /** Removes the browser's record of a passed check, at sign-in and sign-out. */
  async forget({ ip, visitor }: Challenge): Promise<void> {
    if (this.deps.options.values.TurnstileCheckEnabled) await this.deps.state.delete(passOf(visitor(), ip));
  }

  private async ask(response: string, remoteip: string): Promise<boolean> {
    const secret = this.deps.options.values.TurnstileSecretKey;
    const answer = await this.deps.fetch.fetch({
      url: `${this.deps.baseUrl}/turnstile/v0/siteverify`,
      policy: 'admin',
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ secret, response, remoteip }).toString(),
      timeoutMs: 5000,
      maxBytes: 64 * 1024,
    });
    try {
      return (JSON.parse(answer.body.toString()) as { success?: unknown } | null)?.success === true;
    } catch (error) {
      throw new AppError('UPSTREAM_UNREACHABLE', 'The Turnstile server is unreachable. Try again later.', {
        cause: error,
      });
    }
  }
}

/** Returns the key of that record. It includes the address, because a cookie alone could be copied to many machines. */
const passOf = (visitor: string, ip: string): string =>
  `turnstile:${createHash('sha256')
    .update(`${visitor}\n${addressKey(ip)}`)
    .digest('base64url')}`;
