import type { Findings } from './findings.js';
import { BadRecord, Fields } from './source/fields.js';
import type { SourceDatabase } from './source/source.js';

const pageSize = 2_000;

/**
 * Yields the rows of a table in the order of their ids, as `Fields`; nothing if the source does not have the table.
 * @param first the first id
 */
export async function* rowsOf(
  source: SourceDatabase,
  table: string,
  columns?: readonly string[],
  first = 0,
): AsyncGenerator<Fields[]> {
  if (!source.columns.has(table)) return;
  if (!source.columns.get(table)?.has('id')) {
    yield (await source.all(table)).map((row) => new Fields(row));
    return;
  }
  for (let after = first - 1; ;) {
    const page = await source.page(table, { after, limit: pageSize, ...(columns ? { columns } : {}) });
    const last = page.at(-1);
    if (!last) return;
    yield page.map((row) => new Fields(row));
    after = Number(last['id']);
  }
}

export interface Reading {
  readonly columns?: readonly string[];
  /** Receives rows that cannot be read. Absent for tables whose mapper reports them. */
  readonly findings?: Findings;
}

/** Reads every row of a table. A row that cannot be read is left out. */
export async function readRows(
  source: SourceDatabase,
  table: string,
  read: (row: Fields) => void,
  { columns, findings }: Reading = {},
): Promise<void> {
  for await (const page of rowsOf(source, table, columns)) {
    for (const row of page) {
      try {
        read(row);
      } catch (error) {
        if (!(error instanceof BadRecord)) throw error;
        findings?.add('record-refused', table, row.text('id'), error.message);
      }
    }
  }
}
