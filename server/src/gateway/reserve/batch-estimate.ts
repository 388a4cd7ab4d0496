import { priceUnder } from '../../billing/prices/index.js';
import type { OptionValues } from '../../options/option.service.js';
import type { Condition } from '../../shared/price-condition.js';
import type { Call } from '../call.js';
import { costOf } from './call-charge.js';
import { countedPrompt, wantedFor } from './estimate.js';
import { possibleInCall, type PossibleTokens } from './possible-usage.js';
import { wholeAmount } from './reserve.js';

/** The condition of prices that all calls of a batch have. */
export const inBatch: Condition = { tier: 'batch' };

/** The most that a call of a batch uses and costs. */
export interface LineEstimate {
  readonly amount: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** The most that its model can take and produce. No more is charged. */
  readonly possible: PossibleTokens;
}

/** Returns the most that a call of a batch uses, and what that costs at the price of batches. */
export async function estimateLine(call: Call, values: OptionValues): Promise<LineEstimate> {
  const batched = { ...call, price: priceUnder(call.price, inBatch) };
  // The calls of a batch run at once, so none of them sees the balance that another has left.
  const promptTokens = await countedPrompt(batched, true);
  const cost = costOf(batched, values);
  const outputTokens = cost?.outputTokens ?? call.request.maxOutput;
  const possible = possibleInCall(call, values);
  if (call.price.isFree) return { amount: 0, promptTokens, outputTokens, possible };
  const amount = cost && values.StrictReserve ? wantedFor(cost, promptTokens).amount : wholeAmount(batched, values);
  return { amount, promptTokens, outputTokens, possible };
}
