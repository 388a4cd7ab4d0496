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
}

/** Writes log rows inside the caller's transaction; `modules/logs/log.service.ts` meets it. */
export interface AuditLog {
  record(transaction: { query(sql: string, parameters?: unknown[]): Promise<unknown> }, row: AuditRow): Promise<void>;
}
