import { createHash } from 'node:crypto';
import { boundedCache } from '../../shared/bounded-cache.js';
import { millisecondsIn, type Clock } from '../../shared/clock.js';
import type { CredentialExchange, CredentialTarget } from '../../dialects/contract.js';
import { toUpstreamError } from '../../dialects/errors/read-upstream-error.js';
import type { UpstreamClient } from './upstream-client.js';

/** Seconds before its expiry at which a credential is renewed, so that it does not expire during a call. */
const marginSeconds = 60;
const minSeconds = 10;
const maxAnswerBytes = 256 * 1024;
const timeouts = { firstByte: 15_000, idle: 15_000 };

/** Caches exchanged credentials (OAuth and similar) per channel and key until shortly before they expire. */
export class Credentials {
  private readonly known = boundedCache<string, { readonly credential: string; readonly until: number }>({ max: 5000 });
  private readonly asked = new Map<string, Promise<string>>();

  constructor(
    private readonly upstream: UpstreamClient,
    private readonly clock: Clock,
  ) {}

  /** @throws UpstreamError when the provider refuses the key, AppError UPSTREAM_UNREACHABLE, UPSTREAM_INVALID_RESPONSE */
  get(exchange: CredentialExchange, target: CredentialTarget, proxy: string | undefined): Promise<string> {
    if (exchange.needed?.(target) === false) return Promise.resolve('');
    const cacheKey = cacheKeyOf(target);
    const held = this.known.get(cacheKey);
    if (held && held.until > this.clock.now()) return Promise.resolve(held.credential);
    const running = this.asked.get(cacheKey);
    if (running) return running;
    const asking = this.ask(exchange, target, proxy, cacheKey).finally(() => this.asked.delete(cacheKey));
    this.asked.set(cacheKey, asking);
    return asking;
  }

  /** Drops a credential that the provider refused, so that the next call requests a new one. */
  forget(target: Pick<CredentialTarget, 'channelId' | 'key'>): void {
    this.known.delete(cacheKeyOf(target));
  }

  private async ask(
    exchange: CredentialExchange,
    target: CredentialTarget,
    proxy: string | undefined,
    cacheKey: string,
  ): Promise<string> {
    const sent = this.upstream.send(exchange.toRequest(target), timeouts, proxy);
    await sent.answer;
    const body = await sent.collect(maxAnswerBytes);
    if (sent.status < 200 || sent.status >= 300) throw toUpstreamError(sent.status, body);
    const contentType = (sent.headers['content-type'] ?? '').toLowerCase();
    const { credential, secondsToLive } = exchange.fromAnswer({ contentType, body });
    const seconds = Math.max(minSeconds, secondsToLive - marginSeconds);
    this.known.set(cacheKey, { credential, until: this.clock.now() + millisecondsIn(seconds) });
    return credential;
  }
}

/** Returns a digest, because keys are long and secret. */
const cacheKeyOf = ({ channelId, key }: Pick<CredentialTarget, 'channelId' | 'key'>): string =>
  `${channelId}:${createHash('sha256').update(key).digest('base64')}`;
