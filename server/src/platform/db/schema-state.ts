/** Stable codes, for scripts that start the server. */
export type SchemaErrorCode = 'SCHEMA_TOO_NEW' | 'SCHEMA_TOO_OLD' | 'SCHEMA_INCOMPLETE';

/** This server cannot use the database schema. The message is one line that says how to fix it. */
export class SchemaError extends Error {
  constructor(
    readonly code: SchemaErrorCode,
    message: string,
  ) {
    super(message);
    this.name = 'SchemaError';
  }
}

export interface SchemaState {
  /** Names of this code's migrations, oldest first. */
  readonly known: readonly string[];
  /** Names recorded in the database, in the order they ran. */
  readonly recorded: readonly string[];
  /** Migrations that began outside a transaction and did not finish. */
  readonly unfinished: readonly string[];
  /** Every table of the schema. */
  readonly tables: ReadonlySet<string>;
  /** A table that the first migration creates: it must not exist before. */
  readonly firstTable: string;
}

/**
 * Decides from what the database records whether migrations may run.
 * @returns the migrations still to run, oldest first
 * @throws SchemaError for a schema that is newer than this code, half-migrated, or of an unreleased build
 */
export function pendingMigrations(state: SchemaState): string[] {
  const unknown = state.recorded.filter((name) => !state.known.includes(name));
  const newest = timeOf(state.known.at(-1) ?? '');
  if (unknown.some((name) => timeOf(name) <= newest)) {
    throw new SchemaError(
      'SCHEMA_TOO_OLD',
      `an unreleased build created this database (it has ${unknown.join(', ')}): use an empty database`,
    );
  }
  if (unknown.length > 0) {
    throw new SchemaError(
      'SCHEMA_TOO_NEW',
      `the database schema is newer than this server (it has ${unknown.join(', ')}): start the version that created it, or a later one`,
    );
  }
  if (state.unfinished.length > 0) {
    throw new SchemaError(
      'SCHEMA_INCOMPLETE',
      `the database schema is half-migrated: ${state.unfinished.join(', ')} started and did not finish; restore the backup from before it, then start again`,
    );
  }
  const pending = state.known.filter((name) => !state.recorded.includes(name));
  const gap = state.known.slice(0, state.recorded.length).filter((name) => !state.recorded.includes(name));
  if (gap.length > 0) {
    throw new SchemaError(
      'SCHEMA_INCOMPLETE',
      `the database schema is half-migrated: ${gap.join(', ')} is missing between migrations that ran; restore a whole backup`,
    );
  }
  if (state.recorded.length === 0 && state.tables.has(state.firstTable)) {
    throw new SchemaError(
      'SCHEMA_INCOMPLETE',
      `the database schema is half-migrated: table "${state.firstTable}" exists but no migration is recorded; use an empty database or restore a whole backup`,
    );
  }
  return pending;
}

/** @throws SchemaError naming the first table or column that should exist by the records and does not */
export function assertComplete(
  expected: ReadonlyArray<{ readonly table: string; readonly columns: readonly string[] }>,
  found: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  for (const { table, columns } of expected) {
    const present = found.get(table);
    const missing = present ? columns.find((column) => !present.has(column)) : undefined;
    if (!present || missing) {
      throw new SchemaError(
        'SCHEMA_INCOMPLETE',
        `the database schema is half-migrated: ${missing ? `column "${missing}" of ` : ''}table "${table}" is missing although its migration is recorded; restore a whole backup`,
      );
    }
  }
}

/** Names of migrations end in a time of 13 digits. */
const timeOf = (name: string): number => Number(name.slice(-13));
