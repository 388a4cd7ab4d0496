import fc from 'fast-check';
import pg from 'pg';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';

let server: TestServer;
let pool: pg.Pool;
let root: Person;
let people: Person[];

beforeAll(async () => {
  server = await startServer({ environment: { TRUSTED_PROXIES: '127.0.0.1', DATABASE_POOL_SIZE: '10' } });
  pool = new pg.Pool({ connectionString: server.database.url, max: 2 });
  root = await server.api.setUp();
  people = [];
  for (let n = 0; n < 10; n++) {
    const [username, password] = [`user${n}`, `password ${n}`];
    await server.api.data(root, 'POST', '/api/user/', { username, password });
    people.push(await server.api.signIn(username, password));
  }
});
afterAll(async () => {
  await pool.end();
  await server.stop();
});

const [normal, gift] = [{ is_gift: false }, { is_gift: true }];

async function createCode(more: Record<string, unknown>): Promise<string> {
  const body = { name: 'race', count: 1, quota: 1000, ...more };
  const [key = ''] = await server.api.data<string[]>(root, 'POST', '/api/redemption/', body);
  return key;
}

async function balances(): Promise<Map<number, number>> {
  const { rows } = await pool.query<{ id: number; quota: string }>('SELECT id, quota FROM users');
  return new Map(rows.map(({ id, quota }) => [id, Number(quota)]));
}

const total = async (): Promise<number> => [...(await balances()).values()].reduce((sum, one) => sum + one, 0);

async function redeem(person: Person, key: string): Promise<boolean> {
  const { body } = await server.api.rest(person, 'POST', '/api/user/topup', { key });
  return (body as { success: boolean }).success;
}

/** Each of ten users tries ten times, all at the same time. */
const hundredTries = (key: string): Promise<boolean[]> =>
  Promise.all(Array.from({ length: 100 }, (_, n) => redeem(people[n % people.length] as Person, key)));

const won = (tries: readonly boolean[]): number => tries.filter(Boolean).length;

describe('check-then-act on codes', () => {
  it('a normal code tried a hundred times at once by ten users is worth its quota once', async () => {
    const before = await total();
    expect(won(await hundredTries(await createCode(normal)))).toBe(1);
    expect((await total()) - before).toBe(1000);
  });

  it('a gift is worth its quota once to each of ten users who try ten times at once', async () => {
    const before = await total();
    expect(won(await hundredTries(await createCode(gift)))).toBe(10);
    expect((await total()) - before).toBe(10_000);
  });

  it('a gift for seven goes to seven of ten who try at once', async () => {
    const before = await total();
    expect(won(await hundredTries(await createCode({ ...gift, max_uses: 7 })))).toBe(7);
    expect((await total()) - before).toBe(7000);
  });

  it('a code being disabled while many redeem it is either redeemed or disabled', async () => {
    const key = await createCode(normal);
    const { rows } = await pool.query<{ id: number }>('SELECT max(id) AS id FROM redemptions');
    const id = rows[0]?.id ?? 0;
    const before = await total();
    const [tries, disabled] = await Promise.all([
      Promise.all(people.map((person) => redeem(person, key))),
      server.api.data<number>(root, 'PUT', '/api/redemption/batch-disable', { ids: [id] }),
    ]);
    expect(won(tries) + disabled).toBe(1);
    expect((await total()) - before).toBe(1000 * won(tries));
  });

  it('inviter and invited redeeming at once do not wait for each other for ever', async () => {
    await pool.query('UPDATE users SET inviter_id = $1 WHERE id = ANY ($2)', [
      people[0]?.id,
      people.slice(1).map(({ id }) => id),
    ]);
    for (const [key, value] of [
      ['RebatePercentage', '10'],
      ['RebateEnabled', 'true'],
    ])
      await server.api.data(root, 'PUT', '/api/option/', { key, value });
    const before = await total();
    const keys = await Promise.all(people.map(() => createCode({ ...gift, max_uses: 5 })));
    const tries = await Promise.all(keys.flatMap((key) => people.slice(0, 5).map((person) => redeem(person, key))));
    await server.api.data(root, 'PUT', '/api/option/', { key: 'RebateEnabled', value: 'false' });
    // Five users redeemed every code, and four of them were invited.
    expect(won(tries)).toBe(50);
    expect((await total()) - before).toBe(50 * 1000 + 40 * 100);
  });
});

