import { dryRun } from '../../server/src/import/run.js';
import { createTestDatabase } from '../support/database.js';
import { makeContent } from '../support/import/content.js';
import type { Family } from '../support/import/schemas.js';
import { createSource, type TestSource } from '../support/import/source.js';
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';
import { startServer } from '../support/server.js';
import { move, now, optionsFor } from './suite.js';

let upstream: ScriptedServer;
beforeAll(async () => {
  upstream = await startScriptedServer(() => ({
    body: {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
    },
  }));
});
afterAll(() => upstream.stop());

/** A site with one enabled channel of each type. */
async function siteOf(
  family: Family,
  types: readonly number[],
  baseUrl: string,
): Promise<TestSource & { key: string }> {
  const content = makeContent({ family, upstream: upstream.url, now, logs: 1 });
  const source = await createSource(family, 'sqlite', content);
  await source.execute('DELETE FROM channels');
  for (const type of types) {
    await source.execute(
      `INSERT INTO channels (id, type, "key", status, name, models, "group", model_mapping, base_url)
       VALUES (${type}, ${type}, 'sk-${type}', 1, 'type ${type}', 'model-${type}', 'default,vip', '{"model-${type}":"mapped-${type}"}', '${baseUrl}')`,
    );
  }
  await source.execute(`UPDATE tokens SET unlimited_quota = 1 WHERE id = 1`);
  return { ...source, key: content.keys[0] ?? '' };
}

/** Types whose chat calls have OpenAI's form. */
const oneApiTypes = [
  1, 2, 4, 5, 6, 7, 8, 9, 10, 12, 13, 19, 20, 25, 26, 28, 29, 31, 32, 36, 39, 40, 41, 44, 45, 47, 49, 50, 51,
];
const newApiTypes = [1, 8, 14, 20, 25, 26, 31, 35, 40, 42, 43, 45, 46, 48];

describe.each<[Family, readonly number[]]>([
  ['one-api', oneApiTypes],
  ['new-api', newApiTypes],
])('channels of %s', (family, types) => {
  it.each(['https://gateway.example', 'https://gateway.example/api/paas/v4', 'built in'])(
    'call the same URLs with the base URL %s',
    async (base) => {
      const some =
        base === 'built in' ? types.filter((type) => family === 'one-api' && type !== 8 && type !== 50) : types;
      const source = await siteOf(family, some, base === 'built in' ? '' : base);
      const report = await dryRun(optionsFor(source.address), false);
      expect(report.channels).toHaveLength(some.length);
      expect(report.channels.filter(({ there }) => there === null)).toEqual([]);
      expect(report.channels.map(({ id, here }) => [id, here])).toEqual(
        report.channels.map(({ id, there }) => [id, there]),
      );
      await source.drop();
    },
    60_000,
  );
});

it('one-api: channels with a base URL of their own answer calls after the move, at the URL and with the key of before', async () => {
  const types = [8, 41, 49, 50, 51];
  const source = await siteOf('one-api', types, `${upstream.url}/gateway`);
  const probed = await dryRun(optionsFor(source.address, { probe: true }), false);
  expect(probed.channels.map(({ probe }) => probe)).toEqual(types.map(() => '200'));
  const before = upstream.calls.length;
  const database = await createTestDatabase();
  const report = await move(database, optionsFor(source.address));
  expect(report.isBlocked).toBe(false);
  const server = await startServer({ database });
  for (const type of types) {
    const answer = await server.api.rest(
      null,
      'POST',
      '/v1/chat/completions',
      { model: `model-${type}`, messages: [{ role: 'user', content: 'hi' }] },
      { authorization: `Bearer ${source.key}` },
    );
    expect([type, answer.status]).toEqual([type, 200]);
  }
  const calls = upstream.calls.slice(before);
  expect(calls.map(({ url, headers }) => [url.pathname, headers.authorization])).toEqual([
    ['/gateway/v1/chat/completions', 'Bearer sk-8'],
    ['/gateway/chat/completions', 'Bearer sk-41'],
    ['/gateway/compatible-mode/v1/chat/completions', 'Bearer sk-49'],
    ['/gateway/chat/completions', 'Bearer sk-50'],
    ['/gateway/chat/completions', 'Bearer sk-51'],
  ]);
  expect(calls.map(({ body }) => (JSON.parse(body) as { model: string }).model)).toEqual(
    types.map((type) => `mapped-${type}`),
  );
  await server.stop();
  await database.drop();
  await source.drop();
}, 120_000);

it('names columns, modes and tables that have no place here', async () => {
  const source = await createSource(
    'new-api',
    'sqlite',
    makeContent({ family: 'new-api', upstream: 'http://127.0.0.1:9', now, logs: 5 }),
  );
  await source.execute(`UPDATE users SET remark = 'pays late', stripe_customer = 'cus_1' WHERE id = 3`);
  await source.execute(
    `UPDATE channels SET channel_info = '{"is_multi_key":true,"multi_key_mode":"polling"}' WHERE id = 1`,
  );
  await source.execute('DROP TABLE redemptions');
  const report = await dryRun(optionsFor(source.address), false);
  const found = (code: string) => report.findings.find((one) => one.code === code);
  expect(found('column-left-out')).toMatchObject({ severity: 'left out', list: 'left out' });
  expect(found('column-left-out')?.examples.map(({ table, id, detail }) => `${table}.${id}: ${detail}`)).toEqual([
    'users.remark: 1 rows',
    'users.stripe_customer: 1 rows',
    'channels.remark: 25 rows',
  ]);
  expect(found('channel-setting-dropped')?.examples.map(({ detail }) => detail)).toContain('multi-key mode polling');
  expect(found('table-missing')?.examples.map(({ table }) => table)).toEqual(['redemptions']);
  await source.drop();
}, 60_000);
