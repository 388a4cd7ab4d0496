/** An error of Postgres or its driver, possibly wrapped by TypeORM. Identified by its code. */
interface PostgresError {
  readonly code?: string;
  readonly constraint?: string;
}

const asPostgresError = (error: unknown): PostgresError => {
  const inner = (error as { driverError?: unknown } | null)?.driverError ?? error;
  return typeof inner === 'object' && inner !== null ? inner : {};
};

/**
 * Whether a unique index refused the row.
 * @param constraint only this index
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const { code, constraint: broken } = asPostgresError(error);
  return code === '23505' && (constraint === undefined || broken === constraint);
}

/** Whether a value does not fit its column or encoding. Such values come from input, so this is invalid input. */
export function isUnstorableValue(error: unknown): boolean {
  return ['22003', '22021', '22P05'].includes(asPostgresError(error).code ?? '');
}

/** Whether a text is not a number, time or other value of the type that a statement compares it with. */
export const isUnreadableValue = (error: unknown): boolean =>
  ['22P02', '22007', '22008'].includes(asPostgresError(error).code ?? '');

const unavailableCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
  // PgBouncer cannot connect to Postgres, or has no connection left.
  '08P01',
  // The server is shutting down, has crashed, is starting, or has too many connections.
  ...['57P01', '57P02', '57P03', '53300', '08000', '08001', '08003', '08004', '08006'],
]);

/** Whether the database cannot be reached now. The same call may succeed in a moment. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const inner = asPostgresError(error);
  if (inner.code && unavailableCodes.has(inner.code)) return true;
  const message = error instanceof Error ? error.message : '';
  return /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Driver not Connected/i.test(
    message,
  );
}

/**
 * Whether a replica cancelled the read, because it must apply a change of the primary that the read would still need.
 */
export const isReplicaConflict = (error: unknown): boolean => asPostgresError(error).code === '40001';
