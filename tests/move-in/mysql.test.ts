import { findMariaDb, startMariaDb, type MariaDb } from '../support/move-in/mariadb.js';
import { describeMove } from './suite.js';

let mariadb: MariaDb | null = null;
// In CI a missing server is a failure: nothing is left out there.
const suite = findMariaDb() || process.env.CI ? describe : describe.skip;

suite('MariaDB', () => {
  beforeAll(async () => {
    mariadb = await startMariaDb();
  }, 60_000);
  afterAll(() => mariadb?.stop());

  for (const family of ['one-api', 'veloera', 'new-api'] as const) describeMove(family, 'mysql', () => mariadb);
});
