import { BudgetNotices } from '../../server/src/console/budgets/budget-notices.js';
import { BudgetRefusals } from '../../server/src/billing/budgets/budget-refusals.js';
import { Budget } from '../../server/src/billing/budgets/budget.entity.js';
import type { Notice } from '../../server/src/console/notifications/delivery.js';
import { Site, type Person } from './site.js';

/** Tests of budgets over REST and as CSV, and of their notices. `budgets.test.ts` tests GraphQL. */
let site: Site;
let root: Person;
let owner: Person;
let other: Person;
let tokenId: number;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  owner = await site.invite(root);
  other = await site.invite(root);
  const token = { name: 'dev', expired_time: -1, remain_quota: 500_000, unlimited_quota: false };
  const made = await site.expectSuccess(owner, 'POST', '/api/token/', token);
  tokenId = (made.body.data as { id: number }).id;
});
afterAll(() => site.stop());
beforeEach(async () => {
  await site.query('DELETE FROM budgets');
  await site.query('DELETE FROM budget_windows');
});

const tokenBudget = () => ({ level: 'token', subject_id: tokenId, kind: 'money', amount: 500_000, window: 'day' });

async function created(person: Person, body: object): Promise<Record<string, unknown> & { id: number }> {
  const { body: answer } = await site.expectSuccess(person, 'POST', '/api/budget/', body);
  return answer.data as Record<string, unknown> & { id: number };
}

it('creates, reads, changes and deletes a budget', async () => {
  const before = Math.floor(Date.now() / 1000);
  const budget = await created(owner, tokenBudget());
  const midnight = before - (before % 86_400);
  expect(budget).toEqual({
    id: budget.id,
    level: 'token',
    subject_id: tokenId,
    group: '',
    subject: 'dev',
    kind: 'money',
    amount: 500_000,
    window: 'day',
    rolling: false,
    time_zone: 'UTC',
    starts_at: 0,
    ends_at: 0,
    models: [],
    enabled: true,
    by_admin: false,
    used: 0,
    held: 0,
    window_start: midnight,
    resets_at: midnight + 86_400,
    created_time: expect.any(Number) as number,
  });
  await site.query('INSERT INTO budget_windows (budget_id, started_at, used, held) VALUES ($1, $2, 7, 3)', [
    ...[budget.id, midnight],
  ]);
  const changed = await site.expectSuccess(owner, 'PUT', '/api/budget/', {
    id: budget.id,
    amount: 9,
    models: ['gpt-*'],
    enabled: false,
  });
  expect(changed.body.data).toEqual({
    ...budget,
    amount: 9,
    models: ['gpt-*'],
    enabled: false,
    used: 7,
    held: 3,
  });
  expect((await site.expectSuccess(owner, 'GET', `/api/budget/${budget.id}`)).body.data).toEqual(changed.body.data);
  await site.expectSuccess(owner, 'DELETE', `/api/budget/${budget.id}`);
  expect((await site.rest(owner, 'GET', `/api/budget/${budget.id}`)).body).toMatchObject({ code: 'NOT_FOUND' });
  expect(await site.query('SELECT 1 FROM budget_windows')).toEqual([]);
});

it('lists by level, subject and group, in pages', async () => {
  const ofToken = await created(owner, tokenBudget());
  const ofUser = await created(root, {
    level: 'user',
    subject_id: owner.id,
    kind: 'tokens',
    amount: 5,
    window: 'month',
  });
  const ofGroup = await created(root, { level: 'group', group: 'vip', kind: 'requests', amount: 5, window: '5h' });
  const list = async (person: Person, query: string): Promise<number[]> => {
    const { body } = await site.expectSuccess(person, 'GET', `/api/budget/?${query}`);
    return (body.data as { items: Array<{ id: number }> }).items.map(({ id }) => id);
  };
  expect(await list(root, '')).toEqual([ofGroup.id, ofUser.id, ofToken.id]);
  expect(await list(root, 'p=2&page_size=2')).toEqual([ofToken.id]);
  expect(await list(root, 'level=group')).toEqual([ofGroup.id]);
  expect(await list(root, 'group=vip')).toEqual([ofGroup.id]);
  expect(await list(root, `level=user&subject_id=${owner.id}`)).toEqual([ofUser.id]);
  expect(await list(owner, '')).toEqual([ofUser.id, ofToken.id]);
  expect(await list(other, '')).toEqual([]);
});

