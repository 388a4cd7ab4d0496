import { Site, type Answer, type Person } from './site.js';

type WireCode = Record<string, unknown> & { id: number; key: string; status: number };

let site: Site;
let root: Person;
let admin: Person;

beforeAll(async () => {
  site = await Site.open({ DATABASE_POOL_SIZE: '10' });
  root = await site.setUp();
  admin = await site.invite(root, 'admin');
});
afterAll(() => site.stop());

const now = (): number => Math.floor(Date.now() / 1000);
const call = (method: string, path: string, body?: unknown): Promise<Answer> => site.rest(admin, method, path, body);

async function create(more: Record<string, unknown> = {}): Promise<string[]> {
  const body = { name: 'code', quota: 100_000, count: 1, is_gift: false, max_uses: -1, ...more };
  return (await site.expectSuccess(admin, 'POST', '/api/redemption/', body)).body.data as string[];
}

async function createOne(more: Record<string, unknown> = {}): Promise<WireCode> {
  const [key = ''] = await create(more);
  return byKey(key);
}

async function byKey(key: string): Promise<WireCode> {
  const { data } = await site.graphql(
    admin,
    'query ($keyword: String) { redemptions(filter: { keyword: $keyword }) { items { id } } }',
    { keyword: key },
  );
  const id = (data?.['redemptions'] as { items: Array<{ id: number }> }).items[0]?.id ?? 0;
  return (await site.expectSuccess(admin, 'GET', `/api/redemption/${id}`)).body.data as WireCode;
}

const redeem = (person: Person, key: unknown): Promise<Answer> => site.rest(person, 'POST', '/api/user/topup', { key });

const balance = async (person: Person): Promise<number> => {
  const [row] = await site.query<{ quota: string }>('SELECT quota FROM users WHERE id = $1', [person.id]);
  return Number(row?.quota);
};

const refused = (reason: string) => ({
  success: false,
  message: `Redemption failed, ${reason}`,
  code: 'INVALID_INPUT',
});

describe('creating', () => {
  it('answers the codes, 32 hex digits each, kept hashed and sealed only', async () => {
    const keys = await create({ count: 3, name: ' three ' });
    expect(keys).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/^[0-9a-f]{32}$/) as string));
    expect(await byKey(keys[0] ?? '')).toEqual({
      id: expect.any(Number) as number,
      user_id: admin.id,
      key: keys[0],
      status: 1,
      name: 'three',
      quota: 100_000,
      created_time: expect.any(Number) as number,
      redeemed_time: 0,
      valid_from: 0,
      valid_until: 0,
      count: 0,
      used_user_id: 0,
      is_gift: false,
      max_uses: -1,
      used_count: 0,
      DeletedAt: null,
    });
    const rows = await site.query('SELECT * FROM redemptions');
    expect(JSON.stringify(rows)).not.toContain(keys[0]);
  });

  it('takes a code of one’s own choosing, once and for all', async () => {
    expect(await create({ key: 'SUMMER 2026', count: 5 })).toEqual(['SUMMER 2026']);
    const again = { name: 'n', quota: 1, key: 'SUMMER 2026' };
    const taken = { success: false, message: 'Code already exists', code: 'CONFLICT' };
    expect((await call('POST', '/api/redemption/', again)).body).toEqual(taken);
    await site.expectSuccess(admin, 'DELETE', `/api/redemption/${(await byKey('SUMMER 2026')).id}/`);
    expect((await call('POST', '/api/redemption/', again)).body).toEqual(taken);
  });

  it('makes a gift that has no end of a maximum of zero', async () => {
    expect(await createOne({ is_gift: true, max_uses: 0 })).toMatchObject({ is_gift: true, max_uses: -1 });
  });

  it.each<[Record<string, unknown>, unknown]>([
    [{ name: ' ' }, 'Name length must be 1-20'],
    [{ name: undefined }, 'Name length must be 1-20'],
    [{ name: 'x'.repeat(21) }, 'Name length must be 1-20'],
    [{ name: 'a\u0000b' }, 'Name must not contain control characters'],
    [{ quota: 0 }, 'Quota must be a whole number from 1 to 9000000000000000'],
    [{ quota: -1 }, 'Quota must be a whole number from 1 to 9000000000000000'],
    [{ quota: 9_000_000_000_000_001 }, 'Quota must be a whole number from 1 to 9000000000000000'],
    [{ count: 0 }, 'Count must be above 0'],
    [{ count: -1 }, 'Count must be above 0'],
    [{ count: 10_001 }, 'Count must not exceed 10000'],
    [{ valid_from: 20, valid_until: 10 }, 'Start must be before end'],
    [{ valid_from: 10, valid_until: 10 }, 'Start must be before end'],
    [{ valid_until: -1 }, 'Invalid time'],
    [{ is_gift: true, max_uses: -2 }, 'Maximum uses must be above 0, or -1 for no limit'],
    [{ is_gift: true, max_uses: 3_000_000_000 }, 'Maximum uses must be above 0, or -1 for no limit'],
    [{ key: 'x'.repeat(129) }, 'A code has at most 128 characters, none of them control characters'],
    [{ quota: 1.5 }, expect.stringMatching(/^Invalid parameter/)],
    [{ quota: '5' }, expect.stringMatching(/^Invalid parameter/)],
    [{ is_gift: 'yes' }, expect.stringMatching(/^Invalid parameter/)],
  ])('refuses %j and makes nothing', async (more, message) => {
    const before = await site.query('SELECT count(*) FROM redemptions');
    const body = { name: 'n', quota: 1, count: 1, ...more };
    expect((await call('POST', '/api/redemption/', body)).body).toEqual({
      success: false,
      message,
      code: 'INVALID_INPUT',
    });
    expect(await site.query('SELECT count(*) FROM redemptions')).toEqual(before);
  });

  it('counts characters, not bytes, of a name', async () => {
    expect(await createOne({ name: '码'.repeat(20) })).toMatchObject({ name: '码'.repeat(20) });
  });
});

