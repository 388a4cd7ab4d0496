import type pg from 'pg';
import type { DataSource } from 'typeorm';
import { poolOf } from './data-source.js';

const lineFeed = 10;
/** Escapes of the text format of COPY. Any other character after a backslash is itself. */
const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Reads the rows of one COPY. Its bytes are overwritten once the call has returned. */
type OnRow = (row: Buffer) => void;

/**
 * Reads many rows by `COPY … TO STDOUT`, which costs Postgres and the driver about a third of a query. Each row is
 * delivered as it arrives, so the result is never in memory as a whole. The socket waits while rows are processed. COPY
 * takes no parameters: `select` must not contain text of users.
 * @param select a query whose columns are never NULL
 * @param onRow called with each row in the text format of COPY, without its line feed. After it has failed it is not
 * called again, and its error is thrown at the end.
 * @throws the error of Postgres, after the rows before it were delivered
 */
export async function copyRows(database: DataSource, select: string, onRow: OnRow): Promise<void> {
  const client = await poolOf(database).connect();
  let failure: unknown = null;
  try {
    const copy = new CopyOut(`COPY (${select}) TO STDOUT`, onRow);
    client.query(copy);
    await copy.ended;
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    // An error without a code is an error of the connection.
    client.release(failure !== null && (failure as { code?: unknown }).code === undefined);
  }
}

/** The messages of a COPY, as `pg` passes them to the query that is in progress. */
class CopyOut implements pg.Submittable {
  readonly ended: Promise<void>;
  private resolve: () => void = () => undefined;
  private reject: (error: unknown) => void = () => undefined;
  private failure: { readonly error: unknown } | null = null;

  constructor(
    private readonly text: string,
    private readonly onRow: OnRow,
  ) {
    this.ended = new Promise<void>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  submit(connection: pg.Connection): void {
    connection.query(this.text);
  }

  /** Receives one row with its line feed. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    if (this.failure) return;
    try {
      this.onRow(chunk.at(-1) === lineFeed ? chunk.subarray(0, -1) : chunk);
    } catch (error) {
      this.failure = { error };
    }
  }

  handleCommandComplete(): void {
    // The message ReadyForQuery follows, and ends the query.
  }

  handleReadyForQuery(): void {
    if (this.failure) this.reject(this.failure.error);
    else this.resolve();
  }

  handleError(error: unknown): void {
    this.reject(error);
  }
}

/** Returns the columns of a row as texts. */
export function columnsOf(row: Buffer): readonly string[] {
  const text = row.toString();
  const columns = text.split('\t');
  return text.includes('\\') ? columns.map(unescaped) : columns;
}

const unescaped = (column: string): string =>
  column.replace(/\\([^])/g, (_found, character: string) => escapes[character] ?? character);
