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
  const columns = 'id username tokenName channelName modelName group quota promptTokens completionTokens content other';

  it.each<[string, string, RegExp]>([
    ['depth', `{ __type(name: "Log") { ${'ofType { '.repeat(12)} name ${'} '.repeat(12)} } }`, /depth/i],
    ['aliases', `{ ${Array.from({ length: 20 }, (_, n) => `a${n}: groups`).join(' ')} }`, /aliases/i],
    ['tokens', `{ ${'groups '.repeat(3100)} }`, /token/i],
    ['length', `{ ${'groups '.repeat(100_000)} }`, /token/i],
    ['nesting', '{a'.repeat(100_000), /token/i],
    [
      'cost',
      `{ ${Array.from({ length: 14 }, (_, n) => `a${n}: logs { items { ${`${columns} `.repeat(16)} } }`).join(' ')} }`,
      /cost/i,
    ],
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

  it('what the console asks stays far below', async () => {
    const { codes } = await site.graphql(
      root,
      '{ logs { items { id } } usage(groupBy: [DAY]) { items { quota } } me { id } }',
    );
    expect(codes).toEqual([]);
  });
});
