import { randomUUID } from 'node:crypto';
import { countStatements } from '../support/statements.js';
import { Site, type Person } from './site.js';

/** Relations between rows: who may follow them, and in how many statements a hundred of them are read. */
let site: Site;
let root: Person;
let admin: Person;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  admin = await site.invite(root, 'admin');
  alice = await site.invite(root);
  bob = await site.invite(root);
  await site.query(
    `INSERT INTO users (username) SELECT 'u' || n FROM generate_series(1, 120) n;
     INSERT INTO channels (id, type, name, key_sealed, models)
       SELECT n, 1, 'c' || n, '', '{gpt-4o}' FROM generate_series(1, 120) n;
     INSERT INTO tokens (user_id, key_hash, key_prefix, key_sealed, name)
       SELECT id, sha256((username || n)::bytea), '', '', username || ' ' || n FROM users, generate_series(1, 3) n;
     INSERT INTO logs (created_at, type, user_id, username, channel_id, token_id, model_name, other)
       SELECT extract(epoch FROM now())::bigint - 5000 + tokens.id, 2, user_id, 'then', 1 + tokens.id % 120, tokens.id, 'm',
              '{"admin_info":{"use_channel":["' || 1 + tokens.id % 119 || '","' || 1 + tokens.id % 120 || '"]}}' FROM tokens;
     INSERT INTO top_up_orders (user_id, trade_no, provider, merchant_id, payment_method, quota, money, currency, created_at)
       SELECT id, username, 'epay', '1', 'wxpay', 1, 1, 'CNY', to_timestamp(0) FROM users;
     INSERT INTO redemptions (user_id, key_hash, key_sealed, name, quota, created_at, status, redeemed_at, used_user_id)
       SELECT ${admin.id}, sha256(('code ' || id)::bytea), '', 'batch', 5, to_timestamp(0), 'used', to_timestamp(1700000000 + id), id FROM users`,
  );
  const [gift] = await site.query<{ id: number }>(
    `INSERT INTO redemptions (user_id, key_hash, key_sealed, name, quota, created_at, is_gift, max_uses, used_count)
     VALUES (${admin.id}, 'gift', '', 'party', 7, to_timestamp(0), true, 10, 2) RETURNING id`,
  );
  await site.query(
    `INSERT INTO redemption_uses (redemption_id, user_id, used_at, quota) VALUES ($1, $2, to_timestamp(1800000000), 7), ($1, $3, to_timestamp(1800000001), 7)`,
    [gift?.id, alice.id, bob.id],
  );
  await site.query(
    `INSERT INTO users (username, kind) SELECT 'org ' || n, 'organisation' FROM generate_series(1, 110) n;
     INSERT INTO memberships (organisation_id, user_id, role)
       SELECT o.id, u.id, CASE u.username WHEN 'u1' THEN 'owner' ELSE 'member' END FROM users o, users u
        WHERE o.kind = 'organisation' AND u.username IN ('u1', 'u2', 'u3');
     INSERT INTO memberships (organisation_id, user_id, role, left_at)
       SELECT o.id, u.id, 'member', now() FROM users o, users u WHERE o.kind = 'organisation' AND u.username = 'u4';
     INSERT INTO projects (organisation_id, name)
       SELECT id, 'p' || n FROM users, generate_series(1, 3) n WHERE kind = 'organisation'`,
  );
  // Codes are shown as text, so these rows need an encrypted code that can be decrypted.
  await site.expectSuccess(root, 'POST', '/api/redemption/', { name: 'real', quota: 1, count: 1 });
  await site.query(`UPDATE redemptions SET key_sealed = (SELECT key_sealed FROM redemptions WHERE name = 'real')`);
});
afterAll(() => site.stop());

async function read(person: Person, query: string): Promise<Record<string, unknown>> {
  const { data, codes, text } = await site.graphql(person, query);
  if (!data || codes.length > 0) throw new Error(text);
  return data;
}

