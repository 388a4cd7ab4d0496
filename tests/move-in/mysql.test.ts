import { findProgram } from '../support/services/processes.js';
import { startMariaDb, type MariaDb } from '../support/move-in/mariadb.js';
import { describeMove } from './suite.js';

let mariadb: MariaDb | null = null;
const isInstalled = findProgram(['mariadbd', 'mysqld'], ['/usr/sbin', '/usr/local/sbin']) !== null;
// In CI a missing server fails in `startMariaDb`.
const suite = isInstalled || process.env.CI ? describe : describe.skip;

suite('MariaDB', () => {
  beforeAll(async () => {
    mariadb = await startMariaDb();
  }, 60_000);
  afterAll(() => mariadb?.stop());

  for (const family of ['one-api', 'veloera', 'new-api'] as const) describeMove(family, 'mysql', () => mariadb);
});
