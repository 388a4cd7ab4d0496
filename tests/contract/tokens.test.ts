import { Site, type Answer, type Person } from './site.js';

type WireToken = Record<string, unknown> & { id: number; key: string; status: number };

let site: Site;
let root: Person;
let owner: Person;
let other: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  owner = await site.invite(root);
  other = await site.invite(root);
});
afterAll(() => site.stop());
beforeEach(() => site.query('DELETE FROM tokens'));

const call = (method: string, path: string, body?: unknown): Promise<Answer> => site.rest(owner, method, path, body);
const now = (): number => Math.floor(Date.now() / 1000);

async function create(more: Record<string, unknown> = {}, person = owner): Promise<WireToken> {
  const body = { name: 'dev', expired_time: -1, remain_quota: 500_000, unlimited_quota: false, ...more };
  return (await site.expectSuccess(person, 'POST', '/api/token/', body)).body.data as WireToken;
}

/** The complete token, as old clients send it. */
const put = (token: WireToken, change: Record<string, unknown>): Promise<Answer> =>
  call('PUT', '/api/token/', { ...token, ...change });

describe('creating', () => {
  it('answers the token with its 48-character key, which is kept hashed and sealed only', async () => {
    const token = await create();
    expect(token).toEqual({
      id: expect.any(Number) as number,
      user_id: owner.id,
      member_id: 0,
      project_id: 0,
      key: expect.stringMatching(/^[0-9a-zA-Z]{48}$/) as string,
      status: 1,
      name: 'dev',
      created_time: expect.any(Number) as number,
      accessed_time: expect.any(Number) as number,
      expired_time: -1,
      remain_quota: 500_000,
      ungranted_quota: 0,
      unlimited_quota: false,
      model_limits_enabled: false,
      model_limits: '',
      allow_ips: '',
      used_quota: 0,
      group: '',
      fallback_groups: '',
      fallback_models: '',
      rate_limit_enabled: false,
      rate_limit_period: 60,
      rate_limit_count: 1000,
      rate_limit_success: 10,
      scopes: 'relay,usage',
      previous_key_until: 0,
      DeletedAt: null,
    });
    const [row] = await site.query('SELECT * FROM tokens');
    expect(JSON.stringify(row)).not.toContain(token.key);
    expect(row).toMatchObject({ key_prefix: token.key.slice(0, 6) });
  });

  it('posts the quota as the opening entry of the token', async () => {
    const { id } = await create({ remain_quota: 1234 });
    expect(
      await site.query('SELECT source, kind, amount, user_id FROM ledger_entries WHERE token_id = $1', [id]),
    ).toEqual([{ source: `token:${id}:opening`, kind: 'token_limit', amount: '1234', user_id: owner.id }]);
  });

  it('normalises lists and takes an expiry of zero for never', async () => {
    const token = await create({
      name: ' n ',
      expired_time: 0,
      model_limits_enabled: true,
      model_limits: ' gpt-4o ,o1,, gpt-4o',
      allow_ips: '10.0.0.0/8, 2001:db8::/32\n\n 127.0.0.1 \n127.0.0.1',
      group: 'vip',
    });
    expect(token).toMatchObject({
      name: 'n',
      expired_time: -1,
      model_limits: 'gpt-4o,o1',
      allow_ips: '10.0.0.0/8\n2001:db8::/32\n127.0.0.1',
      group: 'vip',
    });
  });

  const past = 1_600_000_000;
  it.each<[Record<string, unknown>, unknown]>([
    [{ name: ' ' }, 'Token name must not be empty'],
    [{ name: undefined }, 'Token name must not be empty'],
    [{ name: 'x'.repeat(31) }, 'Token name too long'],
    [{ expired_time: past }, 'The expiry time must be -1 (never) or in the future'],
    [{ expired_time: -2 }, 'The expiry time must be -1 (never) or in the future'],
    [{ remain_quota: -1 }, 'The quota must be a whole number from 0 to 9000000000000000'],
    [{ remain_quota: 9_000_000_000_000_001 }, 'The quota must be a whole number from 0 to 9000000000000000'],
    [{ group: 'svip' }, 'You cannot use this group'],
    [{ group: 'constructor' }, 'You cannot use this group'],
    ...['localhost', '10.0.0.0/33', '::1/129', '1.2.3', '10.0.0.1/', '10.0.0.1/8/8', 'fe80::1%eth0'].map(
      (address): [Record<string, unknown>, unknown] => [
        { allow_ips: address },
        'Allowed addresses must be IP addresses or CIDR ranges, one per line',
      ],
    ),
    [{ remain_quota: 1.5 }, expect.stringMatching(/^Invalid parameter/)],
    [{ remain_quota: '5' }, expect.stringMatching(/^Invalid parameter/)],
    [{ unlimited_quota: 1 }, expect.stringMatching(/^Invalid parameter/)],
    [{ remain_quota: 1e300 }, expect.stringMatching(/^Invalid parameter/)],
  ])('refuses %j', async (more, message) => {
    const body = { name: 'dev', expired_time: -1, remain_quota: 1, ...more };
    expect((await call('POST', '/api/token/', body)).body).toEqual({ success: false, message, code: 'INVALID_INPUT' });
    expect(await site.query('SELECT 1 FROM tokens')).toEqual([]);
  });

  it.each(['{"name":', 'name=dev', '', '"dev"', '[]', 'null'])('refuses the body %j', async (text) => {
    const { status, body } = await call('POST', '/api/token/', text);
    expect([status, body]).toEqual([
      200,
      { success: false, message: expect.stringMatching(/^Invalid parameter/) as string, code: 'INVALID_INPUT' },
    ]);
    expect(await site.query('SELECT 1 FROM tokens')).toEqual([]);
  });

  it('counts characters, not bytes, of a name', async () => {
    expect(await create({ name: '名'.repeat(30) })).toMatchObject({ name: '名'.repeat(30) });
  });

  it('lets a user use the group he is in', async () => {
    await site.expectSuccess(root, 'PUT', '/api/user/', { id: other.id, username: other.username, group: 'svip' });
    expect(await create({ group: 'svip' }, other)).toMatchObject({ group: 'svip' });
  });

  it('ends at a thousand, also when asked at once', async () => {
    await site.query(
      `INSERT INTO tokens (user_id, key_hash, key_prefix, key_sealed)
       SELECT $1, sha256(n::text::bytea), '', '' FROM generate_series(1, 998) n`,
      [owner.id],
    );
    const body = { name: 'dev', unlimited_quota: true };
    const answers = await Promise.all(Array.from({ length: 4 }, () => call('POST', '/api/token/', body)));
    expect(answers.filter((answer) => answer.body['success'] === true)).toHaveLength(2);
    expect(await site.query('SELECT count(*)::int AS n FROM tokens')).toEqual([{ n: 1000 }]);
  });
});

