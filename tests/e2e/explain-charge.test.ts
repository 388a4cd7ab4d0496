import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { entities } from '../../server/src/compose/entities.js';
import { createDataSource } from '../../server/src/platform/db/data-source.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { buildServer, projectRoot } from './boot-support.js';

/** `npm run explain-charge` as an operator runs it. */

jest.setTimeout(90_000);
let database: TestDatabase;
beforeAll(async () => {
  buildServer();
  database = await createTestDatabase();
});
afterAll(() => database.drop());

function explain(...parameters: string[]): { code: number | null; output: string } {
  const script = join(projectRoot, 'dist/server/billing/prices/explain-charge.main.js');
  const { status, stdout } = spawnSync(process.execPath, [script, ...parameters], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      SESSION_SECRET: 'a-session-secret-for-tests',
      ENCRYPTION_KEY: 'an-encryption-key-for-tests',
    },
    encoding: 'utf8',
  });
  return { code: status, output: stdout };
}

it('prints the formula with its numbers and the same result, or says that it is not', async () => {
  const dataSource = await createDataSource(database.url, 1, entities).initialize();
  const other = { model_ratio: 1.25, completion_ratio: 4, cache_tokens: 400, cache_ratio: 0.5, group_ratio: 0.8 };
  for (const [requestId, quota, type] of [
    ['right', 2800, 2],
    ['wrong', 2801, 2],
    ['twice', 2800, 2],
    ['twice', 2800, 2],
    ['twice', 0, 6],
    ['failed', 0, 6],
  ]) {
    await dataSource.query(
      `INSERT INTO logs (created_at, request_id, type, user_id, username, model_name, quota, prompt_tokens,
         completion_tokens, other)
       VALUES ($1, $2, $5, 1, 'someone', 'gpt-4o', $3, 1000, 500, $4)`,
      [Math.floor(Date.now() / 1000), requestId, quota, JSON.stringify({ ...other, model_price: -1 }), type],
    );
  }
  await dataSource.destroy();

  // Example B2 of docs/reference/relay/billing.md#worked-examples
  const right = explain('right');
  expect(right.code).toBe(0);
  expect(right.output).toBe(
    [
      'gpt-4o, called by someone',
      'text: round((600 prompt + 400 cached x 0.5 + 500 completion x 4) x model 1.25 x group 0.8) = 2800',
      'Charged: 2800',
      '',
    ].join('\n'),
  );
  expect(explain('wrong')).toMatchObject({ code: 3, output: expect.stringContaining('2801, which differs') });
  expect(explain('unknown')).toEqual({ code: 4, output: 'No charge of request unknown is in the log.\n' });
  expect(explain()).toMatchObject({ code: 2 });
  expect(explain('right', 'wrong')).toMatchObject({ code: 2 });

  const twice = explain('twice');
  expect(twice.code).toBe(0);
  expect(twice.output.match(/^Charged: 2800$/gm)).toHaveLength(2);
  expect(twice.output).toContain('Row 3 of 3');
  expect(twice.output).toContain('Charged in 2 rows: 5600');
  expect(explain('failed')).toMatchObject({
    code: 4,
    output: expect.stringMatching(/^No charge of request failed is in the log\.\n.*\nNot a charge \(type 6\)/),
  });
});
