import { refusingEffort, takenEfforts } from '../../makers/reasoning.js';
import { efforts, type Effort, type Reasoning } from '../../neutral/request.js';

const bareName = (model: string): string => model.slice(model.lastIndexOf('/') + 1);

/** Whether the model refuses any effort. */
export const refusesEffort = (model: string): boolean => refusingEffort.test(bareName(model));

/**
 * Converts a reasoning budget, or adaptive reasoning, to the nearest effort that the model accepts; of two equally near
 * ones, to the higher one (docs/reference/providers/anthropic.md#messages-at-other-providers).
 */
export function effortFor(model: string, reasoning: Reasoning): Effort | undefined {
  const wanted = effortOf(reasoning);
  if (wanted === undefined) return undefined;
  const name = bareName(model);
  const some = takenEfforts.find(({ models }) => models.test(name))?.taken;
  if (!some) return wanted === 'max' ? 'xhigh' : wanted;
  const distance = (effort: Effort): number => Math.abs(efforts.indexOf(effort) - efforts.indexOf(wanted));
  return some.reduce((best, each) => (distance(each) <= distance(best) ? each : best));
}

function effortOf({ effort, budget, adaptive, off }: Reasoning): Effort | undefined {
  if (effort !== undefined) return effort;
  if (off) return undefined;
  if (budget !== undefined) return budget <= 2048 ? 'low' : budget <= 8192 ? 'medium' : 'high';
  return adaptive ? 'medium' : undefined;
}
