import 'reflect-metadata';
import type { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.js';
import { Secrets } from '../../shared/secrets.js';
import { createDataSource } from './data-source.js';
import { checkEncryptionKey } from './encryption-key.js';

let database: TestDatabase;
let dataSource: DataSource;
beforeEach(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 4, []).initialize();
});
afterEach(async () => {
  await dataSource.destroy();
  await database.drop();
});

const own = 'the-key-of-this-site';
const other = 'the-key-of-another-site';

it('takes the key of the first start and refuses every other one after it', async () => {
  await checkEncryptionKey(dataSource, own);
  await checkEncryptionKey(dataSource, own);
  await expect(checkEncryptionKey(dataSource, other)).rejects.toMatchObject({ code: 'ENCRYPTION_KEY_MISMATCH' });
});

it('lets one key win when nodes with different keys start at once', async () => {
  const results = await Promise.allSettled([
    checkEncryptionKey(dataSource, own),
    checkEncryptionKey(dataSource, other),
  ]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

it('tries an encrypted value where no start has remembered a key yet', async () => {
  await dataSource.query(`INSERT INTO channels (type, key_sealed) VALUES (1, $1)`, [new Secrets(own).seal('sk-1')]);
  await expect(checkEncryptionKey(dataSource, other)).rejects.toMatchObject({ code: 'ENCRYPTION_KEY_MISMATCH' });
  expect(await dataSource.query('SELECT 1 FROM encryption_key_check')).toEqual([]);
  await checkEncryptionKey(dataSource, own);
});
