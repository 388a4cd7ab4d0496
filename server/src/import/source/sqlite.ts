import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type sqlite from 'node-sqlite3-wasm';
import { optionalPackage } from './optional-package.js';
import { copySqlite } from './sqlite-copy.js';
import { readerOf, SourceError, type SourceDatabase, type SourceRow } from './source.js';

/**
 * Opens a copy of an SQLite file, so that the file itself is never written, not even to recover its journal. Pages that
 * are only in its write-ahead log are read too.
 * @throws SourceError
 */
export async function openSqlite(path: string): Promise<SourceDatabase> {
  if (!(await isFile(path))) throw new SourceError(`There is no file ${path}.`);
  const { default: sqlite } = await optionalPackage('node-sqlite3-wasm', () => import('node-sqlite3-wasm'));
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-import-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, 'source.db');
    if (!(await copySqlite(path, copy))) {
      throw new SourceError(
        `${path} is written too often to be copied. Copy it with sqlite3 ${path} ".backup copy.db", and pass the copy.`,
      );
    }
    const database = openCopy(sqlite, copy, path);
    return await readerOf({
      engine: 'sqlite',
      plainHost: null,
      quote: '"',
      columnsStatement: `SELECT m.name AS table_name, p.name AS column_name FROM sqlite_master m, pragma_table_info(m.name) p
                          WHERE m.type = 'table'`,
      query: async (text) => database.all(text),
      async close() {
        database.close();
        await remove();
      },
    });
  } catch (error) {
    await remove();
    throw error;
  }
}

function openCopy({ Database }: typeof sqlite, copy: string, path: string): sqlite.Database {
  try {
    const database = new Database(copy);
    // Without shared memory a file in WAL mode opens in exclusive mode only.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    database.exec('PRAGMA journal_mode = DELETE');
    const [check] = database.all('PRAGMA quick_check(1)') as SourceRow[];
    if (check?.['quick_check'] !== 'ok') throw new Error(String(check?.['quick_check']));
    return database;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SourceError(
      `${path} is not a readable SQLite database (${reason}). Stop the old program and try again, or copy the file with sqlite3 ${path} ".backup copy.db" and pass the copy.`,
    );
  }
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
