import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.js';
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';
import { startServer } from '../support/server.js';
import { eventually } from '../support/task-site.js';
import { move, optionsFor, secrets } from './suite.js';

let folder: string;
let keys: TestDatabase;
let upstream: ScriptedServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-litellm-'));
  upstream = await startScriptedServer(() => ({
    body: {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'gpt-4o-2024',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
    },
  }));
  keys = await createEmptyDatabase();
  const client = new pg.Client({ connectionString: keys.url });
  await client.connect();
  await client.query(`
    CREATE TABLE "LiteLLM_UserTable" (user_id text PRIMARY KEY, user_alias text, user_email text, user_role text,
      spend double precision NOT NULL DEFAULT 0, max_budget double precision, created_at timestamp(3));
    CREATE TABLE "LiteLLM_VerificationToken" (token text PRIMARY KEY, key_name text, key_alias text, spend double precision NOT NULL
      DEFAULT 0, expires timestamp(3), models text[], user_id text, team_id text, max_budget double precision, blocked boolean, created_at timestamp(3), last_active timestamp(3));
    INSERT INTO "LiteLLM_UserTable" VALUES ('alice', 'Alice', 'alice@example.com', 'internal_user', 2.5, 10, '2025-01-01'),
      ('boss', NULL, NULL, 'proxy_admin', 0, NULL, '2025-01-02')`);
  const digest = (key: string): string => createHash('sha256').update(key).digest('hex');
  await client.query(
    `INSERT INTO "LiteLLM_VerificationToken" VALUES ($1, 'sk-...abcd', 'laptop', 1, NULL, '{gpt-4o}', 'alice', NULL, 4, NULL, '2025-01-03', NULL),
       ($2, 'sk-...wxyz', NULL, 0, NULL, '{}', 'boss', NULL, NULL, true, '2025-01-04', '2025-03-01')`,
    [digest('sk-one'), digest('sk-two')],
  );
  await client.end();
});
afterAll(async () => {
  await upstream.stop();
  await keys.drop();
  await rm(folder, { recursive: true, force: true });
});