it('limits per minute show what is counted in the last 60 seconds', async () => {
  const body = { level: 'token', subject_id: tokenId, kind: 'requests', amount: 60, window: 'minute' };
  const before = Math.floor(Date.now() / 1000);
  const budget = await created(owner, body);
  // The window slides, so there is no reset.
  expect(budget).toMatchObject({ window: 'minute', rolling: false, used: 0, held: 0, resets_at: 0 });
  expect(budget['window_start']).toBeGreaterThanOrEqual(before - 60);
  expect(budget['window_start']).toBeLessThanOrEqual(Math.floor(Date.now() / 1000) - 60);
});

it.each<[string, object, string]>([
  ['an unknown level', { level: 'planet', kind: 'money', amount: 1, window: 'day' }, 'INVALID_INPUT'],
  ['no amount', { level: 'site', kind: 'money', window: 'day' }, 'INVALID_INPUT'],
  ['an amount below 0', { level: 'site', kind: 'money', amount: -1, window: 'day' }, 'INVALID_INPUT'],
  [
    'an unknown time zone',
    { level: 'site', kind: 'money', amount: 1, window: 'day', time_zone: 'Mars' },
    'INVALID_INPUT',
  ],
  ['money per minute', { level: 'site', kind: 'money', amount: 1, window: 'minute' }, 'INVALID_INPUT'],
  ['a rolling minute', { level: 'site', kind: 'tokens', amount: 1, window: 'minute', rolling: true }, 'INVALID_INPUT'],
  [
    'a minute of a channel',
    { level: 'channel', subject_id: 1, kind: 'tokens', amount: 1, window: 'minute' },
    'INVALID_INPUT',
  ],
  ['an unknown user', { level: 'user', subject_id: 999_999, kind: 'money', amount: 1, window: 'day' }, 'NOT_FOUND'],
])('refuses %s', async (_, body, code) => {
  expect((await site.rest(root, 'POST', '/api/budget/', body)).body).toMatchObject({ success: false, code });
});

it('keeps what an admin set from the owner of the key, and other levels and keys from users', async () => {
  const { id } = await created(root, tokenBudget());
  const refused = { success: false, code: 'INSUFFICIENT_PRIVILEGES' };
  expect((await site.rest(owner, 'PUT', '/api/budget/', { id, enabled: false })).body).toMatchObject(refused);
  expect((await site.rest(owner, 'DELETE', `/api/budget/${id}`)).body).toMatchObject(refused);
  const ofUser = { level: 'user', subject_id: owner.id, kind: 'money', amount: 1, window: 'day' };
  expect((await site.rest(owner, 'POST', '/api/budget/', ofUser)).body).toMatchObject(refused);
  expect((await site.rest(other, 'POST', '/api/budget/', tokenBudget())).body).toMatchObject({ code: 'NOT_FOUND' });
  expect((await site.rest(other, 'GET', `/api/budget/${id}`)).body).toMatchObject({ code: 'NOT_FOUND' });
});

