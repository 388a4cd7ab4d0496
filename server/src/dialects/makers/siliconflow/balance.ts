import { z } from 'zod';
import { amountText, bearer, readBalance, type BalanceReader } from '../../providers/balance.js';

/** SiliconFlow reports the total balance of the account. */
export const siliconFlowBalance: BalanceReader = async (source) => {
  const body = await source.get(`${source.base.replace(/\/v1$/, '')}/v1/user/info`, bearer(source));
  return readBalance(z.object({ code: z.literal(20_000), data: z.object({ totalBalance: amountText }) }), body).data
    .totalBalance;
};