it('moves models, prices, users and budgets, and issues new keys, because only digests are stored', async () => {
  const path = join(folder, 'config.yaml');
  await writeFile(
    path,
    `model_list:
  - model_name: gpt-4o
    litellm_params:
      model: openai/gpt-4o-2024
      api_base: ${upstream.url}/v1
      api_key: os.environ/IMPORT_TEST_KEY
      input_cost_per_token: 0.0000025
      output_cost_per_token: 0.00001
  - model_name: claude
    litellm_params: { model: anthropic/claude-sonnet-4, api_key: os.environ/IMPORT_MISSING_KEY, rpm: 5 }
    model_info: { input_cost_per_token: 0.000003, output_cost_per_token: 0.000015 }
  - model_name: odd
    litellm_params: { model: sagemaker/odd, api_key: k }
    model_info: { input_cost_per_token: 0.000001 }
router_settings:
  routing_strategy: latency-based-routing
`,
  );
  process.env['IMPORT_TEST_KEY'] = 'sk-from-environment';
  const database = await createTestDatabase();
  const options = optionsFor(path, { keysSource: { engine: 'postgres', url: keys.url } });
  const report = await move(database, options);
  const examples = (code: string) =>
    report.findings.find((one) => one.code === code)?.examples.map(({ detail, id }) => detail || id);
  expect(report).toMatchObject({ isBlocked: false, source: { family: 'litellm' } });
  expect(report.proof).toMatchObject({ sumsAreEqual: true, drifts: [], keysFound: 2, keysExpected: 2 });
  expect(examples('key-environment')).toEqual(['claude: IMPORT_MISSING_KEY']);
  expect(examples('channel-type')).toEqual(['type 0, odd 3: odd']);
  expect(examples('key-hashed')).toEqual(['laptop', 'sk-...wxyz']);
  expect(examples('setting-unmapped')).toEqual(
    expect.arrayContaining(['routing_strategy', 'claude: rpm', 'no budget: the balance is that of the keys']),
  );
  const second = await move(database, options);
  expect(second.tables.map(({ moved, changed }) => moved + changed)).toEqual(second.tables.map(() => 0));

  const server = await startServer({ database });
  const query = <Row>(sql: string): Promise<Row[]> => server.dataSource.query<Row[]>(sql);
  expect(await query('SELECT username, role, quota, used_quota FROM users ORDER BY id')).toEqual([
    { username: 'alice', role: 'common', quota: '3750000', used_quota: '1250000' },
    { username: 'boss', role: 'admin', quota: '0', used_quota: '0' },
  ]);
  expect(
    await query('SELECT name, status, remain_quota, unlimited_quota, model_limits FROM tokens ORDER BY id'),
  ).toEqual([
    { name: 'laptop', status: 'enabled', remain_quota: '1500000', unlimited_quota: false, model_limits: ['gpt-4o'] },
    { name: 'sk-...wxyz', status: 'disabled', remain_quota: '0', unlimited_quota: true, model_limits: [] },
  ]);
  // The source does not state when the first key was used.
  expect(await query('SELECT last_used_at FROM tokens ORDER BY id')).toEqual([
    { last_used_at: null },
    { last_used_at: new Date('2025-03-01') },
  ]);
  expect(await query('SELECT type, status, models, model_mapping FROM channels ORDER BY id')).toEqual([
    { type: 1, status: 'enabled', models: ['gpt-4o'], model_mapping: { 'gpt-4o': 'gpt-4o-2024' } },
    { type: 14, status: 'disabled', models: ['claude'], model_mapping: { claude: 'claude-sonnet-4' } },
    { type: 0, status: 'disabled', models: ['odd'], model_mapping: {} },
  ]);
  // The console shows the new key to its owner.
  const [token] = await query<{ key_sealed: string }>('SELECT key_sealed FROM tokens WHERE id = 1');
  const answer = await server.api.rest(
    null,
    'POST',
    '/v1/chat/completions',
    { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] },
    { authorization: `Bearer sk-${secrets.open(token?.key_sealed ?? '')}` },
  );
  expect([answer.status, upstream.calls[0]?.headers.authorization]).toEqual([200, 'Bearer sk-from-environment']);
  // 1000 x USD 2.5 and 100 x USD 10 per million: USD 0.0035, 1750 of quota.
  expect(await query('SELECT quota FROM users WHERE id = 1')).toEqual([{ quota: String(3_750_000 - 1750) }]);
  await server.stop();
  await database.drop();
});

