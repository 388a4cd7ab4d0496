import { anywhere, Site, type Person } from './site.js';

/* The neighbourhood of a user, for admins: sessions and invited users. */

let site: Site;
let root: Person;
let admin: Person;
let ada: Person;
beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  admin = await site.invite(root, 'admin');
  ada = await site.invite(root);
});
afterAll(() => site.stop());

const list = (person: Person, userId: number) =>
  site.graphql(person, 'query ($userId: Int!) { userSessions(userId: $userId) { ip userAgent isCurrent } }', {
    userId,
  });
const end = (person: Person, userId: number) =>
  site.graphql(person, 'mutation ($userId: Int!) { endUserSessions(userId: $userId) { count } }', { userId });

it('admins see where a user is signed in, and sign the user out; the keys go on working', async () => {
  const { username, password } = ada;
  await site.rest(
    null,
    'POST',
    '/api/user/login',
    { username, password },
    {
      ...anywhere(),
      'user-agent': 'Mozilla/5.0 Firefox/140.0',
    },
  );
  await site.query("UPDATE tokens SET status = 'enabled'");
  const seen = await list(admin, ada.id);
  const agents = (seen.data?.['userSessions'] as Array<{ userAgent: string | null; isCurrent: boolean }>).map(
    ({ userAgent, isCurrent }) => [userAgent, isCurrent],
  );
  expect(agents).toHaveLength(2);
  expect(agents[0]).toEqual(['Mozilla/5.0 Firefox/140.0', false]);

  expect((await site.rest(ada, 'GET', '/api/user/self')).status).toBe(200);
  expect((await end(admin, ada.id)).data).toEqual({ endUserSessions: { count: 2 } });
  expect((await site.rest(ada, 'GET', '/api/user/self')).status).toBe(401);
  expect((await list(admin, ada.id)).data).toEqual({ userSessions: [] });

  const document = `{ auditEntries(filter: { subjects: [USER], actions: ["endSessions"] }) {
    items { actorId subjectId changes { field before after } } } }`;
  expect((await site.graphql(root, document)).data).toEqual({
    auditEntries: {
      items: [
        { actorId: admin.id, subjectId: String(ada.id), changes: [{ field: 'sessions', before: '2', after: '0' }] },
      ],
    },
  });
});

it('only of users below them, and not of themselves', async () => {
  const other = await site.invite(root, 'admin');
  expect((await list(admin, other.id)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  expect((await end(admin, root.id)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  expect((await end(root, root.id)).codes).toEqual(['INVALID_INPUT']);
  expect((await end(root, 999_999)).codes).toEqual(['NOT_FOUND']);
});

it('lists the users that someone invited', async () => {
  const [one, two] = [await site.invite(root), await site.invite(root)];
  await site.query('UPDATE users SET inviter_id = $1 WHERE id = ANY ($2)', [one.id, [two.id]]);
  const invited = async (ids: number[]) => {
    const document = 'query ($filter: UserFilter) { users(filter: $filter) { totalCount items { id } } }';
    return (await site.graphql(admin, document, { filter: { inviterIds: ids } })).data?.['users'];
  };
  expect(await invited([one.id])).toEqual({ totalCount: 1, items: [{ id: two.id }] });
  expect(await invited([two.id])).toEqual({ totalCount: 0, items: [] });
});