describe('an admin', () => {
  it('follows a log row to its user, key, channel and attempts', async () => {
    const [row] = await site.query<{ id: number }>(
      `SELECT id FROM tokens WHERE user_id = ${bob.id} ORDER BY id LIMIT 1`,
    );
    const token = row?.id ?? 0;
    const { logs } = await read(
      admin,
      `{ logs(filter: { tokenIds: [${token}] }) { items { username user { username } token { name user { id } }
         channel { id name } attempts { id } } } }`,
    );
    expect((logs as { items: unknown[] }).items).toEqual([
      {
        username: 'then',
        user: { username: bob.username },
        token: { name: `${bob.username} 1`, user: { id: bob.id } },
        channel: { id: 1 + (token % 120), name: `c${1 + (token % 120)}` },
        attempts: [{ id: 1 + (token % 119) }, { id: 1 + (token % 120) }],
      },
    ]);
  });

  it('sees what is gone as null, and whose it was', async () => {
    const user = await site.invite(root);
    const made = await site.expectSuccess(user, 'POST', '/api/token/', { name: 'gone', unlimited_quota: true });
    const token = (made.body.data as { id: number }).id;
    await site.query(
      `INSERT INTO logs (created_at, type, user_id, username, channel_id, token_id, model_name)
       VALUES (extract(epoch FROM now())::bigint, 2, ${user.id}, 'x', 4711, ${token}, 'gone')`,
    );
    await site.expectSuccess(user, 'DELETE', `/api/token/${token}`);
    await read(root, `mutation { removeUser(id: ${user.id}) { id } }`);
    const { logs } = await read(
      admin,
      '{ logs(filter: { models: ["gone"] }) { items { userId channelId user { id } token { id } channel { id } } } }',
    );
    expect((logs as { items: unknown[] }).items).toEqual([
      { userId: user.id, channelId: 4711, user: null, token: null, channel: null },
    ]);
  });

  it('follows codes to who made and who used them, gifts to all of them', async () => {
    const { redemptions } = await read(
      admin,
      `{ redemptions(filter: { batch: "party" }) { items { createdBy { username } redeemedBy { id }
         uses { totalCount items { at quota user { username } } } } } }`,
    );
    expect((redemptions as { items: unknown[] }).items).toEqual([
      {
        createdBy: { username: admin.username },
        redeemedBy: null,
        uses: {
          totalCount: 2,
          items: [
            { at: '2027-01-15T08:00:01.000Z', quota: 7, user: { username: bob.username } },
            { at: '2027-01-15T08:00:00.000Z', quota: 7, user: { username: alice.username } },
          ],
        },
      },
    ]);
    const [code] = await site.query<{ id: number }>(`SELECT id FROM redemptions WHERE used_user_id = ${alice.id}`);
    const once = await read(
      admin,
      `{ redemptions(filter: { ids: [${code?.id}] }) { items { redeemedBy { username } uses { items { user { id } } } } } }`,
    );
    expect((once['redemptions'] as { items: unknown[] }).items).toEqual([
      { redeemedBy: { username: alice.username }, uses: { items: [{ user: { id: alice.id } }] } },
    ]);
  });

  it('reads the lists of a user by page, filter and cursor', async () => {
    const list = async (
      args: string,
    ): Promise<{ items: Array<{ name: string }>; pageInfo: Record<string, string> }> => {
      const { user } = await read(
        admin,
        `{ user(id: ${alice.id}) { tokens(${args}) { totalCount items { name } pageInfo { endCursor hasNextPage } } } }`,
      );
      return (user as { tokens: never }).tokens;
    };
    const names = [3, 2, 1].map((n) => ({ name: `${alice.username} ${n}` }));
    const first = await list('pageSize: 2');
    expect(first).toMatchObject({ totalCount: 3, items: names.slice(0, 2), pageInfo: { hasNextPage: true } });
    expect(await list(`pageSize: 2, after: "${first.pageInfo['endCursor']}"`)).toMatchObject({
      totalCount: 3,
      items: names.slice(2),
      pageInfo: { hasNextPage: false },
    });
    expect(await list('pageSize: 2, page: 1')).toMatchObject({ items: names.slice(2) });
    expect(await list('sort: [{ field: NAME, direction: ASC }]')).toMatchObject({ items: [...names].reverse() });
    expect(await list(`filter: { keyword: "${alice.username} 2" }`)).toMatchObject({
      totalCount: 1,
      items: [names[1]],
    });
    const rest = await read(
      admin,
      `{ user(id: ${alice.id}) { logs(pageSize: 2, filter: { types: [CONSUME] }, sort: [{ field: AT, direction: ASC }]) { totalCount totalCapped items { token { name } }
         pageInfo { endCursor hasNextPage } } topUps { items { tradeNo buyer { id } } }
         redemptions { totalCount items { quota redemption { batch } } } } }`,
    );
    const { logs, topUps, redemptions } = rest['user'] as Record<string, Record<string, unknown>>;
    expect(logs).toMatchObject({
      totalCount: 3,
      totalCapped: false,
      items: [{ token: names[2] }, { token: names[1] }],
      pageInfo: { hasNextPage: true },
    });
    const { endCursor } = logs?.['pageInfo'] as { endCursor: string };
    const more = await read(
      admin,
      `{ user(id: ${alice.id}) { logs(pageSize: 2, after: "${endCursor}", filter: { types: [CONSUME] }, sort: [{ field: AT, direction: ASC }]) { items { token { name } } } } }`,
    );
    expect(more).toEqual({ user: { logs: { items: [{ token: names[0] }] } } });
    expect(topUps).toEqual({ items: [{ tradeNo: alice.username, buyer: { id: alice.id } }] });
    expect(redemptions).toEqual({
      totalCount: 2,
      items: [
        { quota: 7, redemption: { batch: 'party' } },
        { quota: 5, redemption: { batch: 'batch' } },
      ],
    });
  });

  it('reads the members and projects of organisations by page and cursor', async () => {
    const [row] = await site.query<{ id: number }>(`SELECT id FROM users WHERE username = 'org 7'`);
    const list = async (field: string): Promise<{ items: unknown[]; pageInfo: { endCursor: string } }> => {
      const { organisation } = await read(admin, `{ organisation(id: ${row?.id}) { list: ${field} } }`);
      return (organisation as { list: never }).list;
    };
    const fields = 'items { role user { username } organisation { name } } pageInfo { endCursor hasNextPage }';
    const first = await list(`members(pageSize: 2) { totalCount ${fields} }`);
    expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
    const rest = await list(`members(after: "${first.pageInfo.endCursor}") { ${fields} }`);
    const organisation = { name: 'org 7' };
    const all = [...first.items, ...rest.items];
    expect(all).toHaveLength(3);
    expect(all).toEqual(
      expect.arrayContaining([
        { role: 'OWNER', user: { username: 'u1' }, organisation },
        { role: 'MEMBER', user: { username: 'u2' }, organisation },
        { role: 'MEMBER', user: { username: 'u3' }, organisation },
      ]),
    );
    expect(
      await list('projects(pageSize: 2, page: 1) { totalCount items { usedQuota keyCount organisation { name } } }'),
    ).toEqual({ totalCount: 3, items: [{ usedQuota: 0, keyCount: 0, organisation }] });
  });

  it('has the user, key and channel beside a group of usage', async () => {
    await site.query(
      `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls)
       SELECT extract(epoch FROM date_trunc('hour', now()))::bigint, ${bob.id}, min(id), 5, 'm', 'default', 1
         FROM tokens WHERE user_id = ${bob.id}`,
    );
    const { usage } = await read(
      admin,
      `{ usage(groupBy: [USER, TOKEN, CHANNEL], filter: { userIds: [${bob.id}] }) { items { key { user { username }
         token { name } channel { name type { provider } } } } } }`,
    );
    expect((usage as { items: unknown[] }).items).toEqual([
      {
        key: {
          user: { username: bob.username },
          token: { name: `${bob.username} 1` },
          channel: { name: 'c5', type: { provider: 'OPENAI' } },
        },
      },
    ]);
  });
});

