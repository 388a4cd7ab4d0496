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
  @Column('text', { name: 'previous_secret_sealed', nullable: true, select: false }) previousSecretSealed:
    string | null;
  /** Until then, messages are signed with the previous secret, too. Null: with one secret. */
  @Column('timestamptz', { name: 'previous_secret_until', nullable: true }) previousSecretUntil: Date | null;
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

/** Maximum number of deliveries of one endpoint that wait. The function `site_event` of the database has the same number. */
export const maxPending = 10_000;

/** Why a delivery failed, for clients and people. */
export const deliveryFailures = {
  status: 'The endpoint responded with a status other than 200 to 299.',
  timeout: 'The endpoint did not respond in time.',
  unreachable: 'The endpoint could not be reached.',
  refused: 'The address of the endpoint may not be called.',
  too_large: 'The response of the endpoint was too large.',
  switched_off: 'The endpoint was switched off before the event was sent.',
  backlog: `More than ${maxPending} events waited for the endpoint.`,
  internal: 'The event could not be sent. The log of the server has the reason.',
} as const;
export type DeliveryFailure = keyof typeof deliveryFailures;

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
  /** The time of the next attempt, if the delivery is pending. */
  @Column('timestamptz', { name: 'due_at' }) dueAt: Date;
  /** Null: not tried yet. */
  @Column('timestamptz', { name: 'tried_at', nullable: true }) triedAt: Date | null;
  @Column('integer', { name: 'duration_ms', nullable: true }) durationMs: number | null;
  /** Null: no response came. */
  @Column('integer', { nullable: true }) status: number | null;
  /** The beginning of the response. */
  @Column('text') response: string;
  /** Why the last attempt failed, or there was none. Null: it did not fail. */
  @Column('text', { nullable: true }) failure: DeliveryFailure | null;
}
