import { Site, type Person } from './site.js';

let site: Site;
let root: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  for (const [name, tag, priority, models] of [
    ['a1', 'a', 1, 'gpt-4o'],
    ['b1', 'b', 9, 'gpt-4o'],
    ['a2', 'a', 3, 'o1'],
    ['alone', '', 5, 'o1'],
    ['late', '', 0, 'gpt-4o'],
  ] as const) {
    const channel = { name, tag, priority, models, type: 1, key: `sk-planted-${name}`, group: 'default' };
    await site.expectSuccess(root, 'POST', '/api/channel/', { ...channel, base_url: 'https://api.example.com' });
  }
});
afterAll(() => site.stop());

type Page = { items: { tag: string | null; channels: { name: string }[] }[]; totalCount: number };

async function entries(parameters = ''): Promise<{ lines: string[]; totalCount: number }> {
  const query = `query { channelsByTag${parameters} { totalCount items { tag channels { name } } } }`;
  const { data, text } = await site.graphql(root, query);
  expect(text).not.toContain('planted');
  const page = data?.['channelsByTag'] as Page;
  const lines = page.items.map(({ tag, channels }) => `${tag ?? ''}: ${channels.map(({ name }) => name).join(' ')}`);
  return { lines, totalCount: page.totalCount };
}

it('lists tags in the order of their first channel, then channels without one', async () => {
  expect(await entries()).toEqual({ lines: ['b: b1', 'a: a2 a1', ': alone', ': late'], totalCount: 4 });
  expect((await entries('(sort: [{ field: ID, direction: ASC }])')).lines).toEqual([
    ...['a: a1 a2', 'b: b1', ': alone', ': late'],
  ]);
});

it('pages lines, over the border between both kinds', async () => {
  expect(await entries('(page: 0, pageSize: 3)')).toEqual({ lines: ['b: b1', 'a: a2 a1', ': alone'], totalCount: 4 });
  expect(await entries('(page: 1, pageSize: 3)')).toEqual({ lines: [': late'], totalCount: 4 });
  expect(await entries('(page: 2, pageSize: 3)')).toEqual({ lines: [], totalCount: 4 });
});

it('shows whole tags when a filter finds one channel of them', async () => {
  expect(await entries('(filter: { models: ["o1"] })')).toEqual({ lines: ['a: a2 a1', ': alone'], totalCount: 2 });
  expect(await entries('(filter: { keyword: "nothing" })')).toEqual({ lines: [], totalCount: 0 });
});

it('reads on from a cursor, over the border between both kinds', async () => {
  const lines: string[] = [];
  let after: string | null = null;
  for (let more = true; more;) {
    const query = `query ($after: String) { channelsByTag(pageSize: 3, after: $after) {
      items { tag channels { name } } pageInfo { endCursor hasNextPage } } }`;
    const { data } = await site.graphql(root, query, { after });
    const page = data?.['channelsByTag'] as Page & { pageInfo: { endCursor: string; hasNextPage: boolean } };
    lines.push(...page.items.map(({ tag, channels }) => `${tag ?? ''}: ${channels.map(({ name }) => name).join(' ')}`));
    [after, more] = [page.pageInfo.endCursor, page.pageInfo.hasNextPage];
  }
  expect(lines).toEqual((await entries()).lines);
  const gone = await site.graphql(root, '{ channelsByTag(after: "bm9uZQ") { totalCount } }');
  expect(gone.codes).toEqual(['INVALID_INPUT']);
});

it('refuses to sort by a field that lists do not have', async () => {
  const query = 'query { channelsByTag(sort: { field: KEY, direction: ASC }) { totalCount } }';
  expect((await site.graphql(root, query)).codes).toEqual(['GRAPHQL_VALIDATION_FAILED']);
});
