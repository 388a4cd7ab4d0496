import {
  Column,
  CreateDateColumn,
  DeleteDateColumn,
  Entity,
  PrimaryGeneratedColumn,
  type ValueTransformer,
} from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';
import type { Overflow, PeriodUnit, PlanWindow } from './plan-terms.js';

const numericColumn: ValueTransformer = { to: (value: number) => value, from: (value: string) => Number(value) };

/** A plan that the operator sells (docs/reference/relay/plans.md). */
@Entity('plans')
export class Plan {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('text') name: string;
  @Column('text') description: string;
  /** Quota. */
  @Column('bigint', { transformer: bigintColumn }) price: number;
  @Column('text', { name: 'period_unit' }) periodUnit: PeriodUnit;
  @Column('integer', { name: 'period_count' }) periodCount: number;
  @Column('jsonb') windows: readonly PlanWindow[];
  /** Groups that the plan opens and pays for. Empty: it pays in every group, and opens none. */
  @Column('text', { array: true }) groups: readonly string[];
  /** Names or patterns of the models that the plan pays for. Empty: all. */
  @Column('text', { array: true }) models: readonly string[];
  /** Calls at once. Null: the site's limit. */
  @Column('integer', { name: 'max_concurrent', nullable: true }) maxConcurrent: number | null;
  /** Calls in the period of the site's rate limit. Null: the site's limit. */
  @Column('integer', { name: 'max_requests', nullable: true }) maxRequests: number | null;
  @Column('text') overflow: Overflow;
  /** The part of the price that the balance pays when the plan has no room. */
  @Column('numeric', { name: 'overflow_ratio', transformer: numericColumn }) overflowRatio: number;
  /** The plan with the lowest number pays first. */
  @Column('integer') position: number;
  /** Whether users can buy it, and renew it. */
  @Column('boolean', { name: 'on_sale' }) onSale: boolean;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @DeleteDateColumn({ name: 'deleted_at', type: 'timestamptz', nullable: true }) deletedAt: Date | null;
}

/** The fields of a plan that an operator sets. */
export type PlanInput = Omit<Plan, 'id' | 'createdAt' | 'deletedAt'>;

/** A plan as it is sold. A subscription keeps a copy that never changes. */
export type PlanTerms = Readonly<Omit<PlanInput, 'onSale'>>;

/** The values of a new plan that its operator does not set. */
export const newPlan: PlanInput = {
  name: '',
  description: '',
  price: 0,
  periodUnit: 'month',
  periodCount: 1,
  windows: [],
  groups: [],
  models: [],
  maxConcurrent: null,
  maxRequests: null,
  overflow: 'stop',
  overflowRatio: 1,
  position: 0,
  onSale: true,
};

const { onSale: _, ...newTerms } = newPlan;
export const planTermNames = Object.keys(newTerms) as Array<keyof PlanTerms>;
