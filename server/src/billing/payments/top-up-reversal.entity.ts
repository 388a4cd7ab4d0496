import { Column, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';
import { User } from '../accounts/index.js';
import type { ReportedReversal } from './provider.js';
import { TopUpOrder } from './top-up-order.entity.js';

/** A refund or a dispute of an order, and the quota that was taken for it. */
@Entity('top_up_reversals')
export class TopUpReversal {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('integer', { name: 'order_id' }) orderId: number;
  @ManyToOne(() => TopUpOrder)
  @JoinColumn({ name: 'order_id' })
  order: TopUpOrder;
  @Column('text') kind: ReportedReversal['kind'];
  @Column('text') state: ReportedReversal['state'];
  /** The provider's number of it. Null: not known yet. */
  @Column('text', { name: 'provider_id', nullable: true }) providerId: string | null;
  /** In minor units of the order's currency. */
  @Column('bigint', { transformer: bigintColumn }) money: number;
  /** Quota of the buyer for this money, and the part that their balance had. */
  @Column('bigint', { transformer: bigintColumn }) quota: number;
  @Column('bigint', { transformer: bigintColumn }) taken: number;
  /** The same of the rebate of their inviter. */
  @Column('bigint', { transformer: bigintColumn }) rebate: number;
  @Column('bigint', { name: 'rebate_taken', transformer: bigintColumn }) rebateTaken: number;
  @Column('integer', { name: 'inviter_id', nullable: true }) inviterId: number | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  /** The admin who ordered it. Null: the provider reported it. */
  @Column('integer', { name: 'actor_id', nullable: true }) actorId: number | null;
  @ManyToOne(() => User)
  @JoinColumn({ name: 'actor_id' })
  actor: User | null;
  @Column('text') note: string;
}

const keyPrefix = 'reversal-';
/** The key of a refund at its provider. */
export const keyOf = (reversalId: number): string => `${keyPrefix}${reversalId}`;
/** The id in such a key. */
export const reversalOf = (key: string): string | null =>
  key.startsWith(keyPrefix) ? key.slice(keyPrefix.length) : null;
