import { DryRunService } from '../../server/src/billing/prices/dry-run/dry-run.service.js';
import { defaultOptionValues } from '../../server/src/options/option-registry.js';
import { Site, type Person } from './site.js';

/* Proposed prices, replayed over logged calls. Expected amounts are computed by hand, in quota: 500,000 are 1 USD. */

let site: Site;
let root: Person;
let anna: Person;
let ben: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  anna = await site.invite(root);
  ben = await site.invite(root);
});
afterAll(() => site.stop());
beforeEach(async () => {
  await site.query('DELETE FROM logs');
  await site.query('DELETE FROM channels');
});

interface Call {
  readonly user: Person;
  readonly model: string;
  readonly quota: number;
  readonly prompt?: number;
  readonly completion?: number;
  readonly group?: string;
  readonly channelId?: number;
  readonly daysAgo?: number;
  readonly other?: object | string;
}

async function log(call: Call): Promise<void> {
  const { user, model, quota, prompt = 0, completion = 0, group = 'default', channelId = 1, daysAgo = 0 } = call;
  const other = typeof call.other === 'string' ? call.other : JSON.stringify(call.other ?? {});
  const at = Math.floor(Date.now() / 1000) - daysAgo * 86_400 - 60;
  await site.query(
    `INSERT INTO logs (created_at, type, user_id, username, model_name, "group", channel_id, quota, prompt_tokens, completion_tokens, other)
     VALUES ($1, 2, $2, 'u', $3, $4, $5, $6, $7, $8, $9)`,
    [at, user.id, model, group, channelId, quota, prompt, completion, other],
  );
}

interface Figures {
  readonly calls: number;
  readonly usdBefore: number;
  readonly usdAfter: number;
}

interface Run {
  readonly isComplete: boolean;
  readonly total: Figures & Record<string, number>;
  readonly skipped: ReadonlyArray<{ readonly reason: string; readonly calls: number; readonly usd: number }>;
  readonly usersPayingMore: number;
  readonly usersPayingLess: number;
  readonly users: ReadonlyArray<{ readonly userId: number; readonly username: string; readonly figures: Figures }>;
  readonly models: ReadonlyArray<{ readonly modelName: string; readonly figures: Figures }>;
}

const document = `query ($settings: [ProposedSettingInput!]!, $days: Int!) {
  priceDryRun(settings: $settings, days: $days) {
    isComplete usersPayingMore usersPayingLess
    total { calls usdBefore usdAfter costCalls costUsd marginBeforeUsd marginAfterUsd }
    skipped { reason calls usd }
    users { userId username figures { calls usdBefore usdAfter } }
    models { modelName figures { calls usdBefore usdAfter } }
  }
}`;

async function run(proposed: Record<string, object>, days = 7): Promise<Run> {
  const settings = Object.entries(proposed).map(([key, value]) => ({ key, value: JSON.stringify(value) }));
  const { data, text } = await site.graphql(root, document, { settings, days });
  if (!data?.['priceDryRun']) throw new Error(text);
  return data['priceDryRun'] as Run;
}

const usd = (quota: number): number => quota / 500_000;
const card = (...components: Array<[string, number, number]>): object => ({ price_card: 'gpt-5.5', components });

it('prices each row again, and sums by user and by model', async () => {
  // 1,000 in and 500 out of gpt-5.5 cost 10,000 at its list price; gpt-4o costs 1.25 x (1,000 + 4 x 500) = 3,750.
  const list = card(['input', 1000, 5], ['output', 500, 30]);
  await log({
    user: anna,
    model: 'gpt-5.5',
    prompt: 1000,
    completion: 500,
    quota: 10_000,
    other: { ...list, admin_info: { upstream_cost: 0.015 } },
  });
  await log({
    user: anna,
    model: 'gpt-4o',
    prompt: 1000,
    completion: 500,
    quota: 3750,
    other: { admin_info: { upstream_cost: 0.005 } },
  });
  await log({ user: ben, model: 'gpt-4o', prompt: 1000, completion: 500, quota: 3750, other: { cache_tokens: 400 } });
  // This call is older than the period by one day.
  await log({ user: ben, model: 'gpt-4o', prompt: 1000, completion: 500, quota: 3750, daysAgo: 7 });
  // gpt-5.5 at $6 and $20: (1,000 x 6 + 500 x 20) / 2 = 8,000. gpt-4o at ratio 2: 2 x (1,000 + 2,000) = 6,000, and with
  // 400 tokens from the cache at half the price 2 x (600 + 200 + 2,000) = 5,600.
  const found = await run({
    PriceCards: { 'gpt-5.5': { prices: { input: 6, output: 20 } } },
    ModelRatio: { 'gpt-4o': 2 },
  });
  expect(found).toMatchObject({
    isComplete: true,
    skipped: [],
    usersPayingMore: 2,
    usersPayingLess: 0,
    total: {
      calls: 3,
      usdBefore: usd(17_500),
      usdAfter: usd(19_600),
      costCalls: 2,
      // The two calls with a known cost were charged 13,750 quota (0.0275 USD), and would be charged 14,000 (0.028 USD).
      costUsd: expect.closeTo(0.02, 9) as number,
      marginBeforeUsd: expect.closeTo(0.0075, 9) as number,
      marginAfterUsd: expect.closeTo(0.008, 9) as number,
    },
    users: [
      { userId: ben.id, username: ben.username, figures: { calls: 1, usdBefore: usd(3750), usdAfter: usd(5600) } },
      { userId: anna.id, figures: { calls: 2, usdBefore: usd(13_750), usdAfter: usd(14_000) } },
    ],
    models: [
      { modelName: 'gpt-4o', figures: { calls: 2, usdBefore: usd(7500), usdAfter: usd(11_600) } },
      { modelName: 'gpt-5.5', figures: { calls: 1, usdBefore: usd(10_000), usdAfter: usd(8000) } },
    ],
  });
});

