import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../server/src/import/source/sqlite.js';
import { eventually } from '../support/task-site.js';
import { copySqlite } from '../../server/src/import/source/sqlite-copy.js';

const library = createRequire(__filename).resolve('node-sqlite3-wasm');

/**
 * A program that writes a row to each of two tables in one transaction, some 60 times a second, and deletes rows in between.
 */
const writer = `
const { Database } = require(${JSON.stringify(library)});
const database = new Database(process.argv[1]);
// This build has no shared memory, without which a write-ahead log has one user.
if (process.argv[2] === 'WAL') database.exec('PRAGMA locking_mode = EXCLUSIVE');
database.exec('PRAGMA journal_mode = ' + process.argv[2]);
database.exec('CREATE TABLE one (id integer PRIMARY KEY, text text); CREATE TABLE two (id integer PRIMARY KEY, text text)');
let id = 0;
function write() {
  id += 1;
  const text = String(id).repeat(800);
  database.exec("BEGIN; INSERT INTO one VALUES (" + id + ", '" + text + "'); INSERT INTO two VALUES (" + id + ", '" + text + "'); DELETE FROM one WHERE id < " + (id - 400) + "; DELETE FROM two WHERE id < " + (id - 400) + "; COMMIT");
  if (id === 300) process.stdout.write('ready');
  setTimeout(write, id < 300 ? 0 : 16);
}
write();
`;

describe.each(['DELETE', 'TRUNCATE', 'PERSIST', 'WAL'])(
  'a file with the journal mode %s that is written 60 times a second',
  (mode) => {
    let folder: string;
    let path: string;
    let program: ChildProcess;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'tollgate-busy-'));
      path = join(folder, 'one-api.db');
      program = spawn(process.execPath, ['-e', writer, path, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
      if (program.stdout) await once(program.stdout, 'data');
    }, 60_000);
    afterAll(async () => {
      program.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    });

    it('is read as it was at one moment, each time', async () => {
      for (let times = 0; times < 20; times++) {
        const source = await openSqlite(path);
        const [one, two] = [await source.one('one', 'MAX(id) AS last'), await source.one('two', 'MAX(id) AS last')];
        await source.close();
        expect(Number(one['last'])).toBeGreaterThanOrEqual(300);
        expect(one['last']).toBe(two['last']);
      }
    }, 120_000);
  },
);

const sqlite = (path: string, statement: string): string =>
  execFileSync('sqlite3', ['-cmd', '.timeout 60000', path, statement], { encoding: 'utf8' }).trim();
// In CI a missing program is a failure, and no test is skipped.
const suite = spawnSync('sqlite3', ['-version']).status === 0 || process.env.CI ? describe : describe.skip;

suite('a file that is written all the time', () => {
  let folder: string;
  let path: string;
  let program: ChildProcess;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollgate-busy-'));
    path = join(folder, 'one-api.db');
    sqlite(
      path,
      'CREATE TABLE one AS SELECT 0 AS n, hex(randomblob(1000000)) AS text; CREATE TABLE two AS SELECT 0 AS n',
    );
    // SQLite itself, with the locks that the copy has to wait for.
    program = spawn('sqlite3', [path], { stdio: ['pipe', 'ignore', 'inherit'] });
    const input = program.stdin;
    if (!input) throw new Error('no input');
    input.on('error', () => undefined);
    input.write('.timeout 60000\n');
    const some = 'BEGIN; UPDATE one SET n = n + 1; UPDATE two SET n = n + 1; COMMIT;\n'.repeat(20);
    const pump = (): void => {
      while (input.writable && input.write(some));
      input.once('drain', pump);
    };
    pump();
    await eventually(
      async () => sqlite(path, 'SELECT n > 0 FROM two'),
      (found) => found === '1',
    );
  });
  afterAll(async () => {
    program.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  it('is copied in a transaction by the program sqlite3', async () => {
    const copy = join(folder, 'copy.db');
    for (let times = 0; times < 5; times++) {
      expect(await copySqlite(path, copy, 0)).toBe(true);
      expect(sqlite(copy, 'SELECT one.n > 0 AND one.n = two.n FROM one, two')).toBe('1');
    }
  }, 60_000);
});
