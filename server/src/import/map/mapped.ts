import { maxQuota } from '../../shared/quota.js';
import type { Family } from '../family.js';
import type { Findings } from '../findings.js';
import type { PricePlan } from '../prices/price-plan.js';
import type { Fields } from '../source/fields.js';

export type Values = Readonly<Record<string, unknown>>;

/** A row of this product's database, made from a row of a source. */
export interface Mapped {
  /** Identifies the source row in its table. */
  readonly key: string;
  /** Columns, except those below. */
  readonly values: Values;
  /** Columns that are encrypted. */
  readonly sealed?: Readonly<Record<string, string>>;
  /** Columns that are keyed digests; null stays null. */
  readonly hashed?: Readonly<Record<string, string | null>>;
  /** The keys of `users.setting`, whose secret is encrypted. */
  readonly setting?: Values;
  /** Balances and counters. A later run adds only what changed in the source. */
  readonly amounts?: Readonly<Record<string, number>>;
  /** The row must not be here. `values` has the key columns. */
  readonly isGone?: boolean;
}

/** Decisions of the operator. */
export interface Decisions {
  readonly dropTwoFactor: boolean;
  readonly acceptPriceDifferences: boolean;
  readonly plans: 'refuse' | 'balance' | 'drop';
  readonly withContent: boolean;
  /** Findings that were accepted, by the name that the report has for each. */
  readonly accepted?: readonly string[];
}

/** Facts about the source as a whole that mappers need. */
export interface MapContext {
  readonly family: Family;
  readonly findings: Findings;
  readonly decisions: Decisions;
  /** Saved options of the source. */
  readonly options: ReadonlyMap<string, string>;
  /** Null for LiteLLM. */
  readonly prices: PricePlan | null;
  readonly users: UserPlan;
  /** Trade numbers to the id of the order that keeps it. */
  readonly orders: ReadonlyMap<string, number>;
  /** Unix seconds. */
  readonly now: number;
}

/** Decisions that need all users in view. */
export interface UserPlan {
  readonly ids: ReadonlySet<number>;
  /** Users who lose an address or an external account, as `column:id`. */
  readonly losers: ReadonlySet<string>;
  /** Addresses and external accounts of all users, as `heldAs` writes them. */
  readonly held: ReadonlySet<string>;
  /** The user who is root; null: none of the source. */
  readonly rootId: number | null;
  /** Last day of a check-in, by user. */
  readonly checkIns: ReadonlyMap<number, string>;
  /** The rest of active subscriptions, by user. */
  readonly plans: ReadonlyMap<number, number>;
  readonly names: ReadonlyMap<number, string>;
  /** Users whose name differs from that of another user by case only. */
  readonly alike: ReadonlySet<number>;
  /** Users whose authenticator app is moved. */
  readonly withApp: ReadonlySet<number>;
}

/** Of a balance that stands for "without limit". Sums of several such are exact. */
const largestAmount = 1_000_000_000_000_000;

/** A balance or counter. One that cannot be stored is cut, so that its user, key or channel is moved. */
export function amountOf(row: Fields, name: string, table: string, { findings }: Pick<MapContext, 'findings'>): number {
  const amount = row.unbounded(name);
  if (Math.abs(amount) <= maxQuota) return amount;
  findings.add('amount-cut', table, row.id, `${name} ${row.text(name)}`);
  return Math.sign(amount) * largestAmount;
}

/** Rows of a source row: none when it is left out, several when it is split. */
export type Mapper = (row: Fields, context: MapContext) => Mapped[];
