import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';
import type { BudgetKind, BudgetLevel, BudgetSpan } from '../../shared/budget.js';

/** A limit of what may be used within a window (docs/reference/relay/budgets.md). */
@Entity('budgets')
export class Budget {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('text') level: BudgetLevel;
  /** The key, membership, project, user or channel; 0 for a group and the site. */
  @Column('integer', { name: 'subject_id' }) subjectId: number;
  @Column('text', { name: 'group_name' }) groupName: string;
  @Column('text') kind: BudgetKind;
  /** Quota, model tokens or calls. */
  @Column('bigint', { transformer: bigintColumn }) amount: number;
  @Column('text') span: BudgetSpan;
  @Column('boolean', { name: 'is_rolling' }) isRolling: boolean;
  @Column('text', { name: 'time_zone' }) timeZone: string;
  /** Start of a fixed range. Null: it has none. */
  @Column('timestamptz', { name: 'starts_at', nullable: true }) startsAt: Date | null;
  /** End of a fixed range, excluded. Null for the other spans. */
  @Column('timestamptz', { name: 'ends_at', nullable: true }) endsAt: Date | null;
  @Column('text', { array: true }) models: string[];
  @Column('boolean') enabled: boolean;
  @Column('integer', { name: 'created_by' }) createdBy: number;
  /** False when the owner of the key set the budget. The owner may then change it. */
  @Column('boolean', { name: 'by_admin' }) byAdmin: boolean;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
}
