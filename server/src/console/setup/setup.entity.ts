import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';

/** One row after setup. Its primary key prevents two concurrent setups. */
@Entity('setup')
export class Setup {
  @PrimaryColumn('smallint', { default: 1 }) id: number;
  @Column('text') version: string;
  @Column('bigint', { name: 'initialized_at', transformer: bigintColumn }) initializedAt: number;
}
