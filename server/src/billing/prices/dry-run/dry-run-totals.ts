import { billion, type Rounded } from '../rounding.js';

/** Revenue and costs of calls, before and after. Amounts in quota; costs in billionths of a USD. */
export interface DryRunFigures {
  readonly calls: number;
  readonly quotaBefore: number;
  readonly quotaAfter: number;
  /** Number of calls whose cost is known. The margin is computed from these. */
  readonly costCalls: number;
  readonly costNano: number;
  readonly costQuotaBefore: number;
  readonly costQuotaAfter: number;
}

/** Why a call is not part of a comparison: the proposal has no price for it, or the row lacks what the price counts. */
export const dryRunGaps = ['UNPRICED', 'UNKNOWN_QUANTITIES'] as const;
export type DryRunGap = (typeof dryRunGaps)[number];

/** Calls that are not part of a comparison. */
export interface DryRunSkipped {
  readonly reason: DryRunGap;
  readonly calls: number;
  /** The charged quota. */
  readonly quota: number;
}

/** The figures of one user or one model. */
export interface DryRunLine<Key> {
  readonly key: Key;
  readonly figures: DryRunFigures;
}

/** A call with both charges. */
export interface Comparison {
  readonly userId: number;
  readonly model: string;
  readonly before: Rounded;
  readonly after: Rounded;
  /** The cost in USD. Null when it is unknown. */
  readonly costUsd: number | null;
}

const longest = 20;

/** Totals in the order of `places`. Large numbers in an object are boxed, which takes twice as long. */
type Sums = Float64Array;

/**
 * Positions of totals. An amount has two positions: quota, and billionths of a unit, whose whole units count as the
 * ledger charges them.
 */
const places = { calls: 0, before: 1, after: 3, costCalls: 5, costNano: 6, costBefore: 7, costAfter: 9 } as const;

const emptySums = (): Sums => new Float64Array(11);

function toFigures(sums: Sums): DryRunFigures {
  const at = (place: number): number => sums[place] ?? 0;
  const quotaAt = (place: number): number => at(place) + Math.trunc(at(place + 1) / billion);
  return {
    calls: at(places.calls),
    quotaBefore: quotaAt(places.before),
    quotaAfter: quotaAt(places.after),
    costCalls: at(places.costCalls),
    costNano: at(places.costNano),
    costQuotaBefore: quotaAt(places.costBefore),
    costQuotaAfter: quotaAt(places.costAfter),
  };
}

/** Totals of compared calls: of all, by user and by model. */
export class DryRunTotals {
  private readonly all = emptySums();
  private readonly users = new Map<number, Sums>();
  private readonly models = new Map<string, Sums>();
  private readonly gaps = new Map<DryRunGap, { calls: number; quota: number }>();

  add(call: Comparison): void {
    addTo(this.all, call);
    addTo(entry(this.users, call.userId), call);
    addTo(entry(this.models, call.model), call);
  }

  /**
   * Counts a call that cannot be priced again.
   * @param quota the charge of the call
   */
  skip(reason: DryRunGap, quota: number): void {
    let gap = this.gaps.get(reason);
    if (!gap) this.gaps.set(reason, (gap = { calls: 0, quota: 0 }));
    gap.calls += 1;
    gap.quota += quota;
  }

  get total(): DryRunFigures {
    return toFigures(this.all);
  }

  get skipped(): DryRunSkipped[] {
    return dryRunGaps.flatMap((reason) => {
      const gap = this.gaps.get(reason);
      return gap ? [{ reason, ...gap }] : [];
    });
  }

  /**
   * The users and models with the largest differences, the largest first. Among equal ones, those with the largest
   * charge come first.
   */
  get topUsers(): Array<DryRunLine<number>> {
    return top(this.users);
  }

  get topModels(): Array<DryRunLine<string>> {
    return top(this.models);
  }

  get usersPayingMore(): number {
    return this.usersWhere((before, after) => after > before);
  }

  get usersPayingLess(): number {
    return this.usersWhere((before, after) => after < before);
  }

  private usersWhere(matches: (before: number, after: number) => boolean): number {
    const figures = [...this.users.values()].map(toFigures);
    return figures.filter(({ quotaBefore, quotaAfter }) => matches(quotaBefore, quotaAfter)).length;
  }
}

function entry<Key>(map: Map<Key, Sums>, key: Key): Sums {
  let sums = map.get(key);
  if (!sums) map.set(key, (sums = emptySums()));
  return sums;
}

function addTo(sums: Sums, { before, after, costUsd }: Comparison): void {
  increase(sums, places.calls, 1);
  addCharge(sums, places.before, before);
  addCharge(sums, places.after, after);
  if (costUsd === null) return;
  increase(sums, places.costCalls, 1);
  increase(sums, places.costNano, Math.round(costUsd * billion));
  addCharge(sums, places.costBefore, before);
  addCharge(sums, places.costAfter, after);
}

function addCharge(sums: Sums, place: number, { quota, rest }: Rounded): void {
  increase(sums, place, quota);
  increase(sums, place + 1, rest);
}

const increase = (sums: Sums, place: number, amount: number): void => {
  sums[place] = (sums[place] ?? 0) + amount;
};

const changeOf = ({ quotaBefore, quotaAfter }: DryRunFigures): number => Math.abs(quotaAfter - quotaBefore);

const top = <Key extends number | string>(map: ReadonlyMap<Key, Sums>): Array<DryRunLine<Key>> =>
  [...map]
    .map(([key, sums]) => ({ key, figures: toFigures(sums) }))
    .sort(
      (left, right) =>
        changeOf(right.figures) - changeOf(left.figures) ||
        right.figures.quotaBefore - left.figures.quotaBefore ||
        (left.key < right.key ? -1 : 1),
    )
    .slice(0, longest);
