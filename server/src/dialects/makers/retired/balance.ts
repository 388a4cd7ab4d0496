import { z } from 'zod';
import { bearer, readBalance, type BalanceReader } from '../../providers/balance.js';

/** AI Proxy reports the points of the account. */
export const aiProxyBalance: BalanceReader = async ({ key, get }) => {
  const body = await get('https://aiproxy.io/api/report/getUserOverview', { 'api-key': key });
  return readBalance(z.object({ success: z.literal(true), data: z.object({ totalPoints: z.number() }) }), body).data
    .totalPoints;
};

export const creditsBalance =
  (url: string, field: 'total_remaining' | 'total_available'): BalanceReader =>
  async (source) => {
    const body = readBalance(z.object({ [field]: z.number() }), await source.get(url, bearer(source)));
    return body[field] ?? Number.NaN;
  };
