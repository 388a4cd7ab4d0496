import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A set of price tables, named by its content. */
@Entity('price_versions')
export class PriceVersion {
  @PrimaryColumn('text') version: string;
  /** When it was first in force. */
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  /** Option key to value. */
  @Column('jsonb') tables: Readonly<Record<string, unknown>>;
}
