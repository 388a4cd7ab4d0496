import type { Actor } from './actor.js';

/** One row of the log about an action of a user or of the system. Consumption is logged by the ledger. */
export interface AuditRow {
  /** The type, a `LogType` of `console/logs/log.entity.ts`. */
  readonly type: number;
  /** The user in whose log the row appears. */
  readonly userId: number;
  readonly username: string;
  /** Human-readable text. Never contains the value of a secret. */
  readonly content: string;
  /** The acting admin, when it is not the user, and other machine-readable facts. */
  readonly other?: Readonly<Record<string, unknown>>;
  /** Quota credited; 0 when absent. Old clients add these up to show an income. */
  readonly quota?: number;
}

interface Transaction {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

/** Writes log rows inside the caller's transaction. Implemented by `console/logs/log.service.ts`. */
export interface UsageLog {
  record(transaction: Transaction, row: AuditRow): Promise<void>;
}

export const auditSubjects = [
  'option',
  'user',
  'channel',
  'redemption',
  'import',
  'budget',
  'plan',
  'role',
  'token',
  'log',
  'dashboard',
  'organisation',
  'webhook',
] as const;
export type AuditSubject = (typeof auditSubjects)[number];

/** A change of an object by an admin, or of keys by their owner, with its state before and after. */
export interface AuditChange {
  /** `create`, `update`, `delete`, or a verb specific to the object, such as `promote`. */
  readonly action: string;
  readonly subject: AuditSubject;
  readonly id: number | string;
  /**
   * The state before. Null when the object did not exist. In `after`, null when it no longer exists. Only fields that
   * differ are stored.
   */
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  /**
   * Fields whose values are secret, in addition to those recognised by name. Only the fact of the change is stored, not
   * the value.
   */
  readonly secrets?: readonly string[];
}

/** Records what admins change, in the transaction that changes it. Implemented by `console/audit/audit.service.ts`. */
export interface AuditLog {
  write(transaction: Transaction, actor: Actor, ...changes: AuditChange[]): Promise<void>;
}
