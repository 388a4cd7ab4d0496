import { anywhere, Site, type Person } from '../contract/site.js';

let site: Site;
let root: Person;
beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
});
afterAll(() => site.stop());

const password = 'a long password';
const taken = { success: false, code: 'CONFLICT', message: 'Username exists or has been deactivated' };
const register = async (username: string): Promise<unknown> =>
  (await site.rest(null, 'POST', '/api/user/register', { username, password }, anywhere())).body;
const create = async (username: string): Promise<unknown> =>
  (await site.rest(root, 'POST', '/api/user/', { username, password })).body;

describe('a name that could be mistaken for that of another user', () => {
  it.each([
    ['Alice', 'alice'],
    ['Bob', 'BOB'],
    ['Zoé', 'ZOE\u0301'],
    ['ЖАН', 'жан'],
    ['Carol', '\uff23arol'],
    ['Dave', 'dave\ufe0f'],
  ])('is refused at every way in: beside %s nobody is called %s', async (name, alike) => {
    await create(name);
    expect(await register(alike)).toMatchObject(taken);
    expect(await create(alike)).toMatchObject(taken);
    const other = await site.invite(root);
    expect((await site.rest(other, 'PUT', '/api/user/self', { username: alike })).body).toMatchObject(taken);
    expect((await site.rest(root, 'PUT', '/api/user/', { id: other.id, username: alike })).body).toMatchObject(taken);
    for (const document of [
      `mutation { register(input: { username: "${alike}", password: "${password}" }) { username } }`,
      `mutation { createUser(input: { username: "${alike}", password: "${password}" }) { user { id } } }`,
      `mutation { updateUser(input: { id: ${other.id}, username: "${alike}" }) { user { id } } }`,
    ]) {
      expect((await site.graphql(root, document, {}, anywhere())).codes).toEqual(['CONFLICT']);
    }
    expect(await site.query('SELECT username FROM users WHERE username = $1', [alike])).toEqual([]);
  });

  it('is that of a deleted user, too', async () => {
    const gone = await site.invite(root);
    await site.expectSuccess(gone, 'DELETE', '/api/user/self');
    expect(await create(gone.username.toUpperCase())).toMatchObject(taken);
  });

  it('goes to one of those who ask for it at once', async () => {
    const names = ['dora', 'Dora', 'DORA', 'dOra', 'doRa', 'dorA'];
    const answers = (await Promise.all(names.map(register))) as Array<{ success: boolean }>;
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(await site.query(`SELECT FROM users WHERE lower(username) = 'dora'`)).toHaveLength(1);
  });
});

it('a user writes the own name in another case', async () => {
  const user = await site.invite(root);
  const name = user.username.toUpperCase();
  await site.expectSuccess(user, 'PUT', '/api/user/self', { username: name });
  expect((await site.signIn(name, `password of ${user.username}`)).id).toBe(user.id);
});

it('users who have such names already keep them: each signs in, and saves the own form', async () => {
  const [first, second] = [await site.invite(root), await site.invite(root)];
  await site.query('UPDATE users SET username = $2 WHERE id = $1', [first.id, 'Twin']);
  await site.query('UPDATE users SET username = $2 WHERE id = $1', [second.id, 'twin']);
  for (const [user, username] of [
    [first, 'Twin'],
    [second, 'twin'],
  ] as const) {
    const signedIn = await site.signIn(username, `password of ${user.username}`);
    expect(signedIn.id).toBe(user.id);
    await site.expectSuccess(signedIn, 'PUT', '/api/user/self', { username, display_name: 'One of two' });
    await site.expectSuccess(root, 'PUT', '/api/user/', { id: user.id, username, display_name: 'One of both' });
  }
  const login = { username: 'TWIN', password: `password of ${first.username}` };
  const wrong = await site.rest(null, 'POST', '/api/user/login', login, anywhere());
  expect(wrong.body).toMatchObject({ success: false, code: 'INVALID_CREDENTIALS' });
  expect(await register('TWIN')).toMatchObject(taken);
});
