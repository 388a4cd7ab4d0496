import type { PlanTerms } from '../../billing/plans/index.js';
import type { UserSetting } from '../../billing/accounts/index.js';
import { amountWithoutLimit, maxQuota } from '../../shared/quota.js';
import type { Family } from '../family.js';
import type { Findings } from '../findings.js';
import type { PricePlan } from '../prices/price-plan.js';
import type { Fields } from '../source/fields.js';

export type Values = Readonly<Record<string, unknown>>;

/** A row of this product's database, made from a row of a source. */
export interface Mapped {
  /** Identifies the source row within its table. */
  readonly key: string;
  /** The columns that no field below has. */
  readonly values: Values;
  /** Columns that are encrypted before they are stored. */
  readonly sealed?: Readonly<Record<string, string>>;
  /** Columns that are stored as keyed digests; null stays null. */
  readonly hashed?: Readonly<Record<string, string | null>>;
  /** `users.setting`, whose secret is encrypted. */
  readonly setting?: Partial<UserSetting>;
  /** Balances and counters. A later run adds only the difference to the previous run. */
  readonly amounts?: Readonly<Record<string, number>>;
  /** Values of other tables, which the statement `alongside` of the table writes. */
  readonly alongside?: Values;
  /** The row must not exist here. `values` has the key columns. */
  readonly isGone?: boolean;
}

export const planChoices = ['refuse', 'move', 'balance', 'drop'] as const;
/** How active subscriptions are treated. */
export type PlanChoice = (typeof planChoices)[number];

/** Decisions of the operator. */
export interface Decisions {
  readonly dropTwoFactor: boolean;
  readonly acceptPriceDifferences: boolean;
  readonly plans: PlanChoice;
  readonly withContent: boolean;
  /** The names of accepted findings, as the report shows them. */
  readonly accepted?: readonly string[];
}

/** Facts about the source as a whole that mappers need. */
export interface MapContext {
  readonly family: Family;
  readonly findings: Findings;
  readonly decisions: Decisions;
  /** Saved options of the source. */
  readonly options: ReadonlyMap<string, string>;
  /** The prices of the source; null for LiteLLM. */
  readonly prices: PricePlan | null;
  readonly users: UserPlan;
  /** Plans of new-api that are sold or were, by id. */
  readonly plans: ReadonlyMap<number, SourcePlan>;
  /** Trade number → id of the order that keeps it. */
  readonly orders: ReadonlyMap<string, number>;
  /** Unix seconds. */
  readonly now: number;
}

/** A plan of new-api in the terms of this product. */
export interface SourcePlan {
  readonly terms: PlanTerms;
  /** Whether it is sold there, and its period and its resets exist here. */
  readonly onSale: boolean;
  /** Terms of the source that have no counterpart, one text each. */
  readonly changes: readonly string[];
}

/** Decisions that depend on all users of the source. */
export interface UserPlan {
  readonly ids: ReadonlySet<number>;
  /** Users who lose an address or an external account, as `column:id`. */
  readonly losers: ReadonlySet<string>;
  /** Addresses and external accounts of all users, in the form of `heldAs`. */
  readonly held: ReadonlySet<string>;
  /** The user who becomes root; null if none of the source does. */
  readonly rootId: number | null;
  /** Last day of a check-in, by user. */
  readonly checkIns: ReadonlyMap<number, string>;
  /** The remaining quota of active subscriptions that is credited, by user. */
  readonly creditedPlans: ReadonlyMap<number, number>;
  /** Active subscriptions that are moved. */
  readonly heldPlans: ReadonlySet<number>;
  /** The setting `billing_preference` of new-api, of users whose subscription does not pay first. */
  readonly preferences: ReadonlyMap<number, string>;
  readonly names: ReadonlyMap<number, string>;
  /** Users whose name differs from that of another user only by case. */
  readonly alike: ReadonlySet<number>;
  /** Users whose authenticator app is imported. */
  readonly withApp: ReadonlySet<number>;
}

/**
 * Returns a balance or counter. A value that cannot be stored is cut, so that its user, key or channel is still
 * imported.
 */
export function amountOf(row: Fields, name: string, table: string, { findings }: Pick<MapContext, 'findings'>): number {
  const amount = row.unbounded(name);
  if (Math.abs(amount) <= maxQuota) return amount;
  findings.add('amount-cut', table, row.id, `${name} ${row.text(name)}`);
  return Math.sign(amount) * amountWithoutLimit;
}

/** Maps a source row to rows of this product: none if it is left out, several if it is split. */
export type Mapper = (row: Fields, context: MapContext) => Mapped[];
