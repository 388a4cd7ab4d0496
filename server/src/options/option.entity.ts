import { Column, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/** A setting, always text on the wire. Values of secret keys are sealed. */
@Entity('options')
export class Option {
  @PrimaryColumn('text') key: string;
  @Column('text') value: string;
  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' }) updatedAt: Date;
  /** The user who saved it; null for the set-up of the site. */
  @Column('integer', { name: 'updated_by', nullable: true }) updatedBy: number | null;
}