it('follows a group ratio, which applies to the group of the row', async () => {
  await log({ user: anna, model: 'gpt-4o', prompt: 1000, completion: 500, quota: 3750, group: 'vip' });
  await log({ user: ben, model: 'gpt-4o', prompt: 1000, completion: 500, quota: 3750 });
  expect(await run({ GroupRatio: { default: 1, vip: 0.8 } })).toMatchObject({
    usersPayingMore: 0,
    usersPayingLess: 1,
    total: { usdBefore: usd(7500), usdAfter: usd(6750) },
  });
});

it.each<[what: string, call: Omit<Call, 'user' | 'quota'>, proposed: Record<string, object>, quota: number]>([
  [
    'the fraction of a Messages call is dropped',
    // (10 + 2,000 x 0.1 + 500 x 1.25 + 100 x 5) x 1.5 = 2,002.5
    {
      model: 'claude-3-7-sonnet-20250219',
      prompt: 2510,
      completion: 100,
      other: { claude: true, cache_tokens: 2000, cache_creation_tokens: 500 },
    },
    { ModelRatio: { 'claude-3-7-sonnet-20250219': 1.5 }, CacheRatio: { 'claude-3-7-sonnet-20250219': 0.1 } },
    2002,
  ],
  [
    'cache writes of an hour from the lines of a card',
    // 100,000 x $6 + 10 x $3 + 100 x $15 = $0.60153
    {
      model: 'claude-sonnet-4-5',
      prompt: 100_010,
      completion: 100,
      other: {
        price_card: 'claude-sonnet-4-5',
        components: [
          ['input', 10, 1],
          ['cacheWrite1h', 100_000, 1],
          ['output', 100, 1],
        ],
      },
    },
    {},
    300_765,
  ],
  [
    'the tier that served the call',
    {
      model: 'gpt-5.5',
      prompt: 1000,
      completion: 500,
      other: { ...card(['input', 1000, 1], ['output', 500, 1]), price_when: { tier: 'flex' } },
    },
    {},
    5000,
  ],
  [
    'both lists of lines: the search of the cost that the sale did not price',
    // 1,000 x $1 + 500 x $1 + 2 x $0.5 = $1.0015
    {
      model: 'gpt-4o',
      prompt: 1000,
      completion: 500,
      other: {
        admin_info: {
          cost_basis: 'list',
          cost_card: 'gpt-4o',
          cost_lines: [
            ['input', 1000, 2.5],
            ['output', 500, 10],
            ['webSearch', 2, 0.01],
          ],
        },
      },
    },
    { PriceCards: { 'gpt-4o': { prices: { input: 1, output: 1, webSearch: 0.5 } } } },
    500_750,
  ],
  [
    'audio by the audio formula',
    // (100 + 50 x 4 + 200 x 40 + 300 x 40 x 2) x 1.25 = 40,375
    {
      model: 'gpt-4o-audio-preview-2024-10-01',
      prompt: 300,
      completion: 350,
      other: {
        components: [
          ['input', 100, 1],
          ['output', 50, 1],
          ['audioInput', 200, 1],
          ['audioOutput', 300, 1],
        ],
      },
    },
    {},
    40_375,
  ],
  [
    'images by size, quality and number',
    // $0.04 x 2 for the size x 1.5 for hd x 2 images = $0.24
    {
      model: 'dall-e-3',
      prompt: 2,
      other: {
        image: true,
        image_size: '1024x1792',
        image_quality: 'hd',
        image_count: 2,
        request_path: '/v1/images/generations',
      },
    },
    {},
    120_000,
  ],
  [
    'a task by its price per call',
    { model: 'mj_imagine', other: { task: true } },
    { ModelPrice: { mj_imagine: 0.25 } },
    125_000,
  ],
  ['a task without a price by the usual one', { model: 'mj_unheard_of', other: { task: true } }, {}, 50_000],
  [
    'a video with audio by its own price',
    {
      model: 'veo-3.1-generate-001',
      other: { task: true, video_seconds: 8, video_audio: true, price_when: { resolution: '4k' } },
    },
    { PriceCards: { 'veo-3.1-generate-001': { prices: { second: 0.2, secondWithAudio: 0.5 } } } },
    2_000_000,
  ],
  [
    'a video by its seconds, at the price of its resolution',
    // 8 x $0.6
    { model: 'veo-3.1-generate-001', other: { task: true, video_seconds: 8, price_when: { resolution: '4k' } } },
    {},
    2_400_000,
  ],
  [
    'a video by its price per call',
    { model: 'veo-3.1-generate-001', other: { task: true, video_seconds: 8, price_when: { resolution: '4k' } } },
    { ModelPrice: { 'veo-3.1-generate-001': 0.25 } },
    125_000,
  ],
  ['a price per call', { model: 'own', prompt: 5, completion: 5 }, { ModelPrice: { own: 0.02 } }, 10_000],
  [
    'no more than the balance had',
    { model: 'gpt-4o', prompt: 1000, completion: 500, other: { uncharged_quota: 900 } },
    {},
    1,
  ],
])('%s', async (_what, call, proposed, quota) => {
  await log({ user: anna, quota: 1, ...call });
  expect(await run(proposed)).toMatchObject({
    skipped: [],
    total: { calls: 1, usdBefore: usd(1), usdAfter: usd(quota) },
  });
});

