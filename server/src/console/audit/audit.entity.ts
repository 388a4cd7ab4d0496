import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A changed field. Values are human-readable text; null means no value. */
export interface FieldChange {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** One change by an admin. Rows are never edited. */
@Entity('audit_entries')
export class AuditRecord {
  @PrimaryGeneratedColumn({ type: 'bigint' }) id: string;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @Column('integer', { name: 'actor_id' }) actorId: number;
  /** The actor's name at that time. */
  @Column('text', { name: 'actor_name' }) actorName: string;
  @Column('text', { default: '' }) ip: string;
  @Column('text') action: string;
  @Column('text') subject: string;
  @Column('text', { name: 'subject_id' }) subjectId: string;
  @Column('jsonb') changes: FieldChange[];
}