it('moves budgets that keys share, budgets of teams and prices of cached tokens, and names models of the database', async () => {
  const shared = await createEmptyDatabase();
  const client = new pg.Client({ connectionString: shared.url });
  await client.connect();
  await client.query(`
    CREATE TABLE "LiteLLM_BudgetTable" (budget_id text PRIMARY KEY, max_budget double precision);
    CREATE TABLE "LiteLLM_TeamTable" (team_id text PRIMARY KEY, spend double precision, max_budget double precision);
    CREATE TABLE "LiteLLM_ProxyModelTable" (model_id text PRIMARY KEY, model_name text, litellm_params jsonb);
    CREATE TABLE "LiteLLM_VerificationToken" (token text PRIMARY KEY, key_alias text, spend double precision, expires timestamp(3),
      models text[], user_id text, team_id text, max_budget double precision, budget_id text, blocked boolean, created_at timestamp(3));
    INSERT INTO "LiteLLM_BudgetTable" VALUES ('small', 2);
    INSERT INTO "LiteLLM_TeamTable" VALUES ('red', 1, 6);
    INSERT INTO "LiteLLM_ProxyModelTable" VALUES ('m1', 'from-console', '{}');
    INSERT INTO "LiteLLM_VerificationToken" VALUES ('d1', 'of budget', 0.5, NULL, '{}', 'carol', NULL, NULL, 'small', NULL, '2025-01-01'),
      ('d2', 'of team', 0, NULL, '{}', NULL, 'red', NULL, NULL, NULL, '2025-01-02')`);
  await client.end();
  const path = join(folder, 'budgets.yaml');
  await writeFile(
    path,
    `model_list:
  - model_name: gpt-4o
    litellm_params: { model: openai/gpt-4o, api_key: k }
    model_info: { input_cost_per_token: 0.000003, output_cost_per_token: 0.000012, cache_read_input_token_cost: 0.0000003 }
  - model_name: gpt-4o-mini
    litellm_params: { model: openai/gpt-4o-mini, api_key: k }
    model_info: { input_cost_per_token: 0.000001, output_cost_per_token: null, cache_read_input_token_cost: null }
`,
  );
  const database = await createTestDatabase();
  const report = await move(database, optionsFor(path, { keysSource: { engine: 'postgres', url: shared.url } }));
  expect(report).toMatchObject({ isBlocked: false, proof: { sumsAreEqual: true, drifts: [] } });
  expect(report.findings.find(({ code }) => code === 'setting-unmapped')?.examples).toContainEqual({
    table: 'LiteLLM_ProxyModelTable',
    id: 'from-console',
    detail: 'stored in the database only',
  });
  const pool = new pg.Client({ connectionString: database.url });
  await pool.connect();
  const rows = async (sql: string): Promise<unknown[]> => (await pool.query<Record<string, unknown>>(sql)).rows;
  expect(await rows('SELECT username, quota FROM users ORDER BY id')).toEqual([
    { username: 'carol', quota: '750000' },
    { username: 'team-red', quota: '2500000' },
  ]);
  expect(await rows('SELECT name, remain_quota, unlimited_quota FROM tokens ORDER BY id')).toEqual([
    { name: 'of budget', remain_quota: '750000', unlimited_quota: false },
    { name: 'of team', remain_quota: '0', unlimited_quota: true },
  ]);
  const ratios = async (key: string): Promise<Record<string, number>> => {
    const [option] = (await rows(`SELECT value FROM options WHERE key = '${key}'`)) as Array<{ value: string }>;
    return JSON.parse(option?.value ?? '{}') as Record<string, number>;
  };
  const caches = await ratios('CacheRatio');
  expect(caches).toMatchObject({ 'gpt-4o': 0.1 });
  // A cost of null is absent, not zero.
  expect([caches['gpt-4o-mini'], (await ratios('CompletionRatio'))['gpt-4o-mini']]).not.toContain(0);
  await pool.end();
  await database.drop();
  await shared.drop();
});

