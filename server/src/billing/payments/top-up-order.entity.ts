import { Column, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';
import { User } from '../accounts/index.js';

/** An order at a payment provider. */
@Entity('top_up_orders')
export class TopUpOrder {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('integer', { name: 'user_id' }) userId: number;
  /** Null: the account was removed. */
  @ManyToOne(() => User)
  @JoinColumn({ name: 'user_id' })
  user?: User | null;
  @Column('text', { name: 'trade_no' }) tradeNo: string;
  /** Name of the provider. */
  @Column('text') provider: string;
  /** Our account there. */
  @Column('text', { name: 'merchant_id' }) merchantId: string;
  /** Id of a method of the provider; of imported orders, any other name. */
  @Column('text', { name: 'payment_method' }) paymentMethod: string;
  /** Quota to be credited. */
  @Column('bigint', { transformer: bigintColumn }) quota: number;
  /** Amount due, in minor units of the currency. */
  @Column('bigint', { transformer: bigintColumn }) money: number;
  @Column('text') currency: string;
  @Column('text', { default: 'pending' }) status: 'pending' | 'success';
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'paid_at', nullable: true }) paidAt: Date | null;
  /** A text that the buyer typed beside the amount. It does not change the price. */
  @Column('text', { name: 'top_up_code', default: '' }) topUpCode: string;
  /** The provider's number of the order, if it has one before the payment. */
  @Column('text', { name: 'provider_order_id', nullable: true }) providerOrderId: string | null;
  /** The provider's number of the payment. */
  @Column('text', { name: 'provider_trade_no', nullable: true }) providerTradeNo: string | null;
  /** The plan that is bought from the credit. Null: a top-up only. */
  @Column('integer', { name: 'plan_id', nullable: true }) planId: number | null;
  /** The gateway keeps the card of the buyer for renewals. */
  @Column('boolean', { name: 'saves_card', default: false }) savesCard: boolean;
  /** The subscription that it renews by the saved card. */
  @Column('integer', { name: 'renews_id', nullable: true }) renewsId: number | null;
  /** Charges of the saved card that were declined. */
  @Column('integer', { default: 0 }) declines: number;
  /** When the saved card is charged, or charged again. Null: it is not. */
  @Column('timestamptz', { name: 'next_charge_at', nullable: true }) nextChargeAt: Date | null;
  /** Minor units that were refunded or are disputed. */
  @Column('bigint', { default: 0, transformer: bigintColumn }) refunded: number;
}