describe('listing', () => {
  it('starts at page 1, newest first, and finds by the beginning of a name or an id', async () => {
    await site.query('DELETE FROM redemptions');
    const first = await createOne({ name: 'spring a' });
    const second = await createOne({ name: 'spring b' });
    await createOne({ name: 'late spring' });
    const list = async (path: string) => (await site.expectSuccess(admin, 'GET', path)).body.data as ListData;
    type ListData = { items: WireCode[]; total: number; page: number; page_size: number };
    expect(await list('/api/redemption/?p=0&page_size=2')).toMatchObject({ total: 3, page: 1, page_size: 2 });
    expect((await list('/api/redemption?p=2&page_size=2')).items.map(({ id }) => id)).toEqual([first.id]);
    const found = await list('/api/redemption/search?keyword=spring&p=1&page_size=10');
    expect(found.items.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect((await list(`/api/redemption/search?keyword=${first.id}`)).items.map(({ id }) => id)).toEqual([first.id]);
    expect((await list('/api/redemption/search?keyword=%25')).total).toBe(0);
  });

  it('sorts and filters over GraphQL', async () => {
    const answer = await site.graphql(
      admin,
      `{ redemptions(pageSize: 2, sort: { field: BATCH, direction: ASC }, filter: { statuses: [UNUSED], kind: ONCE }) {
           totalCount items { batch key validFrom createdAt } pageInfo { hasNextPage } } }`,
    );
    expect(answer.data?.['redemptions']).toMatchObject({
      totalCount: 3,
      items: [{ batch: 'late spring' }, {}],
      pageInfo: { hasNextPage: true },
    });
    const found = async (filter: string): Promise<unknown> => {
      const { data, text } = await site.graphql(admin, `{ redemptions(filter: { ${filter} }) { items { batch } } }`);
      if (!data?.['redemptions']) throw new Error(text);
      return (data['redemptions'] as { items: Array<{ batch: string }> }).items.map(({ batch }) => batch);
    };
    expect(await found('batch: "late spring"')).toEqual(['late spring']);
    // The filter `batch` matches a whole name, and `keyword` matches the beginning of a name.
    expect(await found('batch: "late"')).toEqual([]);
    expect(await found('keyword: "late"')).toEqual(['late spring']);
    expect(await found('statuses: []')).toEqual([]);
    expect(await found('kind: GIFT')).toEqual([]);
    expect(await found('created: { calendar: YESTERDAY }')).toEqual([]);
    expect(await found('created: { from: "2020-01-01T00:00:00Z" }')).toHaveLength(3);
    const wrong = await site.graphql(admin, '{ redemptions(sort: { field: KEY_SEALED }) { totalCount } }');
    expect(wrong.codes).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  });
});

describe('changing', () => {
  it('edits an unused code, keeping what is absent', async () => {
    const { id, key } = await createOne({ valid_until: now() + 1000 });
    const answer = await call('PUT', '/api/redemption/', { id, name: 'new', quota: 5 });
    expect(answer.body).toMatchObject({ success: true, data: { id, key, name: 'new', quota: 5 } });
    expect((answer.body.data as WireCode)['valid_until']).toBeGreaterThan(0);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ name: '' }, 'Name length must be 1-20'],
    [{ name: ' ' }, 'Name length must be 1-20'],
    [{ name: 'x'.repeat(21) }, 'Name length must be 1-20'],
    [{ quota: 0 }, 'Quota must be a whole number from 1 to 9000000000000000'],
    [{ valid_from: 20, valid_until: 10 }, 'Start must be before end'],
    [{ valid_from: 10, valid_until: 10 }, 'Start must be before end'],
    // The new start or end is compared with the stored end or start.
    [{ valid_from: 4_000_000_000 }, 'Start must be before end'],
    [{ valid_until: 1_000 }, 'Start must be before end'],
    [{ valid_until: -1 }, 'Invalid time'],
  ])('refuses %j and keeps the code as it was', async (change, message) => {
    const code = await createOne({ valid_from: 1_000, valid_until: 4_000_000_000 });
    const answer = await call('PUT', '/api/redemption/', { id: code.id, ...change });
    expect(answer.body).toEqual({ success: false, message, code: 'INVALID_INPUT' });
    expect(await byKey(code.key)).toEqual(code);
  });

  it('lets a code be disabled and enabled, and a used one be neither, nor edited', async () => {
    const { id, key } = await createOne();
    const set = (status: number): Promise<Answer> => call('PUT', '/api/redemption/?status_only=true', { id, status });
    expect((await set(2)).body).toMatchObject({ data: { status: 2 } });
    expect((await call('PUT', '/api/redemption/', { id, name: 'x' })).body).toMatchObject({
      message: 'Only an unused code can be edited',
    });
    expect((await set(1)).body).toMatchObject({ data: { status: 1 } });
    expect((await set(3)).body).toMatchObject({ message: 'A code can be enabled (1) or disabled (2)' });
    await site.expectSuccess(await site.invite(root), 'POST', '/api/user/topup', { key });
    for (const status of [1, 2]) {
      expect((await set(status)).body).toMatchObject({ message: 'A used code cannot be enabled or disabled' });
    }
    expect((await call('PUT', '/api/redemption/', { id, quota: 7 })).body).toMatchObject({ success: false });
  });

  it('disables many, deletes by name and deletes the disabled', async () => {
    await site.query('DELETE FROM redemptions');
    await create({ name: 'bulk', count: 3 });
    const used = await createOne({ name: 'bulk' });
    await site.expectSuccess(await site.invite(root), 'POST', '/api/user/topup', { key: used.key });
    const [other = ''] = await create({ name: 'bulk 2' });
    const rows = await site.query<{ id: number }>(`SELECT id FROM redemptions WHERE name = 'bulk' ORDER BY id LIMIT 2`);
    const ids = rows.map(({ id }) => id);
    const disable = (body: unknown) => call('PUT', '/api/redemption/batch-disable', body);
    expect((await disable({ ids: [] })).body).toMatchObject({ message: 'ID list must not be empty' });
    expect((await disable({ ids: [...ids, used.id, 999_999, -1] })).body).toMatchObject({ data: 2 });
    const nameless = { success: false, message: 'Name must not be empty', code: 'INVALID_INPUT' };
    for (const query of ['', '?name=', '?name=%20']) {
      expect((await call('GET', `/api/redemption/count-by-name${query}`)).body).toEqual(nameless);
      expect((await call('DELETE', `/api/redemption/delete-by-name${query}`)).body).toEqual(nameless);
    }
    expect((await call('GET', '/api/redemption/count-by-name?name=bulk')).body).toMatchObject({ data: 4 });
    expect((await call('DELETE', '/api/redemption/delete-disabled')).body).toMatchObject({ data: 2 });
    expect((await call('DELETE', '/api/redemption/delete-by-name?name=bulk')).body).toMatchObject({ data: 2 });
    expect((await call('GET', '/api/redemption/')).body.data).toMatchObject({ total: 1, items: [{ key: other }] });
  });

  it('deletes more codes of a name than a statement can name, each with its entry in the audit', async () => {
    await site.query('DELETE FROM redemptions');
    await site.query('DELETE FROM audit_entries');
    await site.query(
      `INSERT INTO redemptions (user_id, key_hash, key_sealed, name, quota, created_at)
       SELECT 1, sha256(n::text::bytea), '', 'flood', 1, to_timestamp(0) FROM generate_series(1, 70000) n`,
    );
    const other = await createOne({ name: 'flood 2' });
    expect((await call('DELETE', '/api/redemption/delete-by-name?name=flood')).body).toMatchObject({ data: 70_000 });
    expect(await site.query('SELECT id FROM redemptions WHERE deleted_at IS NULL')).toEqual([{ id: other.id }]);
    const entries = `SELECT count(*)::int AS n, count(DISTINCT subject_id)::int AS codes FROM audit_entries`;
    expect(await site.query(`${entries} WHERE action = 'delete'`)).toEqual([{ n: 70_000, codes: 70_000 }]);
    expect(await site.query(`SELECT content FROM logs WHERE content LIKE '%flood:%'`)).toEqual([
      { content: 'Deleted the codes named flood: 70000' },
    ]);
  });

  it('tells an unknown id', async () => {
    const unknown = { success: false, message: 'Redemption code 999999 does not exist', code: 'NOT_FOUND' };
    expect((await call('GET', '/api/redemption/999999')).body).toEqual(unknown);
    expect((await call('DELETE', '/api/redemption/999999/')).body).toEqual(unknown);
    expect((await call('PUT', '/api/redemption/', { id: 999_999 })).body).toEqual(unknown);
    expect((await call('PUT', '/api/redemption/?status_only=1', { id: 999_999, status: 1 })).body).toEqual(unknown);
  });
});