it('moves every price that the file states, limits of models and blocked teams, and names what else the database has', async () => {
  const current = await createEmptyDatabase();
  const client = new pg.Client({ connectionString: current.url });
  await client.connect();
  await client.query(`
    CREATE TABLE "LiteLLM_TeamTable" (team_id text PRIMARY KEY, spend double precision, max_budget double precision, models text[],
      blocked boolean, tpm_limit bigint, metadata jsonb DEFAULT '{}');
    CREATE TABLE "LiteLLM_UserTable" (user_id text PRIMARY KEY, spend double precision, max_budget double precision, models text[],
      budget_duration text, created_at timestamp(3));
    CREATE TABLE "LiteLLM_VerificationToken" (token text PRIMARY KEY, key_alias text, spend double precision, models text[], user_id text,
      team_id text, max_budget double precision, rpm_limit bigint, aliases jsonb DEFAULT '{}', model_max_budget jsonb DEFAULT '{}',
      created_at timestamp(3));
    CREATE TABLE "LiteLLM_EndUserTable" (user_id text PRIMARY KEY);
    CREATE TABLE "LiteLLM_DailyUserSpend" (id text PRIMARY KEY);
    INSERT INTO "LiteLLM_TeamTable" VALUES ('red', 0, NULL, '{gpt-4o}', false, 1000), ('blue', 0, NULL, '{}', true, NULL);
    INSERT INTO "LiteLLM_UserTable" VALUES ('dora', 0, 10, '{seer}', '30d', '2025-01-01'), ('none', 0, 1, '{no-default-models}', NULL, '2025-01-02');
    INSERT INTO "LiteLLM_EndUserTable" VALUES ('customer');
    INSERT INTO "LiteLLM_DailyUserSpend" VALUES ('day');
    INSERT INTO "LiteLLM_VerificationToken" (token, key_alias, models, user_id, team_id, rpm_limit, aliases, created_at) VALUES
      ('k1', 'of team', '{}', 'dora', 'red', 5, '{}', '2025-01-01'),
      ('k2', 'all of team', '{all-team-models,painter}', NULL, 'red', NULL, '{}', '2025-01-02'),
      ('k3', 'of user', '{}', 'dora', NULL, NULL, '{"fast":"seer"}', '2025-01-03'),
      ('k4', 'all', '{all-proxy-models}', 'dora', NULL, NULL, '{}', '2025-01-04'),
      ('k5', 'blocked', '{}', NULL, 'blue', NULL, '{}', '2025-01-05'),
      ('k6', 'nothing', '{}', 'none', NULL, NULL, '{}', '2025-01-06'),
      ('k7', 'of a lost team', '{all-team-models}', NULL, 'gone', NULL, '{}', '2025-01-07')`);
  await client.end();
  const path = join(folder, 'current.yaml');
  await writeFile(
    path,
    `model_list:
  - model_name: gpt-4o
    litellm_params: { model: openai/gpt-4o, api_key: k }
    model_info: { input_cost_per_token: 0.000003, output_cost_per_token: 0.000012 }
  - model_name: seer
    litellm_params: { model: gemini/seer, api_key: k, input_cost_per_token: 0.000001, output_cost_per_token: 0.000004 }
    model_info:
      cache_creation_input_token_cost: 0.00000125
      input_cost_per_audio_token: 0.000002
      output_cost_per_reasoning_token: 0.000008
      input_cost_per_token_above_200k_tokens: 0.000002
      max_tokens: 100
  - model_name: painter
    litellm_params: { model: openai/painter, api_key: k, output_cost_per_image: 0.04 }
    model_info: { mode: image_generation }
litellm_settings:
  cost_margin_config: { global: 0.1 }
`,
  );
  const database = await createTestDatabase();
  const given = optionsFor(path, { keysSource: { engine: 'postgres', url: current.url } });
  const blocked = await move(database, given);
  expect(blocked.isBlocked).toBe(true);
  expect(blocked.findings.find(({ code }) => code === 'price-keys')?.examples.map(({ id }) => id)).toEqual([
    'cost_margin_config',
  ]);
  const decisions = { ...given.decisions, accepted: ['cost_margin_config'] };
  const report = await move(database, { ...given, decisions });
  expect(report).toMatchObject({ isBlocked: false, proof: { sumsAreEqual: true, drifts: [] } });
  const found = (code: string) =>
    report.findings
      .find((one) => one.code === code)
      ?.examples.map(({ table, id, detail }) => `${table} ${id}: ${detail}`);
  expect(found('column-left-out')?.sort()).toEqual([
    'LiteLLM_UserTable budget_duration: 1 rows',
    'LiteLLM_VerificationToken aliases: 1 rows',
  ]);
  expect(found('table-left-out')).toEqual(['LiteLLM_EndUserTable : 1 rows']);
  const pool = new pg.Client({ connectionString: database.url });
  await pool.connect();
  const rows = async (sql: string): Promise<unknown[]> => (await pool.query<Record<string, unknown>>(sql)).rows;
  expect(
    await rows('SELECT name, status, model_limits_enabled AS limited, model_limits FROM tokens ORDER BY id'),
  ).toEqual([
    { name: 'of team', status: 'enabled', limited: true, model_limits: ['gpt-4o'] },
    // The team may not use the other model that the key names.
    { name: 'all of team', status: 'enabled', limited: true, model_limits: ['gpt-4o'] },
    { name: 'of user', status: 'enabled', limited: true, model_limits: ['seer'] },
    { name: 'all', status: 'enabled', limited: false, model_limits: [] },
    { name: 'blocked', status: 'disabled', limited: false, model_limits: [] },
    { name: 'nothing', status: 'enabled', limited: true, model_limits: [] },
    { name: 'of a lost team', status: 'enabled', limited: true, model_limits: [] },
  ]);
  expect(found('setting-unmapped')).toContain('LiteLLM_VerificationToken 7: of a lost team: its team is missing');
  const [option] = (await rows(`SELECT value FROM options WHERE key = 'PriceCards'`)) as Array<{ value: string }>;
  expect(JSON.parse(option?.value ?? '{}')).toMatchObject({
    seer: {
      prices: { input: 1, output: 4, cacheWrite: 1.25, audioInput: 2, reasoning: 8 },
      contextTiers: [{ above: 200_000, prices: { input: 2 } }],
    },
    painter: { prices: { image: 0.04 } },
  });
  await pool.end();
  await database.drop();
  await current.drop();
});

