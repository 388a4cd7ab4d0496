import { AppError } from '../../../shared/errors.js';
import { UpstreamError } from '../../../dialects/errors/upstream-error.js';
import { UpstreamConnectionError } from '../../upstream/exchange.js';
import type { RoutedChannel } from '../routed-channel.js';
import { Health } from './health.js';
import { cooldownRule } from './cooldown-rules.js';
import { resetTime } from './reset-time.js';

/** 2026-01-01T00:00:00Z. */
const start = 1_767_225_600_000;

describe('the time at which a provider takes calls again', () => {
  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': '7', 'retry-after-ms': '250' }, 250],
    [{ 'retry-after': '7', 'x-ratelimit-reset-requests': '1m' }, 7000],
    [{ 'x-ratelimit-reset-requests': '1m30s' }, 90_000],
    [{ 'x-ratelimit-reset-tokens': '6m0s' }, 360_000],
    [{ 'x-ratelimit-reset-tokens': '120ms' }, 120],
    [{ 'x-ratelimit-reset-tokens': '2m59.56s' }, 179_560],
    [{ 'x-ratelimit-reset': '12' }, 12_000],
    [{ 'x-ratelimit-reset': '1767225605' }, 5000],
    [{ 'x-ratelimit-reset': '1767225606000' }, 6000],
    [{ 'anthropic-ratelimit-requests-reset': '2026-01-01T00:00:20Z' }, 20_000],
    [{ 'anthropic-ratelimit-unified-reset': '1767229200' }, 3_600_000],
    // The limit that is used up decides.
    [
      {
        'x-ratelimit-reset-requests': '1s',
        'x-ratelimit-remaining-requests': '10',
        'x-ratelimit-reset-tokens': '40s',
        'x-ratelimit-remaining-tokens': '0',
      },
      40_000,
    ],
    [
      {
        'anthropic-ratelimit-input-tokens-reset': '2026-01-01T00:00:09Z',
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-requests-reset': '2026-01-01T00:00:02Z',
        'anthropic-ratelimit-requests-remaining': '4',
      },
      9000,
    ],
    // No header says which limit is used up. The earliest reset counts, because one call tests the key.
    [{ 'x-ratelimit-reset-requests': '3s', 'x-ratelimit-reset-tokens': '40s' }, 3000],
  ])('%j is %i ms ahead', (headers, ahead) => {
    expect(resetTime(headers as unknown as Record<string, string>, start)).toBe(start + ahead);
  });

  it.each([
    [{}],
    [{ 'retry-after': '0' }],
    [{ 'retry-after': 'soon' }],
    [{ 'retry-after': 'Thu, 01 Jan 2015 00:00:30 GMT' }],
    [{ 'x-ratelimit-reset-requests': 'never' }],
    [{ 'x-ratelimit-limit-requests': '60' }],
  ])('%j names none', (headers) => {
    expect(resetTime(headers as unknown as Record<string, string>, start)).toBeNull();
  });
});

const upstream = (status: number, detail: Partial<UpstreamError['detail']> = {}): UpstreamError =>
  new UpstreamError(status, { message: 'no', ...detail });

describe('a failed attempt', () => {
  it.each([
    ['429', upstream(429), 'RATE_LIMITED'],
    ['500', upstream(500), 'FAILING'],
    ['529', upstream(529), 'FAILING'],
    ['504', upstream(504), 'FAILING'],
    ['a timeout', new UpstreamConnectionError(true, true, new Error('timeout')), 'FAILING'],
    ['a stream that broke off', new AppError('UPSTREAM_UNREACHABLE', 'reset'), 'FAILING'],
    ['402', upstream(402), 'QUOTA_EXHAUSTED'],
    ['429 insufficient_quota', upstream(429, { code: 'insufficient_quota' }), 'QUOTA_EXHAUSTED'],
    ['403 billing_error', upstream(403, { type: 'billing_error' }), 'QUOTA_EXHAUSTED'],
    // These statuses are about the request.
    ['400', upstream(400), null],
    ['404', upstream(404), null],
    ['422', upstream(422), null],
    ['400 with the words of the client', upstream(400, { message: 'insufficient_quota billing 429' }), null],
    ['400 insufficient_quota', upstream(400, { code: 'insufficient_quota' }), null],
    ['a request larger than the limit', upstream(429, { message: 'Request too large for gpt-4o: Limit 10' }), null],
    // Automatic disabling handles invalid keys, by its own rules.
    ['401', upstream(401), null],
    ['403', upstream(403), null],
    // The circuit breaker counts failed connections.
    ['no connection', new UpstreamConnectionError(false, false, new Error('refused')), null],
    ['a failure of our own', new Error('bug'), null],
  ])('%s: %#', (_name, error, reason) => {
    expect(cooldownRule(error, start)?.reason ?? null).toBe(reason);
  });

  it('never cools a key down longer than a day for a limit, and a month for a quota', () => {
    const never = { headers: { 'retry-after': '999999999' } };
    expect(cooldownRule(upstream(429, never), start)?.until).toBe(start + 86_400_000);
    expect(cooldownRule(upstream(402, never), start)?.until).toBe(start + 31 * 86_400_000);
  });
});