describe('redeeming', () => {
  it('adds the quota, marks the code and writes a top-up row, in one transaction', async () => {
    const person = await site.invite(root);
    const { id, key } = await createOne();
    const answer = await redeem(person, ` ${key} `);
    expect(answer.body).toEqual({ success: true, message: '', data: { quota: 100_000, is_gift: false } });
    expect(await balance(person)).toBe(100_000);
    expect(await byKey(key)).toMatchObject({ status: 3, used_user_id: person.id, used_count: 0 });
    expect((await byKey(key))['redeemed_time']).toBeGreaterThan(0);
    const logs = await site.query('SELECT type, quota, content, username FROM logs WHERE user_id = $1', [person.id]);
    expect(logs).toContainEqual({
      type: 1,
      quota: '100000',
      username: person.username,
      content: `Top-up by code $0.200000 quota, code id ${id}`,
    });
    const entries = await site.query('SELECT source, kind, amount FROM ledger_entries WHERE user_id = $1', [person.id]);
    expect(entries).toContainEqual({ source: `redemption:${id}:${person.id}`, kind: 'redemption', amount: '100000' });
  });

  it('says what is wrong with a code', async () => {
    const person = await site.invite(root);
    const none = await redeem(person, '');
    expect(none.body).toEqual({ success: false, message: 'No redemption code provided', code: 'INVALID_INPUT' });
    expect((await redeem(person, 'x'.repeat(10_000))).body).toEqual(refused('Invalid redemption code'));
    expect((await redeem(person, 'nothing')).body).toEqual(refused('Invalid redemption code'));
    expect((await redeem(person, 5)).body).toMatchObject({ success: false, code: 'INVALID_INPUT' });
    const early = await createOne({ valid_from: now() + 1000 });
    expect((await redeem(person, early.key)).body).toEqual(refused('Code not yet valid'));
    const late = await createOne({ valid_until: now() - 1 });
    expect((await redeem(person, late.key)).body).toEqual(refused('Code expired'));
    const [gone, off] = [await createOne(), await createOne()];
    await site.expectSuccess(admin, 'DELETE', `/api/redemption/${gone.id}`);
    await site.expectSuccess(admin, 'PUT', '/api/redemption/batch-disable', { ids: [off.id] });
    expect((await redeem(person, gone.key)).body).toEqual(refused('Invalid redemption code'));
    expect((await redeem(person, off.key)).body).toEqual(refused('Invalid redemption code'));
    const used = await createOne();
    await site.expectSuccess(await site.invite(root), 'POST', '/api/user/topup', { key: used.key });
    expect((await redeem(person, used.key)).body).toEqual(refused('Code already used'));
    expect(await balance(person)).toBe(0);
  });

  describe('a window', () => {
    const [from, until] = [now() + 1_000, now() + 2_000];
    afterEach(() => void jest.restoreAllMocks());

    /** Redeems a code at a time of the test. The server runs in this process and uses its clock. */
    async function redeemAt(time: number, window: Record<string, unknown>): Promise<unknown> {
      const [person, { key }] = [await site.invite(root), await createOne(window)];
      jest.spyOn(Date, 'now').mockReturnValue(time);
      const { body } = await redeem(person, key);
      jest.restoreAllMocks();
      expect(await balance(person)).toBe(body['success'] === true ? 100_000 : 0);
      return body;
    }

    const window = { valid_from: from, valid_until: until };
    const redeemed = { success: true, message: '', data: { quota: 100_000, is_gift: false } };
    it.each<[string, number, Record<string, unknown>, unknown]>([
      ['not a moment before its first second', from * 1000 - 1, window, refused('Code not yet valid')],
      ['in its first second', from * 1000, window, redeemed],
      ['to the end of its last second', until * 1000 + 999, window, redeemed],
      ['not in the second after', (until + 1) * 1000, window, refused('Code expired')],
      ['that has no beginning, before it', from * 1000 - 1, { valid_until: until }, redeemed],
      ['that has no end, after it', (until + 1) * 1000, { valid_from: from }, redeemed],
    ])('is open %s', async (_name, time, given, answer) => {
      expect(await redeemAt(time, given)).toEqual(answer);
    });
  });

  it('gives a gift to many, once to each, until it is used up', async () => {
    const people = [await site.invite(root), await site.invite(root), await site.invite(root)] as const;
    const { key } = await createOne({ is_gift: true, max_uses: 2, quota: 7 });
    expect((await redeem(people[0], key)).body).toMatchObject({ data: { quota: 7, is_gift: true } });
    expect((await redeem(people[0], key)).body).toEqual(refused('You already used this gift code'));
    expect(await byKey(key)).toMatchObject({ status: 1, used_count: 1, used_user_id: 0, redeemed_time: 0 });
    expect((await redeem(people[1], key)).body).toMatchObject({ success: true });
    expect(await byKey(key)).toMatchObject({ status: 3, used_count: 2 });
    expect((await redeem(people[2], key)).body).toEqual(refused('Gift code reached its maximum uses'));
    expect(await Promise.all(people.map(balance))).toEqual([7, 7, 0]);
  });

  it('answers 429 to whoever tries codes without end', async () => {
    const person = await site.invite(root);
    let answer = await redeem(person, 'guess');
    for (let tries = 1; tries < 121; tries++) answer = await redeem(person, `guess ${tries}`);
    expect([answer.status, answer.body['code']]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  describe('over GraphQL', () => {
    const redeemed = `mutation ($key: String!) { redeem(input: { key: $key }) {
      ... on Redeemed { quota kind } ... on RedeemRefused { code message } } }`;
    const fields = 'id batch key status kind maxUses usedCount quota validUntil';
    type Code = Record<string, unknown> & { id: number; key: string };

    async function run(document: string, variables: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
      const { data, text } = await site.graphql(admin, document, variables);
      const [payload] = Object.values(data ?? {});
      if (!payload) throw new Error(text);
      return payload as Record<string, unknown>;
    }
    const make = async (input: Record<string, unknown>): Promise<Code[]> => {
      const document = `mutation ($input: CreateRedemptionsInput!) { createRedemptions(input: $input) { redemptions { ${fields} } } }`;
      return (await run(document, { input }))['redemptions'] as Code[];
    };
    const redeemBy = async (person: Person, key: string): Promise<unknown> =>
      (await site.graphql(person, redeemed, { key })).data?.['redeem'];

    it('creates, redeems and changes', async () => {
      const person = await site.invite(root);
      const [code] = await make({ batch: 'g', quota: 5, validUntil: '2100-01-01T00:00:00Z' });
      if (!code) throw new Error('no code');
      expect(code).toMatchObject({
        batch: 'g',
        status: 'UNUSED',
        kind: 'ONCE',
        maxUses: 1,
        usedCount: 0,
        quota: 5,
        validUntil: '2100-01-01T00:00:00.000Z',
      });
      // The stored end is the last valid second.
      expect((await byKey(code.key)).valid_until).toBe(Date.UTC(2100, 0, 1) / 1000 - 1);
      expect(await redeemBy(person, code.key)).toEqual({ quota: 5, kind: 'ONCE' });
      const used = await site.graphql(admin, `mutation { enableRedemption(id: ${code.id}) { redemption { id } } }`);
      expect(used.codes).toEqual(['INVALID_INPUT']);
      const next = await createOne({ valid_until: now() + 50 });
      const changed = await run(
        `mutation { updateRedemption(input: { id: ${next.id}, validUntil: null, quota: 9 }) { redemption { ${fields} } } }`,
      );
      expect(changed['redemption']).toMatchObject({ quota: 9, validUntil: null, batch: 'code' });
      for (const [mutation, status] of [
        ['disableRedemption', 'DISABLED'],
        ['enableRedemption', 'UNUSED'],
      ]) {
        expect(await run(`mutation { ${mutation}(id: ${next.id}) { redemption { status } } }`)).toEqual({
          redemption: { status },
        });
      }
    });

    it('rounds times up to the whole seconds of the REST API, to the end of the year 9999', async () => {
      const [code] = await make({
        batch: 'rounded',
        quota: 5,
        validFrom: '2100-01-01T00:00:00.001Z',
        validUntil: '9999-12-31T23:59:59.001Z',
      });
      const last = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;
      const second = Date.UTC(2100, 0, 1, 0, 0, 1) / 1000;
      expect(await byKey(code?.key ?? '')).toMatchObject({ valid_from: second, valid_until: last });
      expect(await createOne({ valid_until: last })).toMatchObject({ valid_from: 0, valid_until: last });
    });

    it.each([0, -1])('refuses %i uses of a gift code: null has no limit', async (maxUses) => {
      const input = `{ batch: "uses", quota: 5, kind: GIFT, maxUses: ${maxUses} }`;
      const { codes } = await site.graphql(
        admin,
        `mutation { createRedemptions(input: ${input}) { redemptions { id } } }`,
      );
      expect(codes).toEqual(['INVALID_INPUT']);
      const [code] = await make({ batch: 'uses', quota: 5, kind: 'GIFT', maxUses: null });
      expect(code).toMatchObject({ maxUses: null });
    });

    it('says why a code gives nothing', async () => {
      const [person, another] = [await site.invite(root), await site.invite(root)];
      const [gift, once, off] = await make({ batch: 'why', quota: 5, count: 3 });
      const [once2] = await make({ batch: 'gift', quota: 5, kind: 'GIFT', maxUses: 1 });
      const past = await createOne({ valid_until: now() - 5 });
      const future = await createOne({ valid_from: now() + 500 });
      const keys = [gift, once, off, once2].map((code) => code?.key ?? '');
      await run(`mutation { disableRedemption(id: ${off?.id}) { redemption { id } } }`);
      await redeemBy(person, keys[0] ?? '');
      await redeemBy(person, keys[3] ?? '');
      const codes = (key = ''): Promise<unknown> => redeemBy(another, key);
      expect(await codes('no such code')).toEqual({
        code: 'UNKNOWN',
        message: 'Redemption failed, Invalid redemption code',
      });
      expect(await codes(keys[0])).toMatchObject({ code: 'USED', message: 'Redemption failed, Code already used' });
      expect(await codes(keys[2])).toMatchObject({ code: 'DISABLED' });
      expect(await codes(keys[3])).toMatchObject({ code: 'USED_UP' });
      expect(await codes(past.key)).toMatchObject({ code: 'EXPIRED' });
      expect(await codes(future.key)).toMatchObject({ code: 'NOT_YET_VALID' });
      expect(await codes(keys[1])).toEqual({ quota: 5, kind: 'ONCE' });
      const [endless] = await make({ batch: 'all', quota: 1, kind: 'GIFT' });
      expect(await redeemBy(another, endless?.key ?? '')).toEqual({ quota: 1, kind: 'GIFT' });
      expect(await redeemBy(another, endless?.key ?? '')).toMatchObject({ code: 'USED_BY_YOU' });
      expect((await site.graphql(another, redeemed, { key: ' ' })).codes).toEqual(['INVALID_INPUT']);
    });

    it('has one use of a code that is no gift, redeemed here or before a move', async () => {
      await site.query('DELETE FROM redemptions');
      const [person, other] = [await site.invite(root), await site.invite(root)];
      const [here, moved, unknown] = await make({ batch: 'once', quota: 100, count: 3 });
      await redeemBy(person, here?.key ?? '');
      // Imported rows have no uses, and some do not name the user.
      await site.query(
        "UPDATE redemptions SET status = 'used', used_user_id = $2, redeemed_at = to_timestamp(1700000000) WHERE id = $1",
        [...[moved?.id, other.id]],
      );
      await site.query("UPDATE redemptions SET status = 'used', redeemed_at = to_timestamp(1700000000) WHERE id = $1", [
        unknown?.id,
      ]);
      const { data } = await site.graphql(
        root,
        `{ redemptions(sort: { field: ID, direction: ASC }) { sums { usedQuota }
             items { uses { totalCount items { user { id } quota } } } }
           redemptionBatches(names: ["once"]) { items { used quotaUsed } }
           user(id: ${person.id}) { redemptions { totalCount items { redemptionId } } } }`,
      );
      const use = (id: number) => ({ uses: { totalCount: 1, items: [{ user: { id }, quota: 100 }] } });
      expect(data).toEqual({
        redemptions: {
          sums: { usedQuota: 300 },
          items: [use(person.id), use(other.id), { uses: { totalCount: 0, items: [] } }],
        },
        redemptionBatches: { items: [{ used: 3, quotaUsed: 300 }] },
        user: { redemptions: { totalCount: 1, items: [{ redemptionId: here?.id }] } },
      });
    });

    it('adds up what codes gave and still can give, and lists who used them', async () => {
      await site.query('DELETE FROM redemptions');
      const people = [await site.invite(root), await site.invite(root), await site.invite(root)];
      const [a, , c] = await make({ batch: 'sum', quota: 100, count: 3 });
      const [gift] = await make({ batch: 'gift', quota: 10, kind: 'GIFT', maxUses: 5 });
      await make({ batch: 'gift', quota: 10, kind: 'GIFT' });
      await createOne({ name: 'past', quota: 1000, valid_until: now() - 5 });
      await run(`mutation { disableRedemption(id: ${c?.id}) { redemption { id } } }`);
      await redeemBy(people[0] as Person, a?.key ?? '');
      for (const person of people) await redeemBy(person, gift?.key ?? '');
      const sums = async (filter: string): Promise<unknown> =>
        (
          await run(
            `{ redemptions(filter: { ${filter} }) { sums { codes unusedQuota usedQuota usedUsd endlessGifts } } }`,
          )
        )['sums'];
      expect(await sums('batch: "sum"')).toEqual({
        codes: 3,
        unusedQuota: 100,
        usedQuota: 100,
        usedUsd: 0.0002,
        endlessGifts: 0,
      });
      expect(await sums('')).toEqual({ codes: 6, unusedQuota: 120, usedQuota: 130, usedUsd: 0.00026, endlessGifts: 1 });

      const uses = async (
        args: string,
      ): Promise<{ items: unknown[]; totalCount: number; pageInfo: { endCursor: string } }> =>
        (
          (
            await run(`{ redemptions(filter: { ids: [${gift?.id}] }) { items {
            usedCount uses(${args}) { totalCount items { userId quota } pageInfo { endCursor hasNextPage } } } } }`)
          )['items'] as [{ uses: never }]
        )[0].uses;
      const all = await uses('pageSize: 10');
      expect(all.totalCount).toBe(3);
      expect(all.items).toHaveLength(3);
      expect(all.items).toEqual(expect.arrayContaining(people.map(({ id }) => ({ userId: id, quota: 10 }))));
      const first = await uses('pageSize: 2');
      expect(first).toMatchObject({ items: all.items.slice(0, 2), pageInfo: { hasNextPage: true } });
      expect(await uses(`pageSize: 2, after: "${first.pageInfo.endCursor}"`)).toMatchObject({
        items: all.items.slice(2),
        pageInfo: { hasNextPage: false },
      });
    });

    it('creates the codes of one idempotency key once, and stores none in plain text', async () => {
      const once = async (idempotencyKey: string, quota = 7): Promise<{ keys: string[]; replayed: unknown }> => {
        const payload = await run(
          `mutation ($input: CreateRedemptionsInput!) { createRedemptions(input: $input) { replayed redemptions { key } } }`,
          { input: { batch: 'once', quota, count: 2, idempotencyKey } },
        );
        return { keys: (payload['redemptions'] as Code[]).map(({ key }) => key), replayed: payload['replayed'] };
      };
      const first = await once('k1');
      expect(first).toMatchObject({ replayed: false, keys: [expect.any(String), expect.any(String)] });
      const [again, together] = await Promise.all([once('k1'), once('k1')]);
      expect([again, together]).toEqual([
        { ...first, replayed: true },
        { ...first, replayed: true },
      ]);
      expect((await once('k2')).replayed).toBe(false);
      expect(await site.query(`SELECT count(*)::int AS n FROM redemptions WHERE name = 'once'`)).toEqual([{ n: 4 }]);
      await expect(once('k1', 8)).rejects.toThrow('CONFLICT');
      const stored = JSON.stringify(await site.query('SELECT * FROM idempotency_keys'));
      for (const key of first.keys) expect(stored).not.toContain(key);
    });

    it('disables many, and says which it left alone', async () => {
      const [a, b, used] = await make({ batch: 'many', quota: 1, count: 3 });
      await redeemBy(await site.invite(root), used?.key ?? '');
      const result = await run(`mutation { disableRedemptions(ids: [${[a?.id, b?.id, used?.id, 999_999].join(', ')}]) {
        done failed { id code message } } }`);
      expect(result).toEqual({
        done: [a?.id, b?.id],
        failed: [
          { id: used?.id, code: 'CONFLICT', message: expect.any(String) as string },
          { id: 999_999, code: 'NOT_FOUND', message: expect.any(String) as string },
        ],
      });
      expect(await run('mutation { deleteDisabledRedemptions { count } }')).toMatchObject({
        count: expect.any(Number) as number,
      });
      expect(await run('mutation { deleteRedemptionBatch(batch: "many") { count } }')).toEqual({ count: 1 });
    });
  });
});

describe('a large batch', () => {
  it('has ten thousand codes with an end, is exported at any time, and disabled and deleted by a filter', async () => {
    const until = now() + 86_400;
    const keys = await create({ name: 'large', count: 10_000, valid_until: until });
    expect(new Set(keys).size).toBe(10_000);
    const user = await site.invite(root);
    expect((await redeem(user, keys[9_999])).body).toMatchObject({ success: true });

    const exported = (query: string): Promise<Response> =>
      fetch(`${site.server.url}/api/redemption/export?${query}`, {
        headers: { cookie: admin.cookie, 'veloera-user': String(admin.id) },
      });
    const response = await exported('name=large');
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [header, ...lines] = (await response.text()).trimEnd().split('\r\n');
    const names = header?.split(',') ?? [];
    const rows = lines.map((line) => Object.fromEntries(line.split(',').map((cell, at) => [names[at] ?? '', cell])));
    expect(rows.map(({ code }) => code)).toEqual(keys);
    expect(rows.at(-1)).toEqual({
      id: expect.stringMatching(/^\d+$/) as string,
      name: 'large',
      code: keys[9_999],
      status: 'used',
      quota: '100000',
      kind: 'once',
      max_uses: '1',
      used_count: '1',
      created_at: expect.any(String) as string,
      valid_from: '',
      valid_until: new Date((until + 1) * 1000).toISOString(),
      redeemed_at: expect.any(String) as string,
      redeemed_by: String(user.id),
    });

    const other = await createOne({ name: 'other' });
    const run = async (operation: string) => {
      const { data } = await site.graphql(admin, `mutation { ${operation}(input: { batch: "large" }) { count } }`);
      return (data?.[operation] as { count: number }).count;
    };
    expect(await run('disableMatchingRedemptions')).toBe(9_999);
    expect((await redeem(user, keys[0])).body).toEqual(refused('Invalid redemption code'));
    expect(await run('disableMatchingRedemptions')).toBe(0);
    const used = await exported('name=large&status=3');
    expect((await used.text()).trimEnd().split('\r\n')).toHaveLength(2);
    expect(await run('deleteMatchingRedemptions')).toBe(10_000);
    expect((await byKey(other.key)).status).toBe(1);
    const ids = await site.query<{ id: string }>("SELECT id::text FROM redemptions WHERE name = 'large'");
    const audited = await site.query(
      `SELECT action, count(*)::int AS n FROM audit_entries
        WHERE subject = 'redemption' AND subject_id = ANY($1) GROUP BY action ORDER BY action`,
      [ids.map(({ id }) => id)],
    );
    expect(audited).toEqual([
      { action: 'create', n: 10_000 },
      { action: 'delete', n: 10_000 },
      { action: 'update', n: 9_999 },
    ]);
  });
});

describe('the rebate', () => {
  afterEach(() => site.expectSuccess(root, 'PUT', '/api/option/', { key: 'RebateEnabled', value: 'false' }));

  it('gives the inviter his share, rounded down, and tells both', async () => {
    const [inviter, payer] = [await site.invite(root), await site.invite(root)];
    await site.query('UPDATE users SET inviter_id = $1 WHERE id = $2', [inviter.id, payer.id]);
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'RebatePercentage', value: '10' });
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'RebateEnabled', value: 'true' });
    const { key } = await createOne({ quota: 99 });
    await redeem(payer, key);
    expect([await balance(payer), await balance(inviter)]).toEqual([99, 9]);
    const rows = (who: Person) => site.query('SELECT type, quota FROM logs WHERE user_id = $1 AND type = 4', [who.id]);
    expect([await rows(inviter), await rows(payer)]).toEqual([[{ type: 4, quota: '9' }], [{ type: 4, quota: '0' }]]);
  });

  it.each([
    ['banned', (id: number) => site.expectSuccess(root, 'POST', '/api/user/manage', { id, action: 'disable' })],
    ['deleted', (id: number) => site.expectSuccess(root, 'POST', '/api/user/manage', { id, action: 'delete' })],
  ])('is not given to an inviter who is %s, and the payer gets the whole code', async (_state, end) => {
    const [inviter, payer] = [await site.invite(root), await site.invite(root)];
    await site.query('UPDATE users SET inviter_id = $1 WHERE id = $2', [inviter.id, payer.id]);
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'RebatePercentage', value: '10' });
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'RebateEnabled', value: 'true' });
    await end(inviter.id);
    const { key } = await createOne({ quota: 99 });
    expect((await redeem(payer, key)).body['success']).toBe(true);
    expect([await balance(payer), await balance(inviter)]).toEqual([99, 0]);
    const entries = await site.query(`SELECT 1 FROM ledger_entries WHERE kind = 'rebate' AND user_id = $1`, [
      inviter.id,
    ]);
    expect(entries).toEqual([]);
    const rows = await site.query(`SELECT 1 FROM logs WHERE content ILIKE '%rebate%' AND user_id = ANY ($1)`, [
      [inviter.id, payer.id],
    ]);
    expect(rows).toEqual([]);
  });
});
