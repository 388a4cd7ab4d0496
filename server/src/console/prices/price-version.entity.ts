import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PriceTables } from '../../billing/prices/index.js';

/** A set of price tables, identified by a hash of its content. */
@Entity('price_versions')
export class PriceVersion {
  @PrimaryColumn('text') version: string;
  /** Time of the first use. */
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  /** Option key to value. */
  @Column('jsonb') tables: PriceTables;
}