it('states what it cannot price, and guesses nothing', async () => {
  const quota = 700;
  // No card of this row prices searches, so the row does not have their number.
  await log({
    user: anna,
    model: 'own',
    prompt: 10,
    completion: 5,
    quota,
    other: {
      components: [
        ['input', 10, 1],
        ['output', 5, 1],
      ],
    },
  });
  // Without lines, the row does not say which tokens were audio.
  await log({ user: anna, model: 'own', prompt: 10, completion: 5, quota });
  // The image was charged by its tokens, so its size is not logged.
  await log({
    user: anna,
    model: 'gpt-image-1.5',
    prompt: 10,
    completion: 5,
    quota,
    other: { request_path: '/v1/images/edits', components: [['imageOutput', 5, 1]] },
  });
  await log({ user: anna, model: 'own', prompt: 10, completion: 5, quota, other: 'not JSON' });
  await log({ user: anna, model: 'no-price', prompt: 10, completion: 5, quota });
  // A video has no default price, and no price by tokens.
  for (const model of ['no-video', 'own']) {
    await log({ user: anna, model, quota, other: { task: true, video_seconds: 8, model_price: 0.1 } });
  }
  // This call was neither charged nor counted.
  await log({ user: anna, model: 'no-price', prompt: 10, completion: 5, quota, other: { uncharged: true } });
  const found = await run({
    PriceCards: { own: { prices: { input: 1, output: 1, audioInput: 2, webSearch: 0.01 } } },
    ModelPrice: { 'gpt-image-1.5': 0.05 },
  });
  expect(found.total.calls).toBe(0);
  expect(found.skipped).toEqual([
    { reason: 'UNPRICED', calls: 3, usd: usd(2100) },
    { reason: 'UNKNOWN_QUANTITIES', calls: 4, usd: usd(2800) },
  ]);
});

it('finds the price of a model behind a routing prefix of its channel', async () => {
  await site.expectSuccess(root, 'POST', '/api/channel/', {
    name: 'p',
    type: 1,
    key: 'k',
    models: 'gpt-4o',
    group: 'default',
    model_prefix: 'eu-',
  });
  const [channel] = await site.query<{ id: number }>('SELECT id FROM channels');
  await site.query(`UPDATE channels SET model_prefix = 'eu-'`);
  await log({ user: anna, model: 'eu-gpt-4o', prompt: 1000, completion: 500, quota: 1, channelId: channel?.id ?? 0 });
  expect(await run({})).toMatchObject({
    skipped: [],
    total: { calls: 1, usdAfter: usd(3750) },
    models: [{ modelName: 'eu-gpt-4o' }],
  });
});

