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

/** The channels of each type that the program calls natively, with a model and the path of its calls. */
const native: Readonly<
  Record<'one-api' | 'new-api', ReadonlyArray<readonly [type: number, model: string, path: string]>>
> = {
  'one-api': [
    [16, 'glm-4', '/api/paas/v4/chat/completions'],
    [17, 'qwen-max', '/api/v1/services/aigc/text-generation/generation'],
    [23, 'hunyuan-lite', '/'],
    [24, 'gemini-2.0-flash-exp', '/v1beta/models/gemini-2.0-flash-exp:generateContent'],
    [30, 'llama3', '/api/chat'],
    [35, 'command-r', '/v1/chat'],
    [37, '@cf/meta/llama', '/client/v4/accounts/account/ai/v1/chat/completions'],
  ],
  'new-api': [
    [14, 'claude-sonnet-4-5', '/v1/messages'],
    [17, 'qwen-max', '/compatible-mode/v1/chat/completions'],
    [23, 'hunyuan-lite', '/'],
    [24, 'gemini-2.5-pro', '/v1beta/models/gemini-2.5-pro:generateContent'],
    [27, 'sonar', '/chat/completions'],
    [34, 'command-r', '/v1/chat'],
    [37, 'dify', '/v1/chat-messages'],
    [39, '@cf/meta/llama', '/client/v4/accounts/account/ai/v1/chat/completions'],
  ],
};
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

/** Channel types whose chat calls have OpenAI's format. */
const oneApiTypes = [
  1, 2, 4, 5, 6, 7, 8, 9, 10, 12, 13, 19, 20, 25, 26, 28, 29, 31, 32, 36, 39, 40, 41, 44, 45, 47, 49, 50, 51,
];
const newApiTypes = [1, 8, 14, 20, 25, 26, 31, 35, 40, 42, 43, 45, 46, 48, 53, 60, 62, 63];

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

describe.each(['one-api', 'new-api'] as const)('channels of %s in dialects of their own', (family) => {
  let source: TestSource & { key: string };
  beforeAll(async () => {
    source = await siteOf(family, [], '');
    const column = family === 'one-api' ? 'config' : 'other';
    const account = family === 'one-api' ? '{"user_id":"account"}' : 'account';
    for (const [type, model] of native[family]) {
      await source.execute(
        `INSERT INTO channels (id, type, "key", status, name, models, "group", base_url, ${column})
       VALUES (${type}, ${type}, '1|secret|key', 1, 'type ${type}', '${model}', 'default,vip', '${upstream.url}', '${type === 37 || type === 39 ? account : ''}')`,
      );
    }
    if (family === 'new-api') await source.execute(`UPDATE channels SET header_override = '{"X-Team":"blue"}'`);
    const ratios = Object.fromEntries(native[family].map(([, model]) => [model, 1]));
    await source.execute(`UPDATE options SET value = '${JSON.stringify(ratios)}' WHERE "key" = 'ModelRatio'`);
  }, 60_000);
  afterAll(() => source.drop());

  it('are listed with both URLs', async () => {
    const { channels, findings } = await dryRun(optionsFor(source.address), false);
    expect(channels.map(({ id, there }) => [id, there])).toEqual(
      native[family].map(([type, , path]) => [type, `${upstream.url}${path}`]),
    );
    expect(channels.map(({ id, here }) => [id, here])).toEqual(channels.map(({ id, there }) => [id, there]));
    expect(findings.find(({ code }) => code === 'channel-address')).toBeUndefined();
  }, 60_000);

  it('call the same URLs after the move, with the headers of the channel', async () => {
    const database = await createTestDatabase();
    expect((await move(database, optionsFor(source.address))).isBlocked).toBe(false);
    const server = await startServer({ database });
    for (const [type, model, path] of native[family]) {
      const before = upstream.calls.length;
      // The scripted provider knows OpenAI's format only, so some responses cannot be read.
      await server.api.rest(
        null,
        'POST',
        '/v1/chat/completions',
        { model, messages: [{ role: 'user', content: 'hi' }] },
        { authorization: `Bearer ${source.key}` },
      );
      const calls = upstream.calls.slice(before);
      expect([type, ...new Set(calls.map(({ url }) => url.pathname))]).toEqual([type, path]);
      const team = family === 'new-api' ? 'blue' : undefined;
      expect(calls.filter(({ headers }) => headers['x-team'] !== team)).toEqual([]);
    }
    await server.stop();
    await database.drop();
  }, 120_000);
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

it('one-api: a channel whose type has no address, and that names none itself, is moved disabled: its key is sent nowhere', async () => {
  const source = await siteOf('one-api', [1, 8, 43], '');
  const database = await createTestDatabase();
  const report = await move(database, optionsFor(source.address));
  const found = report.findings.find(({ code }) => code === 'channel-settings');
  expect(found?.examples.map(({ id, detail }) => [id, detail])).toEqual([
    ['8', 'the base URL is missing'],
    ['43', 'the base URL is missing'],
  ]);
  const server = await startServer({ database });
  const rows = await server.dataSource.query('SELECT id, status FROM channels ORDER BY id');
  expect(rows).toEqual([
    { id: 1, status: 'enabled' },
    { id: 8, status: 'disabled' },
    { id: 43, status: 'disabled' },
  ]);
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
  const codes = '{"404":"none","429":503}';
  await source.execute(`UPDATE channels SET status_code_mapping = '${codes}' WHERE id = 1`);
  await source.execute('DROP TABLE redemptions');
  const report = await dryRun(optionsFor(source.address), false);
  const found = (code: string) => report.findings.find((one) => one.code === code);
  expect(found('column-left-out')).toMatchObject({ severity: 'left out', list: 'left out' });
  expect(found('column-left-out')?.examples.map(({ table, id, detail }) => `${table}.${id}: ${detail}`)).toEqual([
    'users.remark: 1 rows',
    'users.stripe_customer: 1 rows',
    'channels.remark: 25 rows',
  ]);
  expect(found('channel-setting-dropped')?.examples.map(({ detail }) => detail)).toEqual(
    expect.arrayContaining(['multi-key mode polling', 'status_code_mapping 404']),
  );
  expect(found('table-missing')?.examples.map(({ table }) => table)).toEqual(['redemptions']);
  await source.drop();
}, 60_000);
