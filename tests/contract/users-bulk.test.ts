import { Site, type Person } from './site.js';

/* Changes of many users at once: each is changed by itself, and the response names those that were refused. */

let site: Site;
let root: Person;
let admin: Person;
let ids: readonly number[];

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  admin = await site.invite(root, 'admin');
});
afterAll(() => site.stop());
beforeEach(async () => {
  const people = [await site.invite(root), await site.invite(root)];
  ids = people.map(({ id }) => id);
});

interface Outcome {
  readonly done: readonly number[];
  readonly failed: ReadonlyArray<{ readonly id: number; readonly code: string }>;
}

async function change(by: Person, field: string, given: readonly number[], more = '') {
  const document = `mutation ($ids: [Int!]!) { outcome: ${field}(${more ? `input: { ids: $ids${more} }` : 'ids: $ids'}) { done failed { id code } } }`;
  const { data, codes } = await site.graphql(by, document, { ids: given });
  return { ...(data?.['outcome'] as Outcome | undefined), codes };
}
const rows = () =>
  site.query('SELECT status, "group" FROM users WHERE id = ANY($1) ORDER BY id', [ids]) as Promise<unknown>;
const sessions = async () =>
  (await site.query<{ n: number }>('SELECT count(*)::int AS n FROM sessions WHERE user_id = ANY($1)', [ids]))[0]?.n;
const audited = () =>
  site.query(
    `SELECT action, subject_id::int AS id FROM audit_entries
     WHERE subject = 'user' AND subject_id = ANY($1) AND action <> 'create' ORDER BY audit_entries.id`,
    [ids.map(String)],
  );

it('bans users and ends their sessions, and lifts the bans', async () => {
  expect(await sessions()).toBe(2);
  const banned = await change(root, 'banUsers', ids);
  expect(banned).toEqual({ done: ids, failed: [], codes: [] });
  expect(await rows()).toMatchObject([{ status: 'banned' }, { status: 'banned' }]);
  expect(await sessions()).toBe(0);
  expect(await change(root, 'enableUsers', ids)).toEqual({ done: ids, failed: [], codes: [] });
  expect(await rows()).toMatchObject([{ status: 'enabled' }, { status: 'enabled' }]);
  const entries = ['disable', 'enable'].flatMap((action) => ids.map((id) => ({ action, id })));
  expect(await audited()).toEqual(entries);
});

it('moves users to a group', async () => {
  expect(await change(root, 'setUserGroup', ids, ', group: "vip"')).toEqual({ done: ids, failed: [], codes: [] });
  expect(await rows()).toMatchObject([{ group: 'vip' }, { group: 'vip' }]);
});

it.each([
  ['banUsers', '', { status: 'banned' }],
  ['setUserGroup', ', group: "vip"', { group: 'vip' }],
])('%s changes the others where one is refused', async (field, more, changed) => {
  const outcome = await change(admin, field, [...ids, admin.id, root.id, 2_000_000_000, ids[0] ?? 0], more);
  expect(outcome).toEqual({
    done: ids,
    failed: [
      { id: admin.id, code: 'INSUFFICIENT_PRIVILEGES' },
      { id: root.id, code: 'INSUFFICIENT_PRIVILEGES' },
      { id: 2_000_000_000, code: 'NOT_FOUND' },
    ],
    codes: [],
  });
  expect(await rows()).toMatchObject([changed, changed]);
});

it.each([
  ['no ids', []],
  ['more than 100 ids', Array.from({ length: 101 }, (_, index) => index + 1)],
])('refuses %s and changes nothing', async (_, given) => {
  expect((await change(root, 'banUsers', given)).codes).toEqual(['INVALID_INPUT']);
  expect(await rows()).toMatchObject([{ status: 'enabled' }, { status: 'enabled' }]);
});