it('moves teams as organisations with their members, projects, budgets and keys, and names what cannot be moved', async () => {
  const site = await createEmptyDatabase();
  const client = new pg.Client({ connectionString: site.url });
  await client.connect();
  // Columns of schema.prisma of 2026-07.
  await client.query(`
    CREATE TABLE "LiteLLM_BudgetTable" (budget_id text PRIMARY KEY, max_budget double precision, rpm_limit bigint, budget_duration text,
      budget_reset_at timestamp(3));
    CREATE TABLE "LiteLLM_UserTable" (user_id text PRIMARY KEY, user_email text, spend double precision, max_budget double precision,
      created_at timestamp(3));
    CREATE TABLE "LiteLLM_TeamTable" (team_id text PRIMARY KEY, team_alias text, members_with_roles jsonb DEFAULT '{}', admins text[] DEFAULT '{}',
      members text[] DEFAULT '{}', spend double precision, max_budget double precision, models text[] DEFAULT '{}', blocked boolean,
      budget_duration text, created_at timestamp(3));
    CREATE TABLE "LiteLLM_TeamMembership" (user_id text, team_id text, spend double precision, budget_id text, PRIMARY KEY (user_id, team_id));
    CREATE TABLE "LiteLLM_ProjectTable" (project_id text PRIMARY KEY, project_alias text, team_id text, budget_id text, spend double precision,
      created_at timestamp(3));
    CREATE TABLE "LiteLLM_VerificationToken" (token text PRIMARY KEY, key_alias text, spend double precision, models text[], user_id text,
      team_id text, project_id text, max_budget double precision, created_at timestamp(3));
    INSERT INTO "LiteLLM_BudgetTable" VALUES ('monthly', 4, 10, '30d', NULL), ('once', 2, NULL, NULL, NULL), ('odd', 3, NULL, '2d', NULL);
    INSERT INTO "LiteLLM_UserTable" VALUES ('ann', 'ann@example.com', 1, 10, '2025-01-01'), ('bea', 'bea@example.com', 0, 1, '2025-01-02'),
      ('cid', NULL, 0, 1, '2025-01-03');
    INSERT INTO "LiteLLM_TeamTable" VALUES
      ('t1', 'Red', '[{"user_id": "ann", "role": "admin"}, {"user_email": "BEA@example.com", "role": "user"}, {"user_id": "ghost", "role": "user"}]',
        '{}', '{}', 3, 20, '{gpt-4o}', false, '30d', '2025-01-04'),
      ('t2', 'ann', '[{"user_id": "bea", "role": "user"}]', '{}', '{}', 0, NULL, '{}', true, NULL, '2025-01-05');
    INSERT INTO "LiteLLM_TeamMembership" VALUES ('ann', 't1', 1.5, 'monthly'), ('bea', 't1', 0.5, 'once'), ('bea', 't2', 0, 'odd'),
      ('ghost', 't1', 0, 'once');
    INSERT INTO "LiteLLM_ProjectTable" VALUES ('p1', 'Search', 't1', 'once', 0.25, '2025-01-06'), ('p2', 'search', 't1', NULL, 0, '2025-01-07');
    INSERT INTO "LiteLLM_VerificationToken" VALUES ('d1', 'of ann', 0, '{}', 'ann', 't1', 'p1', NULL, '2025-01-08'),
      ('d2', 'shared', 0, '{}', NULL, 't1', NULL, NULL, '2025-01-09'), ('d3', 'of cid', 0, '{}', 'cid', 't1', 'p2', 1, '2025-01-10'),
      ('d4', 'own', 0, '{}', 'ann', NULL, NULL, NULL, '2025-01-11'), ('d5', 'blocked', 0, '{}', NULL, 't2', NULL, 2, '2025-01-12')`);
  const path = join(folder, 'teams.yaml');
  await writeFile(
    path,
    `model_list:
  - model_name: gpt-4o
    litellm_params: { model: openai/gpt-4o, api_base: ${upstream.url}/v1, api_key: k, input_cost_per_token: 0.0000025, output_cost_per_token: 0.00001 }
`,
  );
  const database = await createTestDatabase();
  const options = optionsFor(path, { keysSource: { engine: 'postgres', url: site.url } });
  const report = await move(database, options);
  expect(report).toMatchObject({
    isBlocked: false,
    proof: { sumsAreEqual: true, drifts: [], keysFound: 5, keysExpected: 5 },
  });
  const found = (code: string) =>
    report.findings.find((one) => one.code === code)?.examples.map(({ id, detail }) => `${id}: ${detail}`);
  expect(found('team-member')).toEqual(['t1: ghost']);
  expect(found('team-key')).toEqual(['t1: cid']);
  expect(found('team-owner')).toEqual(['t2: ']);
  expect(found('team-budget')).toEqual(['odd: 2d: week']);
  expect(found('column-left-out')).toEqual(['budget_duration: 1 rows']);
  expect(found('setting-unmapped')).toEqual(
    expect.arrayContaining([
      'team-t1: models: a limit of its keys, not of those that are made here',
      'team-t2: no budget: the balance is that of the keys',
    ]),
  );

  const server = await startServer({ database });
  const query = <Row>(sql: string): Promise<Row[]> => server.dataSource.query<Row[]>(sql);
  expect(await query('SELECT id, username, kind, status, quota FROM users ORDER BY id')).toEqual([
    { id: 1, username: 'ann', kind: 'person', status: 'enabled', quota: '4500000' },
    { id: 2, username: 'bea', kind: 'person', status: 'enabled', quota: '500000' },
    { id: 3, username: 'cid', kind: 'person', status: 'enabled', quota: '500000' },
    { id: 4, username: 'Red', kind: 'organisation', status: 'enabled', quota: '8500000' },
    // The name of the team belongs to a user.
    { id: 5, username: 'team-t2', kind: 'organisation', status: 'banned', quota: '1000000' },
  ]);
  expect(await query('SELECT organisation_id AS org, user_id, role FROM memberships ORDER BY id')).toEqual([
    { org: 4, user_id: 1, role: 'owner' },
    { org: 4, user_id: 2, role: 'member' },
    { org: 4, user_id: 3, role: 'member' },
    { org: 5, user_id: 2, role: 'member' },
  ]);
  expect(await query('SELECT organisation_id AS org, name FROM projects ORDER BY id')).toEqual([
    { org: 4, name: 'Search' },
    { org: 4, name: 'search p2' },
  ]);
  expect(await query('SELECT user_id, member_id, project_id, status FROM tokens ORDER BY id')).toEqual([
    { user_id: 4, member_id: 1, project_id: 1, status: 'enabled' },
    { user_id: 4, member_id: 0, project_id: 0, status: 'enabled' },
    { user_id: 4, member_id: 3, project_id: 2, status: 'enabled' },
    { user_id: 1, member_id: 0, project_id: 0, status: 'enabled' },
    { user_id: 5, member_id: 0, project_id: 0, status: 'disabled' },
  ]);
  expect(await query(`SELECT level, subject_id, kind, amount FROM budgets WHERE span = 'minute'`)).toEqual([
    { level: 'member', subject_id: 1, kind: 'requests', amount: '10' },
  ]);
  const budgets = `SELECT b.level, b.subject_id, b.span, b.amount, w.used FROM budgets b JOIN budget_windows w ON w.budget_id = b.id ORDER BY b.id`;
  expect(await query(budgets)).toEqual([
    { level: 'member', subject_id: 1, span: 'month', amount: '2000000', used: '750000' },
    { level: 'member', subject_id: 2, span: 'fixed', amount: '1000000', used: '250000' },
    { level: 'member', subject_id: 4, span: 'week', amount: '1500000', used: '0' },
    { level: 'project', subject_id: 1, span: 'fixed', amount: '1000000', used: '125000' },
  ]);
  // The organisation pays, and the budgets of the member and the project count the call.
  const [token] = await query<{ key_sealed: string }>('SELECT key_sealed FROM tokens WHERE id = 1');
  const answer = await server.api.rest(
    null,
    'POST',
    '/v1/chat/completions',
    { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] },
    { authorization: `Bearer sk-${secrets.open(token?.key_sealed ?? '')}` },
  );
  expect(answer.status).toBe(200);
  const used = async () => (await query<{ used: string }>(budgets)).map((row) => Number(row.used));
  await eventually(used, ([first]) => first !== 750_000);
  expect(await used()).toEqual([751_750, 250_000, 0, 126_750]);
  expect(await query('SELECT quota FROM users WHERE id = 4')).toEqual([{ quota: String(8_500_000 - 1750) }]);
  await server.stop();

  await client.query(`
    UPDATE "LiteLLM_TeamTable" SET members_with_roles = '[{"user_id": "bea", "role": "admin"}]' WHERE team_id = 't1';
    DELETE FROM "LiteLLM_TeamMembership" WHERE user_id = 'ann'; DELETE FROM "LiteLLM_VerificationToken" WHERE token = 'd1'`);
  await client.end();
  const second = await move(database, options);
  expect(second.proof).toMatchObject({ drifts: [], keysFound: 4, keysExpected: 4 });
  const pool = new pg.Client({ connectionString: database.url });
  await pool.connect();
  const { rows } = await pool.query('SELECT organisation_id AS org, user_id, role FROM memberships ORDER BY id');
  expect(rows).toEqual([
    { org: 4, user_id: 2, role: 'owner' },
    { org: 4, user_id: 3, role: 'member' },
    { org: 5, user_id: 2, role: 'member' },
  ]);
  await pool.end();
  await database.drop();
  await site.drop();
});

