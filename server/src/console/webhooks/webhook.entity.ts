import {
  Column,
  CreateDateColumn,
  Entity,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';

/** An event of the site (`shared/site-events.ts`). Written by the function `site_event` of the database. */
@Entity('site_events')
export class SiteEvent {
  @PrimaryColumn('bigint', { transformer: bigintColumn }) id: number;
  /** The id that receivers see. */
  @Column('text') name: string;
  /** One of `siteEventKinds`; a newer version may have stored another. */
  @Column('text') kind: string;
  @Column('jsonb') data: Record<string, unknown>;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
}

/** An address that receives events. */
@Entity('webhook_endpoints')
export class WebhookEndpoint {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('text') name: string;
  @Column('text') url: string;
  @Column('text', { name: 'secret_sealed', select: false }) secretSealed: string;
  /** Empty: all kinds. */
  @Column('text', { array: true, default: [] }) kinds: string[];
  @Column('boolean', { default: true }) enabled: boolean;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  /** Since when every attempt failed. Null: the last one succeeded. */
  @Column('timestamptz', { name: 'failing_since', nullable: true }) failingSince: Date | null;
  /** When the server switched it off because it failed. Null: it did not. */
  @Column('timestamptz', { name: 'switched_off_at', nullable: true }) switchedOffAt: Date | null;
}

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** An event for an endpoint, with the last attempt to send it. */
@Entity('webhook_deliveries')
export class WebhookDelivery {
  @PrimaryColumn('bigint', { transformer: bigintColumn }) id: number;
  @Column('integer', { name: 'endpoint_id' }) endpointId: number;
  @ManyToOne(() => SiteEvent)
  @JoinColumn({ name: 'event_id' })
  event: SiteEvent;
  @Column('text') state: DeliveryState;
  @Column('integer') tries: number;
  /** Of a pending one: the next attempt. */
  @Column('timestamptz', { name: 'due_at' }) dueAt: Date;
  /** Null: not tried yet. */
  @Column('timestamptz', { name: 'tried_at', nullable: true }) triedAt: Date | null;
  @Column('integer', { name: 'duration_ms', nullable: true }) durationMs: number | null;
  /** Null: no response came. */
  @Column('integer', { nullable: true }) status: number | null;
  /** The beginning of the response. */
  @Column('text') response: string;
  @Column('text') error: string;
}
