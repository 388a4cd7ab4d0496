import { priceUnder } from '../../billing/prices/index.js';
import type { OptionValues } from '../../options/option.service.js';
import type { Condition } from '../../shared/price-condition.js';
import type { Call } from '../call.js';
import { costOf } from './call-charge.js';
import { countedPrompt, wantedFor } from './estimate.js';
import { wholeAmount } from './reserve.js';

/** The condition of prices that all calls of a batch have. */
export const inBatch: Condition = { tier: 'batch' };

/** The most that a call of a batch uses and costs. */
export interface LineEstimate {
  readonly amount: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
}

/** Returns the most that a call of a batch uses, and what that costs at the price of batches. */
export async function estimateLine(call: Call, values: OptionValues): Promise<LineEstimate> {
  const batched = { ...call, price: priceUnder(call.price, inBatch) };
  const promptTokens = await countedPrompt(batched);
  const cost = costOf(batched, values);
  const outputTokens = cost?.outputTokens ?? call.request.maxOutput;
  if (call.price.isFree) return { amount: 0, promptTokens, outputTokens };
  const amount = cost && values.StrictReserve ? wantedFor(cost, promptTokens).amount : wholeAmount(batched, values);
  return { amount, promptTokens, outputTokens };
}