describe('listing', () => {
  it('is a bare array from page 0, newest first, with whole keys, own tokens only', async () => {
    const made = [await create({ name: 'a' }), await create({ name: 'b' }), await create({ name: 'c' })];
    await create({ name: 'foreign' }, other);
    const all = (await call('GET', '/api/token')).body.data as WireToken[];
    expect(all.map(({ name }) => name)).toEqual(['c', 'b', 'a']);
    expect(all.map(({ key }) => key)).toEqual(made.map(({ key }) => key).reverse());
    const page = async (query: string): Promise<unknown[]> =>
      ((await call('GET', `/api/token/?${query}`)).body.data as WireToken[]).map(({ name }) => name);
    expect(await page('p=1&size=2')).toEqual(['a']);
    expect(await page('p=2&size=2')).toEqual([]);
    expect(await page('p=&size=NaN')).toEqual(['c', 'b', 'a']);
    expect(await page('p=-1&size=100000')).toEqual(['c', 'b', 'a']);
  });

  it('is searched by a part of the name and of the key', async () => {
    const first = await create({ name: 'Alpha_x' });
    await create({ name: 'beta' });
    const names = async (query: string): Promise<unknown[]> =>
      ((await call('GET', `/api/token/search?${query}`)).body.data as WireToken[]).map(({ name }) => name);
    expect(await names('keyword=alpha')).toEqual(['Alpha_x']);
    expect(await names('keyword=%25')).toEqual([]);
    expect(await names('keyword=')).toEqual(['beta', 'Alpha_x']);
    expect(await names(`token=${first.key.slice(20, 40)}`)).toEqual(['Alpha_x']);
    expect(await names(`token=sk-${first.key}&keyword=a`)).toEqual(['Alpha_x']);
    expect(await names(`token=sk-${first.key}&keyword=b`)).toEqual([]);
  });

  it('shows one own token', async () => {
    const token = await create();
    expect((await call('GET', `/api/token/${token.id}`)).body).toEqual({ success: true, message: '', data: token });
    const foreign = await create({}, other);
    for (const id of [foreign.id, 0, 999_999]) {
      expect((await call('GET', `/api/token/${id}`)).body).toMatchObject({ success: false, code: 'NOT_FOUND' });
    }
    expect((await call('GET', '/api/token/x')).status).toBe(404);
  });
});