describe('money out of codes', () => {
  it('credited = once, whatever is done with them in whatever order', async () => {
    const step = fc.record({
      code: fc.nat(2),
      user: fc.nat(3),
      what: fc.constantFrom('redeem', 'redeem', 'redeem', 'disable', 'enable', 'edit', 'delete'),
    });
    const kinds = fc.array(fc.record({ is_gift: fc.boolean(), max_uses: fc.integer({ min: -1, max: 3 }) }), {
      minLength: 3,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(kinds, fc.array(step, { maxLength: 12 }), async (codes, steps) => {
        await pool.query('DELETE FROM redemptions');
        const before = await balances();
        const keys = await Promise.all(codes.map((code) => createCode(code)));
        const { rows } = await pool.query<{ id: number; key_hash: Buffer }>('SELECT id FROM redemptions ORDER BY id');
        const granted: Array<{ user: number; code: number }> = [];
        await Promise.all(
          steps.map(async ({ code, user, what }) => {
            const person = people[user] as Person;
            const id = rows[code]?.id;
            if (what === 'redeem') {
              if (await redeem(person, keys[code] ?? '')) granted.push({ user: person.id, code });
            } else if (what === 'delete') await server.api.rest(root, 'DELETE', `/api/redemption/${id}`);
            else if (what === 'edit') await server.api.rest(root, 'PUT', '/api/redemption/', { id, name: 'edited' });
            else {
              const status = what === 'enable' ? 1 : 2;
              await server.api.rest(root, 'PUT', '/api/redemption/?status_only=1', { id, status });
            }
          }),
        );
        const after = await balances();
        for (const person of people) {
          const earned = granted.filter(({ user }) => user === person.id).length;
          expect((after.get(person.id) ?? 0) - (before.get(person.id) ?? 0)).toBe(1000 * earned);
        }
        // No user gets a code twice, and only one user gets a normal code.
        expect(new Set(granted.map(({ user, code }) => `${user}:${code}`)).size).toBe(granted.length);
        const uses = await pool.query<{ uses: number; normal: number }>(
          `SELECT count(*)::int AS uses, coalesce(max(n) FILTER (WHERE NOT is_gift), 0)::int AS normal
             FROM (SELECT r.is_gift, count(*) AS n, r.id FROM redemption_uses u JOIN redemptions r ON r.id = u.redemption_id
                    GROUP BY r.id) x, generate_series(1, x.n)`,
        );
        expect(uses.rows[0]?.uses).toBe(granted.length);
        expect(uses.rows[0]?.normal).toBeLessThanOrEqual(1);
      }),
      { numRuns: 25 },
    );
  });

  it('leaves a ledger that adds up', async () => {
    expect(await reconcile(pool)).toEqual([]);
  });
});

describe('secret fields in list APIs', () => {
  it('no code is in a log, in the audit, or in what a common user reads', async () => {
    const key = await createCode(normal);
    await redeem(people[0] as Person, key);
    const texts = [
      JSON.stringify((await server.api.rest(root, 'GET', '/api/log/?page_size=100')).body),
      JSON.stringify((await server.api.rest(people[0] as Person, 'GET', '/api/log/self?page_size=100')).body),
      JSON.stringify((await pool.query('SELECT * FROM audit_entries')).rows),
      JSON.stringify((await pool.query('SELECT * FROM ledger_entries')).rows),
      server.logLines().join('\n'),
    ];
    for (const text of texts) expect(text).not.toContain(key);
    const { body } = await server.api.rest(people[0] as Person, 'GET', '/api/redemption/');
    expect(body).toMatchObject({ success: false, code: 'INSUFFICIENT_PRIVILEGES' });
  });
});

describe('wildcard search', () => {
  it.each(['%', '_', '%_%', "'; DROP TABLE redemptions; --", '\\', '\u0000', '名'.repeat(3400), 'x'.repeat(4096)])(
    'a search for %j is literal and harmless',
    async (keyword) => {
      const query = '($keyword: String) { redemptions(filter: { keyword: $keyword }) { totalCount } }';
      const { data, errors } = await server.api.graphql(root, `query ${query}`, { keyword });
      expect(errors).toEqual([]);
      // NUL is removed, so the prefix is empty.
      if (keyword !== '\u0000') expect(data).toEqual({ redemptions: { totalCount: 0 } });
    },
  );
});
