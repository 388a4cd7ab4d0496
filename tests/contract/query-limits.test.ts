import { Site, type Person } from './site.js';

let site: Site;
let root: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
});
afterAll(() => site.stop());

describe('what one document may ask', () => {
  const refusal = async (query: string): Promise<{ status: number; message: string; code: string | undefined }> => {
    const headers = { 'content-type': 'application/json' };
    const { status, body } = await site.rest(root, 'POST', '/graphql', { query }, headers);
    const [error] = (body as { errors?: Array<{ message: string; extensions?: { code?: string } }> }).errors ?? [];
    return { status, message: error?.message ?? '', code: error?.extensions?.code };
  };
  it.each<[string, string, RegExp]>([
    [
      'depth',
      `{ __type(name: "Log") { ${'ofType { '.repeat(12)} name ${'} '.repeat(12)} } }`,
      /^(?!Syntax Error).*depth/i,
    ],
    ['aliases', `{ ${Array.from({ length: 20 }, (_, n) => `a${n}: groups`).join(' ')} }`, /aliases/i],
    ['tokens', `{ ${'groups '.repeat(3100)} }`, /token/i],
    ['length', `{ ${'groups '.repeat(100_000)} }`, /token/i],
    ['nesting', '{a'.repeat(100_000), /token/i],
  ])('%s has an end, and says so', async (_name, query, message) => {
    const refused = await refusal(query);
    expect(refused.status).toBe(400);
    expect(refused).toMatchObject({
      message: expect.stringMatching(message) as string,
      code: expect.stringMatching(/^GRAPHQL_(VALIDATION|PARSE)_FAILED$/) as string,
    });
  });

  it('a document that is longer than a body may be is too large', async () => {
    expect(await refusal(`{ ${'x'.repeat(2 ** 20)} }`)).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
  });

  describe('cost', () => {
    const lists = (pageSize: number): string =>
      `{ ${Array.from({ length: 14 }, (_, n) => `a${n}: channelsByTag(pageSize: ${pageSize}) { items { tag channels { id } } }`).join(' ')} }`;
    const costOf = async (query: string, variables: Record<string, unknown> = {}): Promise<unknown> => {
      const { text } = await site.graphql(root, query, variables);
      return (JSON.parse(text) as { extensions?: { cost?: unknown } }).extensions?.cost;
    };

    it('counts the rows a list is asked for', async () => {
      // The operation costs 10, the list 1, and each row 1.
      expect(await costOf('{ users(pageSize: 7) { items { id } totalCount } }')).toMatchObject({ requested: 18 });
      expect(await costOf('{ users { items { id } } }')).toMatchObject({ requested: 21 });
      expect(await costOf('query($n: Int) { users(pageSize: $n) { items { id } } }', { n: 100 })).toMatchObject({
        requested: 111,
      });
      expect(await costOf('{ users(pageSize: 100) { totalCount } }')).toMatchObject({ requested: 11 });
    });

    it('counts all rows of a list that is read whole without a size', async () => {
      const { text } = await site.graphql(root, '{ options { items { key } } }');
      const { data, extensions } = JSON.parse(text) as {
        data: { options: { items: unknown[] } };
        extensions: { cost: { requested: number } };
      };
      expect(extensions.cost.requested).toBeGreaterThanOrEqual(11 + data.options.items.length);
      expect(await costOf('{ options(pageSize: 20) { items { key } } }')).toMatchObject({ requested: 31 });
    });

    it('counts the rows that a list gives for a size below 1', async () => {
      for (const size of [0, -5]) {
        const nested = `{ users(pageSize: ${size}) { items { tokens(pageSize: ${size}) { items { id } } } } }`;
        expect(await costOf(nested)).toMatchObject({ requested: 131 });
        expect(await costOf(nested.replaceAll(String(size), '10'))).toMatchObject({ requested: 131 });
      }
    });

    it('counts an object of a row once for each row, and fragments where they are spread', async () => {
      const head = 'fragment head on TaggedChannelsPage { items { tag channels { id } } }';
      expect(await costOf(`{ channelsByTag(pageSize: 5) { ...head } } ${head}`)).toMatchObject({
        requested: 10 + 1 + 10,
      });
      const doubled = 'fragment twice on Query { ...once ...once } fragment once on Query { me { id } }';
      expect(await costOf(`{ ...twice } ${doubled}`)).toMatchObject({ requested: 12 });
    });

    it('leaves out what is skipped', async () => {
      expect(
        await costOf('query($no: Boolean = false) { me { id } users @include(if: $no) { totalCount } }'),
      ).toMatchObject({ requested: 11 });
    });

    it('has an end, and the refusal says what was asked', async () => {
      expect(await costOf(lists(20))).toMatchObject({ requested: 10 + 14 * 41, limit: 10_000 });
      const refused = await refusal(
        lists(100).replace('{ a0', '{ x: logs(pageSize: 100) { items { id } } a0').replaceAll('100', '1000'),
      );
      expect(refused).toMatchObject({ status: 400, code: 'QUERY_TOO_EXPENSIVE' });
      expect(refused.message).toMatch(/costs 2\d{4}, more than 10000/);
    });
  });

  it('what the console asks stays far below', async () => {
    const { codes } = await site.graphql(
      root,
      '{ logs { items { id } } usage(bucket: DAY) { items { metrics { quota } } } me { id } }',
    );
    expect(codes).toEqual([]);
  });
});

it('accepts null in place of variables, as absent ones', async () => {
  const headers = { 'content-type': 'application/json' };
  const query = 'query ($name: String! = "User") { __type(name: $name) { name } }';
  const { body } = await site.rest(root, 'POST', '/graphql', { query, variables: null }, headers);
  expect(body).toMatchObject({ data: { __type: { name: 'User' } } });
});

it('refuses the name of an operation that the document lacks', async () => {
  const headers = { 'content-type': 'application/json' };
  const query = 'query Mine { me { id } }';
  const { status, body } = await site.rest(root, 'POST', '/graphql', { query, operationName: 'Other' }, headers);
  expect([status, body]).toMatchObject([400, { errors: [{ extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } }] }]);
});