describe('changing', () => {
  it('refuses a quota beside which that of calls in flight does not fit, over REST and GraphQL', async () => {
    const [most, token] = [9_000_000_000_000_000, await create()];
    await site.query(
      `INSERT INTO reservations (request_id, node_id, user_id, token_id, amount) VALUES ('in flight', 'n', $1, $2, 400)`,
      [owner.id, token.id],
    );
    const set = (quota: number) =>
      site.graphql(owner, `mutation { updateToken(input: { id: ${token.id}, quota: ${quota} }) { token { id } } }`);
    expect((await put(token, { remain_quota: most })).body).toMatchObject({ success: false, code: 'INVALID_INPUT' });
    expect((await set(most)).codes).toEqual(['INVALID_INPUT']);
    expect((await set(most - 400)).codes).toEqual([]);
    await site.query(`DELETE FROM reservations WHERE request_id = 'in flight'`);
    expect((await set(most)).codes).toEqual([]);
  });

  it('writes the whole token but its status', async () => {
    const token = await create();
    const change = { name: 'new', remain_quota: 7, model_limits: 'o1', model_limits_enabled: true, status: 2 };
    const answer = await put(token, change);
    expect(answer.body).toEqual({ success: true, message: '', data: { ...token, ...change, status: 1 } });
  });

  it('moves quota by the difference, so that nothing spent meanwhile is lost', async () => {
    const token = await create({ remain_quota: 1000 });
    await put(token, { remain_quota: 1500 });
    await put(token, { remain_quota: 100 });
    const sums = await site.query(
      'SELECT sum(amount)::int AS sum, count(*)::int AS n FROM ledger_entries WHERE token_id = $1',
      [token.id],
    );
    expect(sums).toEqual([{ sum: 100, n: 3 }]);
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((remain) => put(token, { remain_quota: remain })));
    expect(answers.every((answer) => answer.body['success'] === true)).toBe(true);
    expect(
      await site.query(
        `SELECT (SELECT sum(amount) FROM ledger_entries WHERE token_id = tokens.id) = remain_quota AS same FROM tokens
          WHERE id = $1`,
        [token.id],
      ),
    ).toEqual([{ same: true }]);
  });

  it('keeps what was spent since a form was loaded, however often the form is saved', async () => {
    const token = await create({ remain_quota: 1000 });
    const remain = async (form: Record<string, unknown>): Promise<number> => {
      const { body } = await call('PUT', '/api/token/', { ...loaded, ...form });
      if (body['success'] !== true) throw new Error(JSON.stringify(body));
      return (body.data as WireToken & { remain_quota: number }).remain_quota;
    };
    const spend = (amount: number) =>
      site.query('UPDATE tokens SET remain_quota = remain_quota - $2, used_quota = used_quota + $2 WHERE id = $1', [
        ...[token.id, amount],
      ]);
    await spend(100);
    const loaded = (await call('GET', `/api/token/${token.id}`)).body.data as Record<string, unknown>;
    expect(loaded).toMatchObject({ remain_quota: 900, ungranted_quota: -100 });
    expect(((await call('GET', '/api/token/')).body.data as unknown[])[0]).toEqual(loaded);
    expect(((await call('GET', '/api/token/search?keyword=dev')).body.data as unknown[])[0]).toEqual(loaded);
    // A call is charged while the form is open. The form changes the name only.
    await spend(150);
    expect(await remain({ name: 'renamed' })).toBe(750);
    // The form showed 900 and asks for 1,400, so 500 is added.
    expect(await remain({ remain_quota: 1400 })).toBe(1250);
    expect(await remain({ remain_quota: 1400 })).toBe(1250);
    await spend(50);
    expect(await remain({ remain_quota: 900 })).toBe(700);
    // The form asks for 20 instead of the shown 900, but 200 have been spent since. The balance becomes 0 and not negative.
    expect(await remain({ remain_quota: 20 })).toBe(0);
    expect(await remain({ remain_quota: 20 })).toBe(0);
    // The form is accepted although the token is overdrawn.
    await spend(30);
    expect(await remain({ remain_quota: 20, name: 'overdrawn' })).toBe(-30);
    // The form asks for 20 and the balance is -30, so 50 is added.
    const again = (await call('GET', `/api/token/${token.id}`)).body.data as Record<string, unknown>;
    expect(again).toMatchObject({ remain_quota: -30, ungranted_quota: -330 });
    expect(await remain({ ...again, name: 'as it was' })).toBe(-30);
    expect(await remain({ ...again, remain_quota: 20 })).toBe(20);
    // Without `ungranted_quota` the quota is absolute, as other clients send it.
    await spend(5);
    expect(await remain({ ungranted_quota: undefined, remain_quota: 40 })).toBe(40);
    for (const wrong of [{ remain_quota: -1 }, { ungranted_quota: 1.5 }, { ungranted_quota: '5' }]) {
      const { body } = await call('PUT', '/api/token/', { ...loaded, ...wrong });
      expect([wrong, body]).toMatchObject([wrong, { success: false, code: 'INVALID_INPUT' }]);
    }
    const outOfRange = { ...loaded, remain_quota: 9e15, ungranted_quota: -9e15 };
    expect((await call('PUT', '/api/token/', outOfRange)).body).toMatchObject({
      success: false,
      code: 'INVALID_INPUT',
    });
    // The token spent 100, 150, 50, 30 and 5, and has 40 left.
    expect(
      await site.query('SELECT sum(amount)::int AS granted FROM ledger_entries WHERE token_id = $1', [token.id]),
    ).toEqual([{ granted: 375 }]);
  });

  it('enables a used-up token when a form grants more than was spent', async () => {
    const token = await create({ remain_quota: 100 });
    const loaded = (await call('GET', `/api/token/${token.id}`)).body.data as Record<string, unknown>;
    await site.query("UPDATE tokens SET status = 'exhausted', remain_quota = 0 WHERE id = $1", [token.id]);
    const save = async (remain: number) =>
      (await call('PUT', '/api/token/', { ...loaded, status: 4, remain_quota: remain })).body.data;
    expect(await save(100)).toMatchObject({ remain_quota: 0, status: 4 });
    expect(await save(130)).toMatchObject({ remain_quota: 30, status: 1 });
  });

  it('changes the quota in GraphQL by what was granted, or to an exact number', async () => {
    const token = await create({ remain_quota: 1000 });
    const foreign = await create({ remain_quota: 7 }, other);
    const fields = '{ grantedQuota quota { remaining } }';
    const update = async (input: string) => {
      const { data, text } = await site.graphql(
        owner,
        `mutation { updateToken(input: { id: ${token.id}, ${input} }) { token ${fields} } }`,
      );
      return data?.['updateToken'] ?? text;
    };
    const spend = (amount: number) =>
      site.query('UPDATE tokens SET remain_quota = remain_quota - $2 WHERE id = $1', [token.id, amount]);
    await spend(150);
    const shown = (granted: number, remaining: number) => ({ token: { grantedQuota: granted, quota: { remaining } } });
    expect(await update('name: "renamed"')).toEqual(shown(1000, 850));
    expect(await update('grantedQuota: 1500')).toEqual(shown(1500, 1350));
    expect(await update('grantedQuota: 1500')).toEqual(shown(1500, 1350));
    expect(await update('grantedQuota: 100')).toEqual(shown(150, 0));
    expect(await update('quota: 10')).toEqual(shown(160, 10));
    await spend(4);
    expect(await update('quota: 10')).toEqual(shown(164, 10));
    expect(await update('quota: 10, grantedQuota: 10')).toContain('Give either quota or grantedQuota');
    const list = async (person: Person, query: string) => (await site.graphql(person, query)).data;
    expect(await list(owner, '{ myTokens { items { id grantedQuota } } }')).toEqual({
      myTokens: { items: [{ id: token.id, grantedQuota: 164 }] },
    });
    expect(await list(root, '{ tokens { items { id grantedQuota } } }')).toEqual({
      tokens: {
        items: [
          { id: foreign.id, grantedQuota: 7 },
          { id: token.id, grantedQuota: 164 },
        ],
      },
    });
  });

  it('keeps the negative count of an unlimited token when a form sends it back', async () => {
    const token = await create({ unlimited_quota: true, remain_quota: 0 });
    await site.query('UPDATE tokens SET remain_quota = -50 WHERE id = $1', [token.id]);
    expect((await put(token, { remain_quota: -40, name: 'x' })).body).toMatchObject({ data: { remain_quota: -50 } });
    const limited = await put(token, { unlimited_quota: false, remain_quota: -40 });
    expect(limited.body).toMatchObject({ message: 'The quota must be a whole number from 0 to 9000000000000000' });
  });

  it('makes an unlimited token by GraphQL without a quota, as by one of null', async () => {
    for (const input of ['{ name: "plain" }', '{ name: "null", quota: null }']) {
      const { data, text } = await site.graphql(
        owner,
        `mutation { createToken(input: ${input}) { key token { quota { remaining } status } } }`,
      );
      const made = data?.['createToken'] as { key: string; token: unknown } | undefined;
      expect([made?.token, text]).toEqual([{ quota: { remaining: null }, status: 'ENABLED' }, text]);
      const used = await site.rest(null, 'GET', '/v1/models', undefined, { authorization: `Bearer ${made?.key}` });
      expect(used.status).toBe(200);
    }
    const { data } = await site.graphql(
      owner,
      'mutation { createToken(input: { name: "empty", quota: 0 }) { token { quota { remaining } } } }',
    );
    expect(data).toEqual({ createToken: { token: { quota: { remaining: 0 } } } });
  });

  it('takes -1 as the quota of an unlimited token, as management extensions send it', async () => {
    // The exact body of the "Add key" dialog of all-api-hub.
    const body = {
      name: 'hub key',
      remain_quota: -1,
      expired_time: -1,
      unlimited_quota: true,
      model_limits_enabled: false,
      model_limits: '',
      allow_ips: '',
      group: 'default',
    };
    const made = await call('POST', '/api/token/', body);
    expect(made.body).toMatchObject({ success: true, data: { unlimited_quota: true, remain_quota: 0 } });
    expect((await put(made.body.data as WireToken, { ...body, name: 'again' })).body).toMatchObject({
      success: true,
      data: { name: 'again', unlimited_quota: true, remain_quota: 0 },
    });
  });

  it('counts what is absent as zero', async () => {
    const token = await create({ allow_ips: '127.0.0.1', group: 'vip', remain_quota: 5 });
    const answer = await call('PUT', '/api/token/', { id: token.id, name: 'dev', expired_time: -1 });
    expect(answer.body).toMatchObject({ data: { allow_ips: '', group: '', remain_quota: 0 } });
  });

  it('refuses what it would refuse in a new token, and foreign ones', async () => {
    const token = await create();
    expect((await put(token, { name: '' })).body).toMatchObject({ message: 'Token name must not be empty' });
    expect((await put(token, { name: 'x'.repeat(31) })).body).toEqual({
      success: false,
      message: 'Token name too long',
      code: 'INVALID_INPUT',
    });
    expect((await call('GET', `/api/token/${token.id}`)).body.data).toEqual(token);
    expect((await put(token, { group: 'svip' })).body).toMatchObject({ message: 'You cannot use this group' });
    expect((await call('PUT', '/api/token/', { name: 'x' })).body).toMatchObject({ code: 'INVALID_INPUT' });
    const foreign = await create({}, other);
    expect((await put(foreign, { name: 'stolen' })).body).toMatchObject({ success: false, code: 'NOT_FOUND' });
    expect((await call('PUT', '/api/token/?status_only=1', { id: foreign.id, status: 2 })).body).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect((await call('DELETE', `/api/token/${foreign.id}`)).body).toMatchObject({ code: 'NOT_FOUND' });
    expect(await site.query('SELECT name, status FROM tokens WHERE id = $1', [foreign.id])).toEqual([
      { name: 'dev', status: 'enabled' },
    ]);
  });

  it('does not refuse what a token has already: a past expiry, a group that was taken away', async () => {
    const token = await create({ group: 'vip' });
    await site.query('UPDATE tokens SET expires_at = to_timestamp(1600000000), "group" = $2 WHERE id = $1', [
      token.id,
      'gone',
    ]);
    const answer = await put(token, { name: 'renamed', expired_time: 1_600_000_000, group: 'gone' });
    expect(answer.body).toMatchObject({ success: true, data: { name: 'renamed', group: 'gone' } });
  });

  it.each(['x'.repeat(40), '  ', ''])(
    'does not refuse the name %j that a token of another program has',
    async (name) => {
      const token = await create();
      await site.query('UPDATE tokens SET name = $2 WHERE id = $1', [token.id, name]);
      expect((await put(token, { name, remain_quota: 7 })).body).toMatchObject({
        success: true,
        data: { name, remain_quota: 7 },
      });
      expect((await put(token, { name: `${name.trim() || 'y'.repeat(30)}z` })).body).toMatchObject({
        success: false,
        message: 'Token name too long',
      });
    },
  );

  it('switches between 1 and 2 alone', async () => {
    const token = await create();
    const status = (value: unknown): Promise<Answer> =>
      call('PUT', '/api/token/?status_only=true', { id: token.id, status: value, name: 'ignored' });
    expect((await status(2)).body).toEqual({ success: true, message: '', data: { ...token, status: 2 } });
    expect((await status(1)).body).toMatchObject({ data: { status: 1, name: 'dev' } });
    for (const value of [0, 3, 4, null]) {
      expect((await status(value)).body).toMatchObject({ message: 'A token can be enabled (1) or disabled (2)' });
    }
  });

  it('shows a token whose quota is used up as exhausted before a call has found it so', async () => {
    const [spent, free, gone] = [await create(), await create({ unlimited_quota: true }), await create()];
    await site.query('UPDATE tokens SET remain_quota = -5 WHERE id = ANY ($1)', [[spent.id, free.id, gone.id]]);
    await site.query('UPDATE tokens SET expires_at = to_timestamp(1600000000) WHERE id = $1', [gone.id]);
    const shown = await Promise.all(
      [spent, free, gone].map(async ({ id }) => (await call('GET', `/api/token/${id}`)).body.data as WireToken),
    );
    expect(shown.map(({ status }) => status)).toEqual([4, 1, 3]);
    const { data } = await site.graphql(
      owner,
      '{ myTokens(filter: { statuses: [EXHAUSTED] }) { items { id status } } }',
    );
    expect(data).toMatchObject({ myTokens: { items: [{ id: spent.id, status: 'EXHAUSTED' }] } });
  });

  it('enables an expired or exhausted token by its new values', async () => {
    const expired = await create();
    await site.query("UPDATE tokens SET status = 'expired', expires_at = to_timestamp(1600000000) WHERE id = $1", [
      expired.id,
    ]);
    const exhausted = await create();
    await site.query("UPDATE tokens SET status = 'exhausted', remain_quota = 0 WHERE id = $1", [exhausted.id]);
    const stale = { expired_time: 1_600_000_000, status: 1 };

    const enable = (id: number): Promise<Answer> => call('PUT', '/api/token/?status_only=true', { id, status: 1 });
    const tooOld = { success: false, message: 'Token expired, change its expiry first' };
    const empty = { success: false, message: 'Token quota exhausted, change its quota first' };
    expect((await enable(expired.id)).body).toMatchObject(tooOld);
    expect((await enable(exhausted.id)).body).toMatchObject(empty);
    expect((await put(expired, stale)).body).toMatchObject(tooOld);
    expect((await put(exhausted, { remain_quota: 0, status: 1 })).body).toMatchObject(empty);

    expect((await put(expired, { expired_time: now() + 3600, status: 3 })).body).toMatchObject({ data: { status: 1 } });
    const shown = (await call('GET', `/api/token/${exhausted.id}`)).body.data as WireToken;
    expect((await put(shown, { remain_quota: 5, status: 4 })).body).toMatchObject({ data: { status: 1 } });
  });
});

