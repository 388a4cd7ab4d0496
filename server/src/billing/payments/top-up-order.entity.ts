import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';

/** An order at a payment gateway. Times are Unix seconds, 0 unset. */
@Entity('top_up_orders')
export class TopUpOrder {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('integer', { name: 'user_id' }) userId: number;
  @Column('text', { name: 'trade_no' }) tradeNo: string;
  @Column('text') provider: string;
  /** Our account at the gateway. */
  @Column('text', { name: 'merchant_id' }) merchantId: string;
  /** `alipay` or `wxpay`; of orders that were imported, any other name. */
  @Column('text', { name: 'payment_method' }) paymentMethod: string;
  /** Quota to be credited. */
  @Column('bigint', { transformer: bigintColumn }) quota: number;
  /** Amount due, in hundredths of the currency. */
  @Column('bigint', { transformer: bigintColumn }) money: number;
  @Column('text') currency: string;
  @Column('text', { default: 'pending' }) status: 'pending' | 'success';
  @Column('bigint', { name: 'created_time', transformer: bigintColumn }) createdTime: number;
  @Column('bigint', { name: 'paid_time', transformer: bigintColumn, default: 0 }) paidTime: number;
  /** The gateway's number of the payment. */
  @Column('text', { name: 'provider_trade_no', nullable: true }) providerTradeNo: string | null;
}
