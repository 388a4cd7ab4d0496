import { z } from 'zod';
import { AppError } from '../../shared/errors.js';

/** A channel whose balance is read. */
export interface BalanceSource {
  /** The channel's base URL or the provider's default, without a trailing slash. */
  readonly base: string;
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Returns the parsed body of a 200. @throws AppError UPSTREAM_* */
  readonly get: (url: string, headers?: Readonly<Record<string, string>>) => Promise<unknown>;
}

/**
 * Reads a balance (docs/reference/relay/routing.md#channel-balance).
 * @returns USD, or the provider's own unit; NaN when the response contains no amount
 * @throws AppError UPSTREAM_*
 */
export type BalanceReader = (source: BalanceSource) => Promise<number>;

export const bearer = ({ key }: BalanceSource): Record<string, string> => ({ authorization: `Bearer ${key}` });
const isoDay = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);
const hundredDays = 100 * 24 * 3_600_000;

const subscriptionBody = z.object({ hard_limit_usd: z.number(), has_payment_method: z.boolean().optional() });
const usageBody = z.object({ total_usage: z.number() });

/** Returns the limit of the subscription minus the usage of this month, or of the last 100 days on a trial. */
export const openAIBalance: BalanceReader = async (source) => {
  const { base, now, get } = source;
  const billing = `${base.replace(/\/v1$/, '')}/v1/dashboard/billing`;
  const subscription = readBalance(subscriptionBody, await get(`${billing}/subscription`, bearer(source)));
  const today = isoDay(now);
  const from = subscription.has_payment_method === false ? isoDay(now - hundredDays) : `${today.slice(0, 8)}01`;
  const usage = readBalance(
    usageBody,
    await get(`${billing}/usage?start_date=${from}&end_date=${today}`, bearer(source)),
  );
  return subscription.hard_limit_usd - usage.total_usage / 100;
};

/** An amount as a number or a text. */
export const amountText = z.coerce.number();

/** @throws AppError UPSTREAM_INVALID_RESPONSE when a response has another shape */
export function readBalance<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The response contains no balance');
  return parsed.data;
}
