import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { PriceCard } from '../../../shared/price-card.js';

/** Option `PriceCards` of some models. Null when the operator has no card for the model. */
export type ChangedCards = Readonly<Record<string, PriceCard | 'built-in' | null>>;

/** Prices that were taken from lists together, as one version. */
@Entity('price_updates')
export class PriceUpdate {
  @PrimaryGeneratedColumn('identity') id: number;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @Column('integer', { name: 'created_by' }) createdBy: number;
  @Column('double precision') markup: number;
  @Column('jsonb') before: ChangedCards;
  @Column('jsonb') after: ChangedCards;
  @Column('text', { name: 'version_before' }) versionBefore: string;
  @Column('text', { name: 'version_after' }) versionAfter: string;
  @Column('timestamptz', { name: 'undone_at', nullable: true }) undoneAt: Date | null;
}
