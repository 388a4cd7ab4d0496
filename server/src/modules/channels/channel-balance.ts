import { z } from 'zod';
import { AppError } from '../../shared/errors.js';

/** How a balance is asked for: `get` answers the parsed body of a 200. */
export interface BalanceSource {
  /** The channel's own address or its type's, without a trailing slash. */
  readonly base: string;
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly get: (url: string, headers?: Readonly<Record<string, string>>) => Promise<unknown>;
}

type Balance = (source: BalanceSource) => Promise<number>;

const bearer = ({ key }: BalanceSource): Record<string, string> => ({ authorization: `Bearer ${key}` });
const isoDay = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);
const hundredDays = 100 * 24 * 3_600_000;

const subscriptionBody = z.object({ hard_limit_usd: z.number(), has_payment_method: z.boolean().optional() });
const usageBody = z.object({ total_usage: z.number() });

/** What OpenAI and its imitators had: a limit, and what was used of it this month, or lately on a trial. */
const ofOpenAI: Balance = async (source) => {
  const { base, now, get } = source;
  const billing = `${base.replace(/\/v1$/, '')}/v1/dashboard/billing`;
  const subscription = read(subscriptionBody, await get(`${billing}/subscription`, bearer(source)));
  const today = isoDay(now);
  const from = subscription.has_payment_method === false ? isoDay(now - hundredDays) : `${today.slice(0, 8)}01`;
  const usage = read(usageBody, await get(`${billing}/usage?start_date=${from}&end_date=${today}`, bearer(source)));
  return subscription.hard_limit_usd - usage.total_usage / 100;
};

const ofAIProxy: Balance = async ({ key, get }) => {
  const body = await get('https://aiproxy.io/api/report/getUserOverview', { 'api-key': key });
  return read(z.object({ success: z.literal(true), data: z.object({ totalPoints: z.number() }) }), body).data
    .totalPoints;
};

const credits =
  (url: string, field: 'total_remaining' | 'total_available'): Balance =>
  async (source) => {
    const body = read(z.object({ [field]: z.number() }), await source.get(url, bearer(source)));
    return body[field] ?? Number.NaN;
  };

const amountText = z.coerce.number();

const ofSiliconFlow: Balance = async (source) => {
  const body = await source.get(`${source.base.replace(/\/v1$/, '')}/v1/user/info`, bearer(source));
  return read(z.object({ code: z.literal(20_000), data: z.object({ totalBalance: amountText }) }), body).data
    .totalBalance;
};

const deepSeekBody = z.object({
  balance_infos: z.array(z.object({ currency: z.string(), total_balance: amountText })),
});

const ofDeepSeek: Balance = async (source) => {
  const body = await source.get(`${source.base.replace(/\/v1$/, '')}/user/balance`, bearer(source));
  const found = read(deepSeekBody, body).balance_infos.find(({ currency }) => currency === 'CNY');
  return found?.total_balance ?? Number.NaN;
};

/** By channel type (docs/reference/relay/routing.md#channel-balance). */
export const balances: ReadonlyMap<number, Balance> = new Map([
  [1, ofOpenAI],
  [8, ofOpenAI],
  [10, ofAIProxy],
  [12, credits('https://api.api2gpt.com/dashboard/billing/credit_grants', 'total_remaining')],
  [13, credits('https://api.aigc2d.com/dashboard/billing/credit_grants', 'total_available')],
  [40, ofSiliconFlow],
  [43, ofDeepSeek],
]);

function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The answer tells no balance');
  return parsed.data;
}