it('reads every page once, and the newest calls where there are too many', async () => {
  // 4,500 rows are read in pages of 2,000. Many rows have the same second, and the first row has an hour of its own.
  await site.query(
    `INSERT INTO logs (created_at, type, user_id, model_name, "group", quota, prompt_tokens, completion_tokens, other)
     SELECT extract(epoch FROM now())::bigint - 60 - i / 1500, 2, $1, 'gpt-4o', 'default', 10, i, 0,
            CASE WHEN i = 3000 THEN 'not JSON' WHEN i = 1 THEN '{"context":"' || repeat('x', 20000) || '"}' ELSE '{}' END
       FROM generate_series(1, 4500) i`,
    [anna.id],
  );
  // The calls have 1 to 4,500 tokens, without the one of 3,000, at ratio 2: 2 x (4,500 x 4,501 / 2 - 3,000).
  expect(await run({ ModelRatio: { 'gpt-4o': 2 } })).toMatchObject({
    skipped: [{ reason: 'UNKNOWN_QUANTITIES', calls: 1 }],
    total: { calls: 4499, usdBefore: usd(44_990), usdAfter: usd(20_248_500) },
  });
  const bounded = new DryRunService({
    database: site.dataSource,
    options: { values: defaultOptionValues() },
    maxRows: 3000,
  });
  const actor = { id: root.id, username: 'root', role: 'root', status: 'enabled', group: 'default' } as const;
  const found = await bounded.run(actor, [], 7);
  expect([found.isComplete, found.total.calls + (found.skipped[0]?.calls ?? 0)]).toEqual([false, 3000]);
  expect(found.until - found.since).toBeLessThan(600_000);
});

it('reads rows with any text, and leaves out details that are long and no JSON', async () => {
  const calls = { user: anna, prompt: 1000, completion: 500, quota: 10 };
  const model = 'tab\tand \\ and "quote" and\nline 模型';
  await log({ ...calls, model, group: 'g\t\\N', other: { request_path: '/v1/"x"\\', cache_tokens: 400 } });
  await log({ ...calls, model, other: JSON.stringify({ cache_tokens: 400, text: ['a\n'] }, null, 2) });
  await log({ ...calls, model, other: { input_content: 'x"\n'.repeat(10_000), cache_tokens: 400 } });
  await log({ ...calls, model, other: `{"input_content":"${'x'.repeat(20_000)}` });
  await log({ ...calls, model, other: { cache_tokens: 400 } });
  // Each call costs 2 x (600 + 400 x 0.5 + 500) = 2,600, and twice as much in group g.
  expect(
    await run({ ModelRatio: { [model]: 2 }, CacheRatio: { [model]: 0.5 }, GroupRatio: { default: 1, 'g\t\\N': 2 } }),
  ).toMatchObject({
    skipped: [{ reason: 'UNKNOWN_QUANTITIES', calls: 1, usd: usd(10) }],
    total: { calls: 4, usdBefore: usd(40), usdAfter: usd(13_000) },
    models: [{ modelName: model, figures: { calls: 4 } }],
  });
});

it('reads on where Postgres refused long details', async () => {
  // There are 3,000 rows. Rows 500, 1,500 and 2,500 have a long text that is not JSON, and row 1,000 has a long text that is
  // valid.
  await site.query(
    `INSERT INTO logs (created_at, type, user_id, model_name, "group", quota, prompt_tokens, completion_tokens, other)
     SELECT extract(epoch FROM now())::bigint - 60 - i, 2, $1, 'gpt-4o', 'default', 10, i, 0,
            CASE WHEN i % 1000 = 500 THEN repeat('x', 20000) WHEN i = 1000 THEN '{"context":"' || repeat('x', 20000) || '"}' ELSE '{}' END
       FROM generate_series(1, 3000) i`,
    [anna.id],
  );
  expect(await run({ ModelRatio: { 'gpt-4o': 2 } })).toMatchObject({
    skipped: [{ reason: 'UNKNOWN_QUANTITIES', calls: 3 }],
    total: { calls: 2997, usdAfter: usd(2 * ((3000 * 3001) / 2 - 500 - 1500 - 2500)) },
  });
});

it('runs once at a time, and refuses what is no proposal', async () => {
  const actor = { id: root.id, username: 'root', role: 'root', status: 'enabled', group: 'default' } as const;
  const service = new DryRunService({ database: site.dataSource, options: { values: defaultOptionValues() } });
  const first = service.run(actor, [], 1);
  await expect(service.run(actor, [], 1)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect((await first).total.calls).toBe(0);
  expect((await service.run(actor, [], 1)).total.calls).toBe(0);
  for (const [settings, days] of [
    [[{ key: 'QuotaPerUnit', value: '1' }], 7],
    [[{ key: 'ModelRatio', value: '{"a":-1}' }], 7],
    [[{ key: 'PriceCards', value: '{"a":{"prices":{"input":-1}}}' }], 7],
    [[], 0],
    [[], 32],
  ] as const) {
    const { codes } = await site.graphql(root, document, { settings, days });
    expect(codes).toEqual(['INVALID_INPUT']);
  }
  const { codes } = await site.graphql(anna, document, { settings: [], days: 1 });
  expect(codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
});
