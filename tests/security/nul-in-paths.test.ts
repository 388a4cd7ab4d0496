import { anywhere, Site, type Person } from '../contract/site.js';

/** Texts in Postgres contain no NUL, so a path with NUL cannot name a row. */
let site: Site;
let root: Person;
let key: string;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  ({ key } = await site.server.api.createToken(root));
});
afterAll(() => site.stop());

/** Every route whose path has a part that the client chooses. */
const urls = (): Array<{ method: string; path: string }> =>
  site.server.app.routes
    .filter(({ method, url }) => /[:*]/.test(url) && !['HEAD', 'OPTIONS'].includes(method))
    .map(({ method, url }) => ({ method, path: url.replaceAll(/:\w+|\*/g, 'a%00') }));

it.each(['a key', 'a session'])('is 404 for every route, with %s', async (credential) => {
  const headers = { ...anywhere(), ...(credential === 'a key' ? { authorization: `Bearer ${key}` } : {}) };
  const person = credential === 'a key' ? null : root;
  const found = [];
  for (const { method, path } of urls()) {
    const body = method === 'GET' ? undefined : {};
    const { status } = await site.rest(person, method, path, body, headers);
    found.push({ method, path, status });
  }
  expect(found.length).toBeGreaterThan(50);
  expect(found.filter(({ status }) => status !== 404)).toEqual([]);
});

it('is 404 for the pages of the console, and allowed in a query', async () => {
  expect((await site.rest(null, 'GET', '/log%00')).status).toBe(404);
  const { status, body } = await site.rest(root, 'GET', '/api/log/?token_name=%00');
  expect([status, body]).toMatchObject([200, { success: true }]);
});
