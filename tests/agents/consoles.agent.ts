/** Programs that were written for older consoles of the family, unchanged. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Site } from '../contract/site.js';
import { pythonOf } from './install.js';
import { oneApiCli } from './programs.js';

let site: Site;

beforeAll(async () => {
  site = await Site.open();
});
afterAll(() => site.stop());

it('one-api-cli manages channels and users', async () => {
  const root = await site.setUp();
  const token = (await site.rest(root, 'GET', '/api/user/token')).body.data as string;
  const script = join(import.meta.dirname, 'one_api_client.py');
  const { stdout } = await promisify(execFile)(pythonOf(oneApiCli), [script, site.server.url, token]);
  expect(JSON.parse(stdout)).toEqual({
    valid: true,
    newest: 'cli 11',
    channels: 12,
    'second page': ['cli 1', 'cli 0'],
    key: 'sk-x',
    saved: true,
    renamed: 'renamed',
    users: ['alice', 'root'],
    granted: [true, 777],
    'granted again': [true, 777],
    deleted: true,
  });
  expect((await site.rest(root, 'GET', '/api/user/2')).body).toMatchObject({ success: false, code: 'NOT_FOUND' });
});