it('exports budgets as CSV: admins all, users their own', async () => {
  const { id } = await created(owner, { ...tokenBudget(), models: ['gpt-4*', 'o3'], time_zone: 'Asia/Shanghai' });
  await created(root, {
    level: 'site',
    kind: 'requests',
    amount: 5,
    window: 'fixed',
    starts_at: 4_000_000_000,
    ends_at: 4_000_003_600,
  });
  const lines = async (person: Person, query = ''): Promise<string[]> => {
    const response = await fetch(`${site.server.url}/api/budget/export${query}`, {
      headers: { cookie: person.cookie, 'veloera-user': String(person.id) },
    });
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="budgets.csv"');
    return (await response.text()).split('\r\n').slice(0, -1);
  };
  const all = await lines(root);
  expect(all).toHaveLength(3);
  expect(all[0]).toBe(
    'id,level,subject_id,subject,kind,amount,window,rolling,time_zone,starts_at,ends_at,models,enabled,by_admin,window_start,resets_at,used,held',
  );
  // Midnight in Shanghai is 16:00 UTC.
  expect(all[1]).toMatch(
    new RegExp(
      `^${id},token,${tokenId},dev,money,500000,day,false,Asia/Shanghai,,,gpt-4\\* o3,true,false,[\\d-]+T16:00:00.000Z,[\\d-]+T16:00:00.000Z,0,0$`,
    ),
  );
  expect(all[2]).toMatch(
    /^\d+,site,,,requests,5,fixed,false,UTC,2096-10-02T07:06:40.000Z,2096-10-02T08:06:40.000Z,,true,true,,,0,0$/,
  );
  expect(await lines(root, '?level=site')).toEqual([all[0], all[2]]);
  expect(await lines(owner)).toEqual([all[0], all[1]]);
  expect(await lines(other)).toEqual([all[0]]);
});

