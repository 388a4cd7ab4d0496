import { z } from 'zod';
import { amountText, bearer, readBalance, type BalanceReader } from '../../providers/balance.js';

const deepSeekBody = z.object({
  balance_infos: z.array(z.object({ currency: z.string(), total_balance: amountText })),
});

/** DeepSeek: the balance in CNY is read. */
export const deepSeekBalance: BalanceReader = async (source) => {
  const body = await source.get(`${source.base.replace(/\/v1$/, '')}/user/balance`, bearer(source));
  const found = readBalance(deepSeekBody, body).balance_infos.find(({ currency }) => currency === 'CNY');
  return found?.total_balance ?? Number.NaN;
};
