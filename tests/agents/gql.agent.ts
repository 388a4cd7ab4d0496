/** Clients of GraphQL that are not on npm. `tests/contract/graphql-clients.test.ts` has the others. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Site } from '../contract/site.js';
import { pythonOf } from './install.js';
import { gql } from './programs.js';

let site: Site;

beforeAll(async () => {
  site = await Site.open();
});
afterAll(() => site.stop());

it('gql for Python reads the schema, checks its documents by it, and asks', async () => {
  const root = await site.setUp();
  const create = 'mutation { createAccessToken(input: { name: "board", scopes: [ADMIN_READ] }) { secret } }';
  const { data } = await site.graphql(root, create);
  const { secret } = data?.['createAccessToken'] as { secret: string };
  const script = join(import.meta.dirname, 'gql_client.py');
  const { stdout } = await promisify(execFile)(pythonOf(gql), [script, `${site.server.url}/graphql`, secret]);
  expect(JSON.parse(stdout)).toEqual({
    users: { totalCount: 1, items: [{ username: 'root' }] },
    'refused by the schema': "Cannot query field 'nothing' on type 'UserPage'.",
    'refused by the server': ['INSUFFICIENT_PRIVILEGES'],
    'data beside it': true,
  });
});