describe('notices', () => {
  let now = Date.UTC(2026, 2, 28, 12);
  const sent: Array<readonly [receiver: number | 'root', notice: Notice]> = [];
  let node: BudgetNotices;
  let second: BudgetNotices;

  beforeAll(() => {
    const database = site.server.dataSource;
    [node, second] = [1, 2].map(
      () =>
        new BudgetNotices({
          database,
          budgets: database.getRepository(Budget),
          clock: { now: () => now },
          notices: {
            notifyUser: (userId, notice) => void sent.push([userId, notice]),
            notifyRoot: (notice) => void sent.push(['root', notice]),
          },
          options: { values: { QuotaPerUnit: 500_000, DisplayInCurrencyEnabled: true } },
          refusals: new BudgetRefusals(),
          logger: {
            warn: ({ err }: { err?: unknown }) => {
              throw err;
            },
          },
        }),
    ) as [BudgetNotices, BudgetNotices];
  });
  beforeEach(() => {
    sent.length = 0;
    now = Date.UTC(2026, 2, 28, 12);
  });

  /** Runs the check for notices on both nodes at the same time. */
  const noticesOfRun = async (): Promise<Array<readonly [number | 'root', string]>> => {
    sent.length = 0;
    await Promise.all([node.run(), second.run()]);
    return sent.map(([receiver, { type }]) => [receiver, type] as const);
  };
  const use = (id: number, at: number, used: number) =>
    site.query(
      `INSERT INTO budget_windows (budget_id, started_at, used) VALUES ($1, $2, $3)
       ON CONFLICT (budget_id, started_at) DO UPDATE SET used = excluded.used`,
      [id, at / 1000, used],
    );
  const midnight = Date.UTC(2026, 2, 28);

  it('come at 80 and 100 percent of a window of a running plan', async () => {
    const [plan] = await site.query<{ id: number }>(
      `INSERT INTO plans (name, price, period_unit, period_count, windows, overflow)
       VALUES ('Coder', 0, 'month', 1, '[]', 'stop') RETURNING id`,
    );
    const [sold] = await site.query<{ id: number }>(
      `INSERT INTO subscriptions (account_id, plan_id, terms, state, starts_at, ends_at, origin, paid)
       VALUES ($1, $2, '{"name": "Coder"}', 'active', '2026-03-28', '2026-04-28', 'grant', 0) RETURNING id`,
      [owner.id, plan!.id],
    );
    const [window] = await site.query<{ id: number }>(
      `INSERT INTO budgets (level, subject_id, kind, amount, span, starts_at, ends_at, created_by, by_admin)
       VALUES ('plan', $1, 'requests', 10, 'day', '2026-03-28', '2026-04-28', 1, true) RETURNING id`,
      [sold!.id],
    );
    const { id } = window!;
    await use(id, midnight, 7);
    expect(await noticesOfRun()).toEqual([]);
    await use(id, midnight, 8);
    expect(await noticesOfRun()).toEqual([[owner.id, `budget_${id}_80`]]);
    expect(sent[0]?.[1].values).toEqual(['the plan Coder', '8 requests', '10 requests']);
    await use(id, midnight, 10);
    expect(await noticesOfRun()).toEqual([[owner.id, `budget_${id}_100`]]);
    await site.query(`UPDATE subscriptions SET state = 'ended' WHERE id = $1`, [sold!.id]);
    now += 86_400_000;
    await use(id, now, 10);
    expect(await noticesOfRun()).toEqual([]);
  });

  it('come once for each percentage of a window, from one of two nodes, and again in the next window', async () => {
    const { id } = await created(owner, tokenBudget());
    await use(id, midnight, 249_999);
    expect(await noticesOfRun()).toEqual([]);
    await use(id, midnight, 250_000);
    expect(await noticesOfRun()).toEqual([[owner.id, `budget_${id}_50`]]);
    expect(sent[0]?.[1]).toEqual({
      type: `budget_${id}_50`,
      title: '50% of a budget is used',
      content: '50% of the budget of {{value}} is used: {{value}} of {{value}}. It resets at 2026-03-29T00:00:00.000Z.',
      values: ['the token dev', '$0.500000 quota', '$1.000000 quota'],
    });
    expect(await noticesOfRun()).toEqual([]);
    await use(id, midnight, 399_999);
    expect(await noticesOfRun()).toEqual([]);
    await use(id, midnight, 400_000);
    expect(await noticesOfRun()).toEqual([[owner.id, `budget_${id}_80`]]);
    await use(id, midnight, 500_000);
    expect(await noticesOfRun()).toEqual([[owner.id, `budget_${id}_100`]]);
    expect(sent[0]?.[1].title).toBe('A budget is used up');
    await use(id, midnight, 600_000);
    expect(await noticesOfRun()).toEqual([]);
    now = Date.UTC(2026, 2, 29);
    expect(await noticesOfRun()).toEqual([]);
    await use(id, now, 450_000);
    // Only the higher one of the thresholds 50 and 80 percent is reported.
    expect(await noticesOfRun()).toEqual([[owner.id, `budget_${id}_80`]]);
  });

  it('of a rolling budget come again when the last one has left the window', async () => {
    const { id } = await created(owner, { ...tokenBudget(), window: '5h', rolling: true });
    await use(id, now, 500_000);
    expect(await noticesOfRun()).toEqual([[owner.id, `budget_${id}_100`]]);
    now += 4 * 3_600_000;
    await use(id, now, 500_000);
    expect(await noticesOfRun()).toEqual([]);
    now += 3_600_000 + 300_000;
    await use(id, now, 500_000);
    expect(await noticesOfRun()).toEqual([[owner.id, `budget_${id}_100`]]);
  });

  it('go to the user, and to root for groups, channels and the site; none for budgets that do not count', async () => {
    const rest = { kind: 'requests', amount: 10, window: 'day' };
    const ofUser = await created(root, { ...rest, level: 'user', subject_id: owner.id });
    const ofGroup = await created(root, { ...rest, level: 'group', group: 'vip' });
    const ofSite = await created(root, { ...rest, level: 'site' });
    const off = await created(root, { ...rest, level: 'site', enabled: false });
    const refusing = await created(root, { ...rest, level: 'site', amount: 0 });
    for (const { id } of [ofUser, ofGroup, ofSite, off, refusing]) await use(id, midnight, 5);
    expect((await noticesOfRun()).sort()).toEqual(
      [
        [owner.id, `budget_${ofUser.id}_50`],
        ['root', `budget_${ofGroup.id}_50`],
        ['root', `budget_${ofSite.id}_50`],
      ].sort(),
    );
    expect(sent.map(([, { values }]) => values).sort()).toEqual([
      ['the group vip', '5 requests', '10 requests'],
      ['the site', '5 requests', '10 requests'],
      ['your account', '5 requests', '10 requests'],
    ]);
  });
});
