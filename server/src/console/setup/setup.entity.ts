import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One row after setup. Its primary key prevents two concurrent setups. */
@Entity('setup')
export class Setup {
  @PrimaryColumn('smallint', { default: 1 }) id: number;
  @Column('text') version: string;
  @Column('timestamptz', { name: 'initialized_at' }) initializedAt: Date;
}
