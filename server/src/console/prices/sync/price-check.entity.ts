import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { PriceCard } from '../../../shared/price-card.js';
import type { PriceFormat, SkippedModel } from '../../../billing/prices/index.js';

/** One list of prices, as it was read. */
export interface CheckedSource {
  /** A URL without its query, or the name of a file. */
  readonly label: string;
  /** The format. Null when the list could not be read. */
  readonly format: PriceFormat | null;
  readonly cards: Readonly<Record<string, PriceCard>>;
  /** The first skipped models. */
  readonly skipped: readonly SkippedModel[];
  readonly skippedCount: number;
  /** Why the list could not be read; null when it was. */
  readonly errorCode: string | null;
  readonly error: string | null;
}

/** Lists of prices that were read together. Only the last few are kept. */
@Entity('price_checks')
export class PriceCheck {
  @PrimaryGeneratedColumn('identity') id: number;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  /** The user who started the check. Null for a scheduled check. */
  @Column('integer', { name: 'created_by', nullable: true }) createdBy: number | null;
  @Column('boolean', { name: 'is_scheduled', default: false }) isScheduled: boolean;
  @Column('jsonb') sources: CheckedSource[];
  /** Identifies the findings of a scheduled check, so that the same result is reported once. */
  @Column('text', { default: '' }) digest: string;
}
