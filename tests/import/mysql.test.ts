import { findMariaDb, startMariaDb, type MariaDb } from '../support/import/mariadb.js';
import { dryRun } from '../../server/src/import/run.js';
import { makeContent } from '../support/import/content.js';
import { createSource } from '../support/import/source.js';
import { sampled } from '../support/suite.js';
import { describeMove, now, optionsFor } from './suite.js';

let mariadb: MariaDb | null = null;
// In CI a missing server is a failure, and no test is skipped.
const suite = findMariaDb() || process.env.CI ? describe : describe.skip;

suite('MariaDB', () => {
  beforeAll(async () => {
    mariadb = await startMariaDb();
  });
  afterAll(() => mariadb?.stop());

  it('is read over TLS without a known certificate, where the address of the old program says so', async () => {
    const content = makeContent({ family: 'veloera', upstream: 'http://127.0.0.1:9', now, logs: 10 });
    const source = await createSource('veloera', 'mysql', content, mariadb);
    const read = (tls: string) => dryRun(optionsFor(`${source.address}&tls=${tls}`), false);
    expect((await read('skip-verify')).source.engine).toBe('mysql');
    await expect(read('true')).rejects.toThrow(/certificate/);
    await source.drop();
  });

  // `sqlite.test.ts` imports every family.
  for (const family of sampled(['new-api', 'one-hub', 'veloera', 'one-api'], 1))
    describeMove(family, 'mysql', () => mariadb);
});