describe('limits of calls', () => {
  const limits = { rate_limit_enabled: true, rate_limit_period: 30, rate_limit_count: 5, rate_limit_success: 0 };

  it('are written and shown, and stay when an older client sends the token back without them', async () => {
    const token = await create(limits);
    expect(token).toMatchObject(limits);
    const { rate_limit_enabled, rate_limit_period, rate_limit_count, rate_limit_success, ...older } = token;
    expect([rate_limit_enabled, rate_limit_period, rate_limit_count, rate_limit_success]).toEqual([true, 30, 5, 0]);
    expect((await put(older as WireToken, { name: 'renamed' })).body.data).toMatchObject({
      ...limits,
      name: 'renamed',
    });
    expect((await put(token, { rate_limit_enabled: false })).body.data).toMatchObject({ rate_limit_enabled: false });
  });

  it.each([
    { rate_limit_period: 0 },
    { rate_limit_period: -1 },
    { rate_limit_period: 31_536_001 },
    { rate_limit_count: -1 },
    { rate_limit_success: 2 ** 31 },
    { rate_limit_count: 1.5 },
  ])('refuse %j', async (wrong) => {
    const body = { name: 'dev', expired_time: -1, remain_quota: 1, ...wrong };
    expect((await call('POST', '/api/token/', body)).body.success).toBe(false);
    const token = await create();
    expect((await put(token, wrong)).body.success).toBe(false);
  });

  it('are one object in GraphQL, null without a limit', async () => {
    const fields = 'rateLimit { periodSeconds calls successes }';
    const wanted = { periodSeconds: 10, calls: 3, successes: 2 };
    const { id } = await create();
    const update = async (rateLimit: unknown): Promise<unknown> => {
      const { data, text } = await site.graphql(
        owner,
        `mutation ($input: UpdateTokenInput!) { updateToken(input: $input) { token { ${fields} } } }`,
        { input: { id, rateLimit } },
      );
      if (!data?.['updateToken']) throw new Error(text);
      return (data['updateToken'] as { token: { rateLimit: unknown } }).token.rateLimit;
    };
    expect(await update({})).toEqual({ periodSeconds: 60, calls: 1000, successes: 10 });
    expect(await update(wanted)).toEqual(wanted);
    expect(await update({ calls: null })).toEqual({ ...wanted, calls: null });
    expect((await call('GET', `/api/token/${id}`)).body.data).toMatchObject({ rate_limit_count: 0 });
    expect(await update(null)).toBeNull();
    // A disabled limit keeps its numbers, so that it can be enabled again.
    expect(await update({})).toEqual({ ...wanted, calls: null });
    const { codes, text } = await site.graphql(
      owner,
      `mutation { updateToken(input: { id: ${id}, rateLimit: { periodSeconds: 0 } }) { token { id } } }`,
    );
    expect([codes, text]).toEqual([['INVALID_INPUT'], expect.stringContaining('"field":"rateLimit.periodSeconds"')]);
  });
});

