import type { Example, FindingCode } from '../findings.js';

/** One row of a source as its driver returns it. `Fields` reads the values. */
export type SourceRow = Readonly<Record<string, unknown>>;

export interface Page {
  /** Rows with a greater `id` are read. */
  readonly after: number;
  readonly limit: number;
  /** Only rows whose `created_at` is at or after this moment, Unix seconds. */
  readonly since?: number;
  /** Columns to read. Columns that the source does not have are left out. The default is all columns. */
  readonly columns?: readonly string[];
}

export interface Newest {
  /** The column whose largest values are read. */
  readonly by: string;
  readonly limit: number;
  /** See `Page`. */
  readonly columns: readonly string[];
}

/** A database of another program, opened read-only. */
export interface SourceDatabase {
  readonly engine: 'sqlite' | 'mysql' | 'postgres' | 'config';
  /** Findings that arose while the source was read. */
  readonly notes?: ReadonlyArray<Example & { readonly code: FindingCode }>;
  /** Table → its columns. */
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  /** Returns rows in the order of `id`. */
  page(table: string, page: Page): Promise<SourceRow[]>;
  /** Returns the newest rows, newest first. */
  newest(table: string, newest: Newest): Promise<SourceRow[]>;
  /** Returns every row of a small table. */
  all(table: string): Promise<SourceRow[]>;
  /**
   * Returns the only row of an aggregate.
   * @param select SQL that all three kinds of databases understand; never contains input
   * @param where SQL with the same conditions
   */
  one(table: string, select: string, where?: string): Promise<SourceRow>;
  close(): Promise<void>;
}

/** The source cannot be opened, read or imported. The message is one sentence for the operator. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
}

/** Executes statements on one kind of database. */
export interface Driver {
  readonly engine: SourceDatabase['engine'];
  /** The host to which the connection is not encrypted; null when it is. */
  readonly plainHost: string | null;
  /** The quote character for names, because `group` and `key` are reserved words. */
  readonly quote: '"' | '`';
  /** A statement that returns `table_name` and `column_name` of every column. */
  readonly columnsStatement: string;
  query(text: string): Promise<SourceRow[]>;
  close(): Promise<void>;
}

/** @param host a name, an address, or the folder of a socket */
const isThisMachine = (host: string): boolean => /^(localhost|127\..*|\[?::1\]?|\/.*)$/.test(host);

/** Creates a reader over any driver. Its statements contain only numbers and names of existing columns. */
export async function readerOf(driver: Driver): Promise<SourceDatabase> {
  const quoted = (name: string): string => driver.quote + name + driver.quote;
  const columns = new Map<string, Set<string>>();
  for (const row of await driver.query(driver.columnsStatement)) {
    const table = String(row['table_name']);
    columns.set(table, (columns.get(table) ?? new Set()).add(String(row['column_name'])));
  }
  /** Returns a list of those columns that the table has. */
  const listed = (table: string, wanted: readonly string[]): string =>
    wanted
      .filter((name) => columns.get(table)?.has(name))
      .map(quoted)
      .join(', ');
  const { plainHost } = driver;
  const isPlain = plainHost !== null && !isThisMachine(plainHost);
  return {
    engine: driver.engine,
    notes: isPlain ? [{ code: 'source-plain', table: '', id: '', detail: plainHost }] : [],
    columns,
    page(table, { after, limit, since, columns: wanted }) {
      const list = wanted ? listed(table, wanted) : '*';
      const recent = since === undefined ? '' : ` AND ${quoted('created_at')} >= ${since}`;
      return driver.query(
        `SELECT ${list} FROM ${quoted(table)} WHERE ${quoted('id')} > ${after}${recent} ORDER BY ${quoted('id')} LIMIT ${limit}`,
      );
    },
    newest: (table, { by, limit, columns: wanted }) =>
      driver.query(`SELECT ${listed(table, wanted)} FROM ${quoted(table)} ORDER BY ${quoted(by)} DESC LIMIT ${limit}`),
    all: (table) => driver.query(`SELECT * FROM ${quoted(table)}`),
    async one(table, select, where) {
      const rows = await driver.query(`SELECT ${select} FROM ${quoted(table)}${where ? ` WHERE ${where}` : ''}`);
      return rows[0] ?? {};
    },
    close: () => driver.close(),
  };
}