it('moves limits of calls and tokens per minute, which refuse calls here as they did there', async () => {
  const limited = await createEmptyDatabase();
  const client = new pg.Client({ connectionString: limited.url });
  await client.connect();
  await client.query(`
    CREATE TABLE "LiteLLM_BudgetTable" (budget_id text PRIMARY KEY, max_budget double precision, tpm_limit bigint, rpm_limit bigint,
      max_parallel_requests integer, budget_duration text);
    CREATE TABLE "LiteLLM_UserTable" (user_id text PRIMARY KEY, spend double precision, max_budget double precision, tpm_limit bigint,
      rpm_limit bigint, created_at timestamp(3));
    CREATE TABLE "LiteLLM_TeamTable" (team_id text PRIMARY KEY, members_with_roles jsonb DEFAULT '{}', spend double precision,
      max_budget double precision, tpm_limit bigint, rpm_limit bigint, created_at timestamp(3));
    CREATE TABLE "LiteLLM_TeamMembership" (user_id text, team_id text, spend double precision, budget_id text, PRIMARY KEY (user_id, team_id));
    CREATE TABLE "LiteLLM_ProjectTable" (project_id text PRIMARY KEY, project_alias text, team_id text, budget_id text, spend double precision,
      created_at timestamp(3));
    CREATE TABLE "LiteLLM_VerificationToken" (token text PRIMARY KEY, key_alias text, spend double precision, models text[], user_id text,
      team_id text, project_id text, max_budget double precision, budget_id text, tpm_limit bigint, rpm_limit bigint, created_at timestamp(3));
    INSERT INTO "LiteLLM_BudgetTable" VALUES ('slow', NULL, 500, 3, 2, NULL), ('project', NULL, NULL, 7, NULL, NULL);
    INSERT INTO "LiteLLM_UserTable" VALUES ('ann', 0, 10, 9000, 8, '2025-01-01');
    INSERT INTO "LiteLLM_TeamTable" VALUES ('t1', '[{"user_id": "ann", "role": "admin"}]', 0, 20, 9223372036854775807, 6, '2025-01-02');
    INSERT INTO "LiteLLM_TeamMembership" VALUES ('ann', 't1', 0, 'slow');
    INSERT INTO "LiteLLM_ProjectTable" VALUES ('p1', 'Search', 't1', 'project', 0, '2025-01-03');
    INSERT INTO "LiteLLM_VerificationToken" VALUES
      ('d1', 'own', 0, '{}', 'ann', NULL, NULL, NULL, NULL, NULL, 1, '2025-01-04'),
      ('d2', 'of a budget', 0, '{}', 'ann', 't1', NULL, NULL, 'slow', 70, NULL, '2025-01-05')`);
  await client.end();
  const path = join(folder, 'limits.yaml');
  await writeFile(
    path,
    `model_list:
  - model_name: gpt-4o
    litellm_params: { model: openai/gpt-4o, api_base: ${upstream.url}/v1, api_key: k, input_cost_per_token: 0.0000025, output_cost_per_token: 0.00001 }
`,
  );
  const database = await createTestDatabase();
  const options = optionsFor(path, { keysSource: { engine: 'postgres', url: limited.url } });
  const report = await move(database, options);
  expect(report).toMatchObject({ isBlocked: false, proof: { sumsAreEqual: true, drifts: [] } });
  expect(report.findings.find(({ code }) => code === 'column-left-out')?.examples).toEqual([
    { table: 'LiteLLM_BudgetTable', id: 'max_parallel_requests', detail: '1 rows' },
  ]);
  const second = await move(database, options);
  expect(second.tables.map(({ moved, changed }) => moved + changed)).toEqual(second.tables.map(() => 0));

  const server = await startServer({ database });
  const rows = await server.dataSource.query<Array<Record<string, unknown>>>(
    'SELECT level, subject_id, kind, amount, span, by_admin FROM budgets ORDER BY level, subject_id, kind',
  );
  const limit = (level: string, subject: number, kind: string, amount: number): object => {
    return { level, subject_id: subject, kind, amount: String(amount), span: 'minute', by_admin: true };
  };
  // The team's limit of tokens is none: nothing reaches it.
  expect(rows).toEqual([
    limit('member', 1, 'requests', 3),
    limit('member', 1, 'tokens', 500),
    limit('project', 1, 'requests', 7),
    limit('token', 1, 'requests', 1),
    limit('token', 2, 'requests', 3),
    limit('token', 2, 'tokens', 70),
    limit('user', 1, 'requests', 8),
    limit('user', 1, 'tokens', 9000),
    limit('user', 2, 'requests', 6),
  ]);
  const [own] = await server.dataSource.query<Array<{ key_sealed: string }>>(
    'SELECT key_sealed FROM tokens WHERE id = 1',
  );
  const call = () =>
    server.api.rest(
      null,
      'POST',
      '/v1/chat/completions',
      { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] },
      { authorization: `Bearer sk-${secrets.open(own?.key_sealed ?? '')}` },
    );
  expect([(await call()).status, (await call()).status]).toEqual([200, 429]);
  await server.stop();
  await database.drop();
  await limited.drop();
});

