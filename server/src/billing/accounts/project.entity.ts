import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A cost centre of an organisation, to which keys belong. */
@Entity('projects')
export class Project {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('integer', { name: 'organisation_id' }) organisationId: number;
  /** Unique in its organisation, without regard to case. */
  @Column('text') name: string;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  /** Null: keys can be made for it. */
  @Column('timestamptz', { name: 'archived_at', nullable: true }) archivedAt: Date | null;
}