describe('deleting', () => {
  it('hides the token, stops its key, and happens once', async () => {
    const token = await create();
    const models = (): Promise<Answer> =>
      site.rest(null, 'GET', '/v1/models', undefined, { authorization: `Bearer sk-${token.key}` });
    expect((await models()).status).toBe(200);
    expect((await call('DELETE', `/api/token/${token.id}/`)).body).toEqual({ success: true, message: '' });
    expect((await models()).status).toBe(401);
    expect((await call('GET', '/api/token/')).body.data).toEqual([]);
    expect((await call('DELETE', `/api/token/${token.id}`)).body).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('of one that is disabled is felt by the relay, too', async () => {
    const token = await create();
    const models = (): Promise<Answer> =>
      site.rest(null, 'GET', '/v1/models', undefined, { authorization: `Bearer sk-${token.key}` });
    expect((await models()).status).toBe(200);
    await site.expectSuccess(owner, 'PUT', '/api/token/?status_only=true', { id: token.id, status: 2 });
    expect((await models()).status).toBe(401);
  });
});

describe('a creation that is repeated', () => {
  const createWith = async (input: object): Promise<Awaited<ReturnType<Site['graphql']>>> =>
    site.graphql(
      owner,
      'mutation ($input: CreateTokenInput!) { createToken(input: $input) { key replayed token { id name } } }',
      { input },
    );

  it('with the same idempotency key makes one token, also when both arrive at once', async () => {
    const budgets = [{ kind: 'MONEY', amount: 1000, span: 'DAY' }];
    const input = { name: 'dev', quota: 10, budgets, idempotencyKey: 'one' };
    const made = (await Promise.all([createWith(input), createWith(input)])).map(
      ({ data }) => data?.['createToken'] as { key: string; replayed: boolean; token: object },
    );
    expect(made.map(({ replayed }) => replayed).sort()).toEqual([false, true]);
    const [{ key, token }] = made as [(typeof made)[0]];
    expect(key).toMatch(/^sk-[0-9a-zA-Z]{48}$/);
    expect(made[1]).toMatchObject({ key, token });
    expect((await createWith(input)).data).toEqual({ createToken: { key, token, replayed: true } });
    expect(await site.query('SELECT name FROM tokens')).toEqual([{ name: 'dev' }]);
    const stored = await site.query(`SELECT result FROM idempotency_keys WHERE operation = 'createToken'`);
    expect(JSON.stringify(stored)).not.toContain(key.slice(3));
  });

  it('with other input is refused, and after the deletion of the token too', async () => {
    const { data } = await createWith({ name: 'dev', idempotencyKey: 'two' });
    const { id } = (data?.['createToken'] as { token: { id: number } }).token;
    expect((await createWith({ name: 'other', idempotencyKey: 'two' })).codes).toEqual(['CONFLICT']);
    await call('DELETE', `/api/token/${id}`);
    expect((await createWith({ name: 'dev', idempotencyKey: 'two' })).codes).toEqual(['NOT_FOUND']);
    expect((await createWith({ name: 'dev', idempotencyKey: 'three' })).codes).toEqual([]);
  });
});

describe('the GraphQL presentation', () => {
  const fields =
    'id userId name status maskedKey expiresAt lastUsedAt createdAt quota { remaining used } group modelLimits allowIps ' +
    'fallbackGroups fallbackModels';

  it.each(['name: "open"', 'name: "open", quota: null'])('a key with %s has no limit, and is usable', async (input) => {
    const { data } = await site.graphql(
      owner,
      `mutation { createToken(input: { ${input} }) { token { status quota { remaining } } } }`,
    );
    expect(data).toEqual({ createToken: { token: { status: 'ENABLED', quota: { remaining: null } } } });
  });

  it('creates, shows, changes and deletes own tokens', async () => {
    const expiresAt = new Date((now() + 3600) * 1000).toISOString();
    const created = await site.graphql(
      owner,
      `mutation ($input: CreateTokenInput!) { createToken(input: $input) { key token { ${fields} } } }`,
      { input: { name: 'dev', quota: 10, expiresAt, allowIps: ['10.0.0.0/8', '127.0.0.1'] } },
    );
    const { key, token } = created.data?.['createToken'] as { key: string; token: { id: number } };
    expect(key).toMatch(/^sk-[0-9a-zA-Z]{48}$/);
    expect(token).toMatchObject({
      name: 'dev',
      status: 'ENABLED',
      quota: { remaining: 10, used: 0 },
      expiresAt,
      lastUsedAt: null,
      group: null,
      modelLimits: null,
      allowIps: ['10.0.0.0/8', '127.0.0.1'],
      maskedKey: `${key.slice(0, 9)}**********`,
    });
    expect((await site.graphql(owner, `{ tokenKey(id: ${token.id}) }`)).data).toEqual({ tokenKey: key });

    const run = async (mutation: string, variables: Record<string, unknown> = {}): Promise<unknown> => {
      const { data, text } = await site.graphql(owner, mutation, variables);
      const [payload] = Object.values(data ?? {}) as Array<{ token: unknown } | null>;
      if (!payload) throw new Error(text);
      return payload.token;
    };
    const update = (input: Record<string, unknown>): Promise<unknown> =>
      run(`mutation ($input: UpdateTokenInput!) { updateToken(input: $input) { token { ${fields} } } }`, {
        input: { id: token.id, ...input },
      });
    const kept = { quota: { remaining: 10, used: 0 }, expiresAt, allowIps: ['10.0.0.0/8', '127.0.0.1'] };
    expect(await update({ name: 'new' })).toMatchObject({ name: 'new', ...kept });
    expect(await update({ expiresAt: null, allowIps: null })).toMatchObject({ expiresAt: null, allowIps: [] });
    expect(await update({ quota: null, group: 'vip' })).toMatchObject({ quota: { remaining: null }, group: 'vip' });
    expect(await update({ quota: 11, group: null })).toMatchObject({ quota: { remaining: 11 }, group: null });
    expect(await update({ modelLimits: ['gpt-4o', 'o1'] })).toMatchObject({ modelLimits: ['gpt-4o', 'o1'] });
    expect(await update({ modelLimits: null })).toMatchObject({ modelLimits: null });
    expect(await update({ fallbackGroups: ['vip', 'default'], fallbackModels: ['o1', 'gpt-4o'] })).toMatchObject({
      fallbackGroups: ['vip', 'default'],
      fallbackModels: ['o1', 'gpt-4o'],
    });
    // Older clients send neither field, so both stay unchanged.
    await site.expectSuccess(owner, 'PUT', '/api/token/', {
      id: token.id,
      name: 'new',
      remain_quota: 11,
      expired_time: -1,
    });
    expect(await update({ name: 'newer' })).toMatchObject({
      fallbackGroups: ['vip', 'default'],
      fallbackModels: ['o1', 'gpt-4o'],
    });
    const refused = async (input: Record<string, unknown>): Promise<string> => {
      const mutation = 'mutation ($input: UpdateTokenInput!) { updateToken(input: $input) { token { id } } }';
      return (await site.graphql(owner, mutation, { input: { id: token.id, ...input } })).text;
    };
    expect(await refused({ fallbackGroups: ['secret'] })).toContain('"field":"fallbackGroups"');
    expect(await refused({ fallbackModels: ['a,b'] })).toContain('"field":"fallbackModels"');
    const eleven = Array.from({ length: 11 }, (_, index) => `m${index}`);
    expect(await refused({ fallbackModels: eleven })).toContain('The list of models is too long');
    expect(await update({ fallbackGroups: null, fallbackModels: [] })).toMatchObject({
      fallbackGroups: [],
      fallbackModels: [],
    });
    const none = `mutation { updateToken(input: { id: ${token.id}, modelLimits: [] }) { token { id } } }`;
    expect((await site.graphql(owner, none)).text).toContain('"field":"modelLimits"');
    expect(await run(`mutation { disableToken(id: ${token.id}) { token { status } } }`)).toEqual({
      status: 'DISABLED',
    });
    expect(await run(`mutation { enableToken(id: ${token.id}) { token { status } } }`)).toEqual({ status: 'ENABLED' });
    expect((await site.graphql(owner, `mutation { deleteToken(id: ${token.id}) { id } }`)).data).toEqual({
      deleteToken: { id: token.id },
    });
    expect((await site.graphql(owner, '{ myTokens { totalCount } }')).data).toEqual({ myTokens: { totalCount: 0 } });
  });

  it('lists own tokens, and all of them for admins, never with a key', async () => {
    const mine = await create({ name: 'mine' });
    const theirs = await create({ name: 'theirs' }, other);
    const list = async (person: Person, field: string): Promise<unknown> =>
      (await site.graphql(person, `{ ${field} { totalCount items { name } } }`)).data;
    expect(await list(owner, `myTokens(filter: { ids: [${mine.id}, ${theirs.id}] })`)).toEqual({
      myTokens: { totalCount: 1, items: [{ name: 'mine' }] },
    });
    expect(await list(root, 'tokens')).toEqual({
      tokens: { totalCount: 2, items: [{ name: 'theirs' }, { name: 'mine' }] },
    });
    const filters = [
      `userIds: [${owner.id}]`,
      `ids: [${mine.id}]`,
      'keyword: "MIN"',
      `keyword: "sk-${mine.key}"`,
      `keyword: "${mine.key.slice(0, 5)}"`,
    ];
    for (const filter of filters) {
      expect(await list(root, `tokens(filter: { ${filter} })`)).toMatchObject({
        tokens: { items: [{ name: 'mine' }] },
      });
    }
    for (const filter of ['statuses: [DISABLED, EXPIRED]', 'statuses: []', 'ids: []', 'groups: ["vip"]']) {
      expect(await list(root, `tokens(filter: { ${filter} })`)).toEqual({ tokens: { totalCount: 0, items: [] } });
    }
    const refused = await site.graphql(owner, '{ myTokens(filter: { userIds: [1] }) { totalCount } }');
    expect(refused.codes).toEqual(['GRAPHQL_VALIDATION_FAILED']);
    expect((await site.graphql(owner, '{ tokens { totalCount } }')).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
    expect((await site.graphql(root, `{ tokenKey(id: ${mine.id}) }`)).codes).toEqual(['NOT_FOUND']);
    expect((await site.graphql(other, `mutation { deleteToken(id: ${mine.id}) { id } }`)).codes).toEqual(['NOT_FOUND']);
    expect((await site.graphql(null, '{ myTokens { totalCount } }')).codes).toEqual(['NOT_SIGNED_IN']);
  });

  it('shows, filters, sorts and enables a key as expired from its expiry on, used or not', async () => {
    const past = await create({ name: 'past', expired_time: now() + 3600 });
    const valid = await create({ name: 'valid', expired_time: now() + 3600 });
    const off = await create({ name: 'off', expired_time: now() + 3600 });
    await site.query('UPDATE tokens SET expires_at = to_timestamp($2) WHERE id = ANY($1)', [
      [past.id, off.id],
      now() - 1,
    ]);
    await call('PUT', '/api/token/?status_only=true', { id: off.id, status: 2 });
    expect((await call('GET', `/api/token/${past.id}`)).body.data).toMatchObject({ status: 3 });
    for (const [person, field] of [
      [owner, 'myTokens'],
      [root, 'tokens'],
    ] as const) {
      const list = async (args: string): Promise<unknown> =>
        (await site.graphql(person, `{ ${field}(${args}) { totalCount items { name status } } }`)).data?.[field];
      const expired = { name: 'past', status: 'EXPIRED' };
      expect(await list('filter: { statuses: [EXPIRED] }')).toEqual({ totalCount: 1, items: [expired] });
      const items = [
        { name: 'valid', status: 'ENABLED' },
        { name: 'off', status: 'DISABLED' },
      ];
      expect(await list('filter: { statuses: [ENABLED] }')).toEqual({ totalCount: 1, items: items.slice(0, 1) });
      expect(await list('sort: { field: STATUS, direction: ASC }')).toEqual({
        totalCount: 3,
        items: [...items, expired],
      });
    }
    const tooOld = { success: false, message: 'Token expired, change its expiry first' };
    expect((await call('PUT', '/api/token/?status_only=true', { id: past.id, status: 1 })).body).toMatchObject(tooOld);
    const { data } = await site.graphql(
      owner,
      `mutation { enableTokens(ids: [${past.id}, ${valid.id}]) { done failed { message } } }`,
    );
    expect(data?.['enableTokens']).toEqual({ done: [valid.id], failed: [{ message: tooOld.message }] });
    expect((await put(past, { expired_time: now() + 60 })).body).toMatchObject({ data: { status: 1 } });
  });

  it('finds keys that expire soon, were not used for long, or never', async () => {
    const day = 86_400;
    const make = async (name: string, expires: number | null, lastUsed: number | null): Promise<void> => {
      const { id } = await create({ name });
      await site.query(
        'UPDATE tokens SET created_at = to_timestamp($2), last_used_at = to_timestamp($3), expires_at = to_timestamp($4) WHERE id = $1',
        [...[id, now() - 400 * day, lastUsed, expires]],
      );
    };
    await make('soon', now() + 3 * day, now() - day);
    await make('later', now() + 300 * day, now() - 100 * day);
    await make('unused', null, null);
    const names = async (args: string): Promise<unknown> => {
      const { data, text } = await site.graphql(root, `{ tokens(${args}) { items { name } } }`);
      if (!data?.['tokens']) throw new Error(text);
      return (data['tokens'] as { items: Array<{ name: string }> }).items.map(({ name }) => name);
    };
    const ago = (days: number): string => new Date((now() - days * day) * 1000).toISOString();
    expect(await names('filter: { expires: { calendar: NEXT_7_DAYS } }')).toEqual(['soon']);
    expect(await names(`filter: { expires: { from: "${ago(0)}" } }`)).toEqual(['later', 'soon']);
    expect(await names(`filter: { lastUsed: { until: "${ago(90)}" } }`)).toEqual(['later']);
    expect(await names('filter: { neverUsed: true }')).toEqual(['unused']);
    expect(await names('filter: { neverUsed: false }')).toEqual(['later', 'soon']);
    // Nulls sort last in both directions.
    expect(await names('sort: { field: EXPIRES_AT, direction: ASC }')).toEqual(['soon', 'later', 'unused']);
    expect(await names('sort: { field: EXPIRES_AT }')).toEqual(['later', 'soon', 'unused']);
    expect(await names('sort: [{ field: STATUS }, { field: LAST_USED_AT }]')).toEqual(['soon', 'later', 'unused']);
    const backwards =
      '{ tokens(filter: { expires: { from: "2026-02-01T00:00:00Z", until: "2026-01-01T00:00:00Z" } }) { totalCount } }';
    const refused = await site.graphql(root, backwards);
    expect([refused.codes, refused.text]).toEqual([['INVALID_INPUT'], expect.stringContaining('filter.expires')]);
  });

  it('reads on from a cursor, whatever the sort', async () => {
    for (let n = 0; n < 7; n++)
      await create({ name: `t${n}`, remain_quota: n % 3, expired_time: n < 2 ? -1 : now() + 60 * n });
    for (const sort of ['', 'sort: { field: REMAINING_QUOTA }', 'sort: { field: EXPIRES_AT, direction: ASC }']) {
      const read = async (
        args: string,
      ): Promise<{ items: Array<{ name: string }>; pageInfo: Record<string, unknown> }> => {
        const { data, text } = await site.graphql(
          root,
          `{ tokens(${args} ${sort}) { items { name } pageInfo { endCursor hasNextPage } } }`,
        );
        if (!data?.['tokens']) throw new Error(text);
        return data['tokens'] as never;
      };
      const all = (await read('pageSize: 50')).items;
      expect(all).toHaveLength(7);
      const found: unknown[] = [];
      for (
        let page = await read('pageSize: 3');
        ;
        page = await read(`pageSize: 3, after: "${String(page.pageInfo['endCursor'])}"`)
      ) {
        found.push(...page.items);
        if (page.pageInfo['hasNextPage'] !== true) break;
      }
      expect(found).toEqual(all);
    }
  });
});
