import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

export const alertKinds = [
  'CHANNEL_DISABLED',
  'CHANNEL_BALANCE_LOW',
  'ERROR_RATE',
  'SALE_BELOW_COST',
  'RECONCILE_DRIFT',
  'WEBHOOK_OFF',
] as const;
export type AlertKind = (typeof alertKinds)[number];

/** Figures of an alert, by its kind. */
export interface AlertFacts {
  readonly channelName?: string;
  /** Why the channel was disabled. */
  readonly reason?: string;
  /** USD. */
  readonly balance?: number;
  /** The threshold of the setting: USD or percent. */
  readonly threshold?: number;
  readonly calls?: number;
  readonly failedCalls?: number;
  /** Models that are sold below cost, at most ten of them, with the number of channels if several. */
  readonly models?: readonly string[];
  /** Names of endpoints of webhooks that were switched off, at most ten of them. */
  readonly endpoints?: readonly string[];
  /** The number of all such models or endpoints, or of ledger accounts that are inconsistent. */
  readonly count?: number;
}

/** A condition that an operator should know about, from the first check that found it to the first that did not. */
@Entity('alerts')
export class Alert {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('text') kind: AlertKind;
  /** Null: the alert is about the site. */
  @Column('integer', { name: 'channel_id', nullable: true }) channelId: number | null;
  @Column('jsonb') facts: AlertFacts;
  @CreateDateColumn({ name: 'opened_at', type: 'timestamptz' }) openedAt: Date;
  /** Null while the condition holds. */
  @Column('timestamptz', { name: 'ended_at', nullable: true }) endedAt: Date | null;
}
