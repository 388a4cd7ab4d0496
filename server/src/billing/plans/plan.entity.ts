import {
  Column,
  CreateDateColumn,
  DeleteDateColumn,
  Entity,
  PrimaryGeneratedColumn,
  type ValueTransformer,
} from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';
import type { Overflow, PeriodUnit, PlanTerms, PlanWindow } from './plan-terms.js';

const numericColumn: ValueTransformer = { to: (value: number) => value, from: (value: string) => Number(value) };

/** A plan that the operator sells (docs/reference/relay/plans.md). */
@Entity('plans')
export class Plan implements PlanTerms {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('text') name: string;
  @Column('text') description: string;
  @Column('bigint', { transformer: bigintColumn }) price: number;
  @Column('text', { name: 'period_unit' }) periodUnit: PeriodUnit;
  @Column('integer', { name: 'period_count' }) periodCount: number;
  @Column('jsonb') windows: PlanWindow[];
  @Column('text', { array: true }) groups: string[];
  @Column('text', { array: true }) models: string[];
  @Column('integer', { name: 'max_concurrent', nullable: true }) maxConcurrent: number | null;
  @Column('integer', { name: 'max_requests', nullable: true }) maxRequests: number | null;
  @Column('text') overflow: Overflow;
  @Column('numeric', { name: 'overflow_ratio', transformer: numericColumn }) overflowRatio: number;
  @Column('integer') position: number;
  /** Whether users can buy it, and renew it. */
  @Column('boolean', { name: 'on_sale' }) onSale: boolean;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @DeleteDateColumn({ name: 'deleted_at', type: 'timestamptz', nullable: true }) deletedAt: Date | null;
}
