import { Decimal } from 'decimal.js';
import { budgetWindowAt } from '../../shared/budget.js';
import { millisecondsIn, unixSecond, unixSeconds } from '../../shared/clock.js';
import { type Budget, type BudgetState } from '../budgets/index.js';
import type { PlanSpan } from './plan-terms.js';
import type { PlanReceipt, PlanRest } from './subscription.entity.js';

/** A part of what a subscription granted, as a fraction. */
interface Rest {
  readonly left: number;
  readonly of: number;
  readonly name: string;
  readonly window: PlanRest['window'];
}

/** A subscription that is replaced, for the value of its rest. */
export interface Replaced {
  readonly paid: number;
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** The windows of the plan, with their use. */
  readonly windows: ReadonlyArray<{ readonly budget: Budget; readonly state: BudgetState | null }>;
}

/**
 * Computes the price of an upgrade: the price of the new plan less the value of the rest of the old one. The rest is the
 * smallest share that is left, of the time and of each window, so that what was used is not returned.
 * @param now Unix milliseconds
 */
export function upgradeReceipt(price: number, old: Replaced, now: number): PlanReceipt {
  const rests = [restOfTime(old, now), ...old.windows.map((window) => restOfWindow(window, old, now))];
  const smallest = rests.reduce((least, rest) => (rest.left * least.of < least.left * rest.of ? rest : least));
  const { left, of, name, window } = smallest;
  const credit = Math.min(price, new Decimal(old.paid).times(left).div(of).floor().toNumber());
  return {
    price,
    credit,
    rest: { paid: old.paid, left, of, window },
    formula: `${price} - min(${price}, floor(${old.paid} x ${left} / ${of} (${name}))) = ${price - credit}`,
  };
}

function restOfTime({ startsAt, endsAt }: Replaced, now: number): Rest {
  const of = unixSeconds(endsAt) - unixSeconds(startsAt);
  return { left: Math.min(of, Math.max(0, unixSeconds(endsAt) - unixSecond(now))), of, name: 'seconds', window: null };
}

/** Returns what is left of the windows of one span in the whole period: of the open one, and all later ones. */
function restOfWindow(
  { budget, state }: Replaced['windows'][number],
  { startsAt, endsAt }: Replaced,
  now: number,
): Rest {
  let count = 0;
  let later = 0;
  for (let at = startsAt.getTime(); at < endsAt.getTime();) {
    const window = budgetWindowAt(budget, at);
    if (!window) break;
    count++;
    if (millisecondsIn(window.start) > now) later++;
    at = millisecondsIn(window.end);
  }
  const { amount, kind, span } = budget;
  const open = state ? Math.max(0, amount - state.used - state.held) : 0;
  return {
    left: open + later * amount,
    of: Math.max(1, count) * amount,
    name: `${kind} of ${span}`,
    window: { span: span as PlanSpan, kind },
  };
}