it('follows keys that were deleted between two runs, although the ids of the later ones change', async () => {
  const path = join(folder, 'keys.yaml');
  await writeFile(
    path,
    `model_list:
  - model_name: gpt-4o
    litellm_params: { model: openai/gpt-4o, api_key: k, input_cost_per_token: 0.0000025, output_cost_per_token: 0.00001 }
`,
  );
  const client = new pg.Client({ connectionString: keys.url });
  await client.connect();
  const database = await createTestDatabase();
  const options = optionsFor(path, { keysSource: { engine: 'postgres', url: keys.url } });
  for (const name of ['third', 'fourth']) {
    await client.query(
      `INSERT INTO "LiteLLM_VerificationToken" VALUES ($1, $1, $1, 0, NULL, '{}', 'alice', NULL, 1, NULL, '2025-02-01')`,
      [name],
    );
  }
  await move(database, options);
  const names = async () => {
    const pool = new pg.Client({ connectionString: database.url });
    await pool.connect();
    const { rows } = await pool.query<{ name: string; hash: string }>(
      `SELECT name, encode(key_hash, 'hex') AS hash FROM tokens ORDER BY id`,
    );
    await pool.end();
    return rows;
  };
  const before = await names();
  expect(before.map(({ name }) => name)).toEqual(['laptop', 'sk-...wxyz', 'fourth', 'third']);
  await client.query(`DELETE FROM "LiteLLM_VerificationToken" WHERE key_alias = 'laptop'`);
  await client.end();
  const report = await move(database, options);
  expect(report.proof).toMatchObject({ sumsAreEqual: true, drifts: [], keysFound: 3, keysExpected: 3 });
  expect(await names()).toEqual(before.slice(1));
  await database.drop();
});
