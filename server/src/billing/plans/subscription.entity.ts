import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';
import type { BudgetKind } from '../../shared/budget.js';
import type { PlanSpan } from './plan-terms.js';
import type { PlanTerms } from './plan.entity.js';

export const subscriptionStates = ['active', 'ended', 'upgraded', 'refunded'] as const;
export type SubscriptionState = (typeof subscriptionStates)[number];

export const subscriptionOrigins = ['purchase', 'renewal', 'upgrade', 'code', 'grant', 'order'] as const;
/** How an account got a subscription. */
export type SubscriptionOrigin = (typeof subscriptionOrigins)[number];

export const renewalPayers = ['balance', 'card'] as const;
/** The payer of a renewal. `card`: the card that paid the order of the subscription. */
export type RenewalPayer = (typeof renewalPayers)[number];

/** The share of a replaced subscription that was left: the smallest one, of its time and of its windows. */
export interface PlanRest {
  /** Quota that the account had paid for it. */
  readonly paid: number;
  /** Seconds of the period, or the unit of the window. */
  readonly left: number;
  readonly of: number;
  /** The window that left the smallest share. Null: the time did. */
  readonly window: { readonly span: PlanSpan; readonly kind: BudgetKind } | null;
}

/** How the amount of a subscription was computed. Amounts are quota. */
export interface PlanReceipt {
  readonly price: number;
  /** The value of the rest of the subscription that this one replaces. 0 when there is none. */
  readonly credit: number;
  /** The computation of the credit. Empty without one. */
  readonly formula: string;
  /** Null without a credit. Absent in receipts of earlier versions. */
  readonly rest?: PlanRest | null;
}

/** One period of a plan of an account. A renewal is a subscription of its own. */
@Entity('subscriptions')
export class Subscription {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  /** The account: the id of a user. */
  @Column('integer', { name: 'account_id' }) accountId: number;
  @Column('integer', { name: 'plan_id' }) planId: number;
  /** The plan as it was sold. It never changes. */
  @Column('jsonb') terms: PlanTerms;
  @Column('text') state: SubscriptionState;
  @Column('timestamptz', { name: 'starts_at' }) startsAt: Date;
  @Column('timestamptz', { name: 'ends_at' }) endsAt: Date;
  /** When the subscription stopped, if that was before its end. */
  @Column('timestamptz', { name: 'stopped_at', nullable: true }) stoppedAt: Date | null;
  @Column('text') origin: SubscriptionOrigin;
  /** Quota that the balance paid. */
  @Column('bigint', { transformer: bigintColumn }) paid: number;
  @Column('bigint', { transformer: bigintColumn }) refunded: number;
  @Column('jsonb') receipt: PlanReceipt;
  @Column('boolean') renews: boolean;
  @Column('text', { name: 'renews_by' }) renewsBy: RenewalPayer;
  /** The error code of the last renewal. Empty when it succeeded, or when there was none. */
  @Column('text', { name: 'renewal_problem' }) renewalProblem: string;
  @Column('integer', { name: 'previous_id', nullable: true }) previousId: number | null;
  /** The order that paid for it, or for the one that it replaced. */
  @Column('integer', { name: 'order_id', nullable: true }) orderId: number | null;
  /** The reversal of the order that ended it. */
  @Column('integer', { name: 'reversal_id', nullable: true }) reversalId: number | null;
  @Column('text') note: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}