describe('a user', () => {
  it('follows their own rows, and reaches no other user', async () => {
    const data = await read(
      alice,
      `{ me { tokens { items { user { username tokens { totalCount } } } } topUps { items { buyer { username } } }
              redemptions { items { quota user { username } } } }
         myTokens { items { user { username } } } myTopUps { items { buyer { username } } }
         myLogs(filter: { types: [CONSUME] }) { items { token { name } } } }`,
    );
    const text = JSON.stringify(data);
    expect(text).toContain(alice.username);
    expect(text).not.toContain(bob.username);
    expect(text).not.toMatch(/"u\d{1,3}"/);
    const { me, myLogs } = data as Record<string, Record<string, { items: unknown[] }>>;
    expect(me?.['tokens']?.items).toHaveLength(3);
    expect(me?.['redemptions']?.items).toEqual([7, 5].map((quota) => ({ quota, user: { username: alice.username } })));
    expect((myLogs as unknown as { items: unknown[] }).items).toHaveLength(3);
  });

  it.each([
    ['me { logs { items { id } } }', 'log rows'],
    ['me { redemptions { items { redemption { key } } } }', 'codes'],
    ['me { tokens { items { user { invite { inviter { username } } } } } }', 'who invited them'],
  ])('is refused %s', async (query) => {
    const { codes, text } = await site.graphql(alice, `{ ${query} }`);
    expect(new Set(codes)).toEqual(new Set(['INSUFFICIENT_PRIVILEGES']));
    expect(text).not.toContain(bob.username);
  });

  it('sees of the own organisations what the lists of members and projects show to the role', async () => {
    const created = await read(
      alice,
      `mutation { createOrganisation(input: { name: "Of alice" }) { organisation { id } } }`,
    );
    const { id } = (created['createOrganisation'] as { organisation: { id: number } }).organisation;
    await read(
      root,
      `mutation { addMember(input: { organisationId: ${id}, userId: ${bob.id}, role: MEMBER }) { member { id } } }`,
    );
    await read(alice, `mutation { createProject(input: { organisationId: ${id}, name: "One" }) { project { id } } }`);
    const query =
      '{ myOrganisations { members { totalCount items { userId } } projects { items { name usedQuota } } } }';
    const [seen] = (await read(alice, query))['myOrganisations'] as unknown[];
    expect(seen).toEqual({
      members: { totalCount: 2, items: [{ userId: bob.id }, { userId: alice.id }] },
      projects: { items: [{ name: 'One', usedQuota: 0 }] },
    });
    const [seenByMember] = (await read(bob, query))['myOrganisations'] as unknown[];
    expect(seenByMember).toEqual({
      members: { totalCount: 1, items: [{ userId: bob.id }] },
      projects: { items: [{ name: 'One', usedQuota: null }] },
    });
  });

  it('with an access token needs its scope for each relation', async () => {
    const make = async (person: Person, scopes: string): Promise<string> => {
      const input = `{ name: "${randomUUID()}", scopes: [${scopes}] }`;
      const data = await read(person, `mutation { createAccessToken(input: ${input}) { secret } }`);
      return (data['createAccessToken'] as { secret: string }).secret;
    };
    const ask = async (secret: string, query: string): Promise<unknown> => {
      const answer = await fetch(`${site.server.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      const { errors } = (await answer.json()) as { errors?: Array<{ extensions: { code: string } }> };
      return errors?.[0]?.extensions.code ?? null;
    };
    const logsOnly = await make(admin, 'LOGS_READ');
    expect(await ask(logsOnly, '{ logs { items { id } } }')).toBeNull();
    expect(await ask(logsOnly, '{ logs { items { user { id } } } }')).toBe('INSUFFICIENT_PRIVILEGES');
    const dashboard = await make(admin, 'LOGS_READ, ADMIN_READ');
    expect(await ask(dashboard, '{ logs { items { user { id } token { id } channel { id } } } }')).toBeNull();
    expect(await ask(dashboard, '{ users { items { tokens { totalCount } topUps { totalCount } } } }')).toBeNull();
    const lists = '{ organisations { items { members { totalCount } projects { totalCount } } } }';
    expect(await ask(dashboard, lists)).toBeNull();
    const own = await make(alice, 'ACCOUNT_READ');
    expect(await ask(own, '{ myOrganisations { members { totalCount } projects { totalCount } } }')).toBeNull();
    expect(await ask(own, '{ myTokens { items { user { id } } } }')).toBeNull();
  });
});

it.each([
  ['logs', 'user { username } token { name user { username } } channel { name type { label } } attempts { name }'],
  ['tokens', 'user { username tokens(pageSize: 2) { items { id } totalCount } }'],
  ['redemptions', 'createdBy { username } redeemedBy { username } uses(pageSize: 2) { items { user { username } } }'],
  ['topUps', 'buyer { username topUps(pageSize: 2) { items { id } totalCount } }'],
  [
    'organisations',
    'members(pageSize: 2) { items { user { username } } totalCount } projects(pageSize: 2) { items { usedQuota } totalCount }',
  ],
  ['channels', 'keys { position status } type { label }'],
  [
    'users',
    `tokens(pageSize: 2) { items { name } totalCount } logs(pageSize: 2) { items { id token { name } } totalCount }
     topUps(pageSize: 2) { items { id } totalCount } redemptions(pageSize: 2) { items { quota redemption { batch } } totalCount }`,
  ],
])('reads a hundred rows of %s in as many statements as one', async (list, selection) => {
  const ask = async (pageSize: number): Promise<string[]> => {
    let rows = 0;
    const statements = await countStatements(site, async () => {
      const data = await read(root, `{ ${list}(pageSize: ${pageSize}) { items { id ${selection} } } }`);
      rows = (data[list] as { items: unknown[] }).items.length;
    });
    expect([list, rows]).toEqual([list, pageSize]);
    return statements;
  };
  await ask(1);
  const [one, hundred] = [await ask(1), await ask(100)];
  // A row without a relation needs no statement, and a hundred rows share one statement.
  expect(hundred.length - one.length).toBeLessThanOrEqual(3);
  expect(hundred.length).toBeLessThanOrEqual(14);
});