describe('health', () => {
  let now = start;
  let health: Health;
  const channel = { id: 7, keys: ['sk-one', 'sk-two'] } as unknown as RoutedChannel;
  const fail = (error: unknown, keyIndex = 0, trial: ReturnType<Health['begin']> = null): void =>
    health.failed(channel, keyIndex, 'gpt', error, trial);
  const left = (): number => (health.of(7)[0]?.until ?? 0) - now;
  beforeEach(() => {
    now = start;
    health = new Health({ now: () => now });
  });

  it('cools one key down for one model until the time the provider names, then lets one call through', () => {
    fail(upstream(429, { headers: { 'retry-after': '7' } }));
    expect(health.standing(channel, 0, 'gpt')).toBe('closed');
    expect(health.standing(channel, 1, 'gpt')).toBe('open');
    expect(health.standing(channel, 0, 'other')).toBe('open');
    expect(health.ofChannel(channel, 'gpt')).toBe('open');
    now = start + 6999;
    expect(health.standing(channel, 0, 'gpt')).toBe('closed');
    expect(health.begin(channel, 0, 'gpt')).toBeNull();
    now = start + 7000;
    expect(health.standing(channel, 0, 'gpt')).toBe('open');
    const trial = health.begin(channel, 0, 'gpt');
    expect(trial).not.toBeNull();
    expect(health.standing(channel, 0, 'gpt')).toBe('closed');
    expect(health.begin(channel, 0, 'gpt')).toBeNull();
    trial?.passed();
    expect(health.standing(channel, 0, 'gpt')).toBe('open');
    expect([health.quiet, health.begin(channel, 0, 'gpt')]).toEqual([true, null]);
  });

  it('cools down for 10 s, doubling with each failed trial to 5 min, and 10 s again after a success', () => {
    fail(upstream(429));
    const cooldowns = [left()];
    for (let trial = 0; trial < 6; trial++) {
      now += left();
      fail(upstream(429), 0, health.begin(channel, 0, 'gpt'));
      cooldowns.push(left());
    }
    expect(cooldowns).toEqual([10, 20, 40, 80, 160, 300, 300].map((seconds) => seconds * 1000));
    now += left();
    health.begin(channel, 0, 'gpt')?.passed();
    fail(upstream(429));
    expect(left()).toBe(10_000);
  });

  it('does not double for calls that fail together', () => {
    for (let call = 0; call < 50; call++) fail(upstream(429));
    expect([left(), health.of(7)[0]?.times]).toEqual([10_000, 0]);
    fail(upstream(429, { headers: { 'retry-after': '30' } }));
    expect(left()).toBe(30_000);
    fail(upstream(429, { headers: { 'retry-after': '5' } }));
    expect(left()).toBe(30_000);
  });

  it('gives way after three failures in 30 s without a success, and never closes for them', () => {
    fail(upstream(500));
    fail(upstream(503));
    expect(health.standing(channel, 0, 'gpt')).toBe('open');
    health.served(channel, 0, 'gpt');
    fail(upstream(500));
    fail(upstream(500));
    expect(health.standing(channel, 0, 'gpt')).toBe('open');
    fail(upstream(500));
    expect([health.standing(channel, 0, 'gpt'), left()]).toEqual(['last', 10_000]);
  });

  it('has failures until the key succeeds or cools down, or they are forgotten', () => {
    fail(upstream(500));
    expect([health.hasFailures, health.quiet]).toEqual([true, true]);
    health.served(channel, 0, 'gpt');
    expect(health.hasFailures).toBe(false);
    for (let call = 0; call < 3; call++) fail(upstream(500));
    expect([health.hasFailures, health.quiet]).toEqual([false, false]);
    fail(upstream(500), 1);
    now += 30_001;
    health.prune();
    expect(health.hasFailures).toBe(false);
  });

  it('does not count failures that are further apart', () => {
    for (let call = 0; call < 6; call++) {
      fail(upstream(500));
      now += 15_001;
    }
    expect(health.standing(channel, 0, 'gpt')).toBe('open');
  });

  it('cools a key down without quota for every model, an hour where no reset is named', () => {
    fail(upstream(402));
    expect([health.standing(channel, 0, 'anything'), left()]).toEqual(['closed', 3_600_000]);
    // A successful test of the key ends the cooldown.
    health.proved(channel, 0, 'gpt');
    expect(health.standing(channel, 0, 'anything')).toBe('open');
  });

  it('makes the next call the trial when one said nothing about the key', () => {
    fail(upstream(429));
    now += 10_000;
    const trial = health.begin(channel, 0, 'gpt');
    fail(upstream(400), 0, trial);
    expect(health.standing(channel, 0, 'gpt')).toBe('open');
    expect(health.begin(channel, 0, 'gpt')).not.toBeNull();
  });

  it('ends with the keys it concerns: edited, enabled again or deleted', () => {
    fail(upstream(429));
    health.keepOnly(new Map([[7, channel]]));
    expect(health.cooldowns).toHaveLength(1);
    health.keepOnly(new Map([[7, { ...channel, keys: [...channel.keys] }]]));
    expect(health.cooldowns).toEqual([]);
    health.refused(channel, 1);
    expect([health.standing(channel, 1, 'x'), health.standing(channel, 0, 'x')]).toEqual(['closed', 'open']);
    health.keepOnly(new Map());
    expect(health.quiet).toBe(true);
  });

  it('forgets a cooldown five minutes after its end', () => {
    fail(upstream(429));
    now += 10_000 + 300_001;
    health.prune();
    expect(health.quiet).toBe(true);
  });
});
