/** Programs that were written for older consoles of the family, unchanged. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Site } from '../contract/site.js';

const kept = process.env['AGENTS_FOLDER'];
const folder = kept ? join(kept, 'consoles') : mkdtempSync(join(tmpdir(), 'tollgate-consoles-'));
const python = join(folder, 'bin/python');

let site: Site;

beforeAll(async () => {
  if (!existsSync(python)) {
    execFileSync('python3', ['-m', 'venv', folder]);
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', 'one-api-cli==1.0.0'], { stdio: 'pipe' });
  }
  site = await Site.open();
}, 600_000);
afterAll(async () => {
  await site.stop();
  if (!kept) rmSync(folder, { recursive: true, force: true });
});

it('one-api-cli manages channels and users', async () => {
  const root = await site.setUp();
  const token = (await site.rest(root, 'GET', '/api/user/token')).body.data as string;
  const script = join(import.meta.dirname, 'one_api_client.py');
  const { stdout } = await promisify(execFile)(python, [script, site.server.url, token]);
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
