import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';
import type { StatementContent, StatementDocument } from './statement-content.js';

/** A month of which statements were closed or are being closed. */
@Entity('statement_months')
export class StatementMonth {
  /** The month, such as `2026-11`. */
  @Column('text', { primary: true }) month: string;
  @Column('timestamptz', { name: 'starts_at' }) startsAt: Date;
  /** The first instant of the next month. */
  @Column('timestamptz', { name: 'ends_at' }) endsAt: Date;
  /** The zone of both borders. */
  @Column('text', { name: 'time_zone' }) timeZone: string;
  @Column('integer', { name: 'last_account', default: 0 }) lastAccount: number;
  @Column('timestamptz', { name: 'closed_at', nullable: true }) closedAt: Date | null;
}

/** A closed statement. Its row never changes. Amounts are quota. */
@Entity('statements')
export class Statement {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('integer', { name: 'account_id' }) accountId: number;
  @Column('text') month: string;
  @Column('smallint') year: number;
  @Column('integer') number: number;
  @Column('timestamptz', { name: 'closed_at' }) closedAt: Date;
  @Column('bigint', { transformer: bigintColumn }) opening: number;
  @Column('bigint', { transformer: bigintColumn }) credits: number;
  @Column('bigint', { transformer: bigintColumn }) usage: number;
  /** `opening` + `credits` - `usage`. */
  @Column('bigint', { transformer: bigintColumn }) closing: number;
  @Column('jsonb') content: StatementContent;
}

/** The name, address and tax number of an account on its statements. */
@Entity('billing_profiles')
export class BillingProfile {
  @Column('integer', { name: 'account_id', primary: true }) accountId: number;
  @Column('text', { default: '' }) name: string;
  @Column('text', { default: '' }) address: string;
  @Column('text', { name: 'tax_id', default: '' }) taxNumber: string;
  /** Whether a notice is sent when a statement is closed. */
  @Column('boolean', { default: false }) notifies: boolean;
}

/** The number of a statement as it is written: `2026-000042`. */
export const statementNumber = ({ year, number }: Pick<Statement, 'year' | 'number'>): string =>
  `${year}-${String(number).padStart(6, '0')}`;

export const toDocument = ({ year: _year, ...statement }: Statement): StatementDocument => ({
  ...statement,
  number: statementNumber({ year: _year, number: statement.number }),
  reserved: 0,
});
