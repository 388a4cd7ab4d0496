import type { Actor } from './actor.js';

/** One row of the log about something a person or the system did; consumption is logged by the ledger. */
export interface AuditRow {
  /** `LogType` of `modules/logs/log.entity.ts`. */
  readonly type: number;
  /** Whose log shows it. */
  readonly userId: number;
  readonly username: string;
  /** What happened, for people. Never a secret's value. */
  readonly content: string;
  /** Who did it, when that is somebody else, and other facts for programs. */
  readonly other?: Readonly<Record<string, unknown>>;
  /** Points credited; 0 when absent. Old clients add this up to show an income. */
  readonly quota?: number;
}

interface Transaction {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

/** Writes log rows inside the caller's transaction; `modules/logs/log.service.ts` meets it. */
export interface UsageLog {
  record(transaction: Transaction, row: AuditRow): Promise<void>;
}

export const auditSubjects = ['option', 'user', 'channel', 'redemption'] as const;
export type AuditSubject = (typeof auditSubjects)[number];

/** A thing an admin made, changed or removed, as it was and as it is. */
export interface AuditChange {
  /** `create`, `update`, `delete`, or a verb of the noun's own: `promote`. */
  readonly action: string;
  readonly subject: AuditSubject;
  readonly id: number | string;
  /** Null when there was nothing before; nothing after. Only fields that differ are kept. */
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  /** Fields whose values are secrets, besides those whose names say so: that they changed is kept, not what they are. */
  readonly secrets?: readonly string[];
}

/** Keeps what admins change, inside the transaction that changes it; `modules/audit/audit.service.ts` meets it. */
export interface AuditLog {
  write(transaction: Transaction, actor: Actor, ...changes: AuditChange[]): Promise<void>;
}
