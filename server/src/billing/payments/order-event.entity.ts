import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Changes of an order, and reports about it that change nothing. */
export const orderEventKinds = [
  ...(['credited', 'repeated', 'paid_again', 'refused', 'marked_paid', 'failed'] as const),
  ...(['refunded', 'refund_failed', 'disputed', 'dispute_won', 'dispute_lost'] as const),
] as const;
export type OrderEventKind = (typeof orderEventKinds)[number];

/** An entry in the history of an order. */
@Entity('top_up_events')
export class OrderEvent {
  @PrimaryGeneratedColumn({ type: 'bigint' }) id: string;
  @Column('integer', { name: 'order_id' }) orderId: number;
  @Column('timestamptz') at: Date;
  @Column('text') kind: OrderEventKind;
  /** The reason of a refusal, the amount of a refund or dispute, or the note of the admin. */
  @Column('text') detail: string;
  /** The gateway's number of the payment. */
  @Column('text', { nullable: true }) payment: string | null;
  /** The admin who did it; null for the gateway. */
  @Column('integer', { name: 'actor_id', nullable: true }) actorId: number | null;
  @Column('text', { name: 'actor_name', nullable: true }) actorName: string | null;
}
