import bcrypt from 'bcrypt';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Person } from '../support/api.js';
import { createTestDatabase } from '../support/database.js';
import { makeContent } from '../support/import/content.js';
import { findMariaDb, startMariaDb } from '../support/import/mariadb.js';
import { createSource } from '../support/import/source.js';
import { spawnServer, testEncryptionKey, type SpawnedServer } from '../support/server.js';
import { flac, mp3, oggOpus, oggVorbis } from '../support/silence.js';
import { json } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { wav } from '../support/wav.js';

/** Packages of the build that the server loads late, or that load a file of their own. Other tests run the sources. */

let server: SpawnedServer;
let upstream: Upstream;
let database: pg.Pool;
let root: Person;
let key: string;

beforeAll(async () => {
  [server, upstream] = await Promise.all([
    spawnServer({ environment: { OUTBOUND_ALLOW: '127.0.0.1' } }),
    startUpstream(),
  ]);
  database = new pg.Pool({ connectionString: server.database.url, max: 1 });
  const { api } = server;
  root = await api.setUp();
  await api.createChannel(root, { baseUrl: upstream.url, models: ['gpt-4o', 'gpt-4', 'whisper-1'] });
  ({ key } = await api.createToken(root));
});
afterEach(() => upstream.reset());
afterAll(async () => {
  await database.end();
  await Promise.all([server.stop(), upstream.stop()]);
});

it('checks passwords of argon2id and bcrypt', async () => {
  await server.api.data(root, 'POST', '/api/user/', { username: 'alice', password: 'alice’s password' });
  await server.api.signIn('alice', 'alice’s password');
  await database.query(`UPDATE users SET password_hash = $1 WHERE username = 'alice'`, [await bcrypt.hash('older', 4)]);
  await server.api.signIn('alice', 'older');
});

it.each(['gpt-4o', 'gpt-4'])('counts tokens with the tables of %s', async (model) => {
  const content = 'hello '.repeat(300);
  const body = { model, messages: [{ role: 'user', content }] };
  const counted = await server.api.relay(key, '/v1/messages/count_tokens', body);
  // An estimate by length alone would be 600.
  expect(((await counted.json()) as { input_tokens: number }).input_tokens).toBeLessThan(400);
});

it.each([
  ['wav', wav(60)],
  ['mp3', mp3(60)],
  ['ogg', oggVorbis(60)],
  ['oga', oggOpus(60)],
  ['flac', flac(60)],
])('measures a recording in %s', async (kind, bytes) => {
  upstream.script({}, json({ text: 'hello' }));
  const form = new FormData();
  form.set('model', 'whisper-1');
  form.set('file', new Blob([new Uint8Array(bytes)]), `talk.${kind}`);
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${server.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
  expect(await response.text()).toBe('{"text":"hello"}');
  const { rows } = await database.query<{ tokens: number }>(
    'SELECT prompt_tokens AS tokens FROM logs WHERE model_name = $1 ORDER BY id DESC LIMIT 1',
    ['whisper-1'],
  );
  expect(rows[0]?.tokens).toBeGreaterThanOrEqual(1000);
  expect(rows[0]?.tokens).toBeLessThan(1020);
});

it('takes a body packed with Zstandard', async () => {
  const plain = Buffer.from(JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }));
  // The frame has one uncompressed block, which is the last one.
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0, 0, 0]);
  head.writeUIntLE((plain.length << 3) | 1, 6, 3);
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-encoding': 'zstd' },
    body: new Uint8Array(Buffer.concat([head, plain])),
  });
  expect(response.status).toBe(200);
  expect(upstream.requests[0]?.rawBody).toEqual(plain);
});

it('makes pages of the documentation', async () => {
  for (const path of ['/docs', '/docs/api']) {
    expect(await (await fetch(`${server.url}${path}`)).text()).toContain('<h1');
  }
});

const importProgram = join(import.meta.dirname, '../../dist/server/compose/import.main.js');

it.each([
  [['--help'], /^usage: npm run import/],
  [['--lgos', 'none', 'old.db'], /^tollgate: Unknown option '--lgos'\nusage: npm run import/],
])('says how a site is imported, to %j', async (parameters, expected) => {
  const failed = await promisify(execFile)(process.execPath, [importProgram, ...parameters]).catch(
    (error: unknown) => error,
  );
  expect(failed).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(expected) as string });
});

(findMariaDb() || process.env.CI ? it : it.skip)(
  'imports from MariaDB',
  async () => {
    const [mariadb, target] = await Promise.all([startMariaDb(), createTestDatabase()]);
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-built-'));
    try {
      const now = Math.floor(Date.now() / 1000);
      const content = makeContent({ family: 'new-api', upstream: 'http://127.0.0.1:9', now, logs: 100 });
      const source = await createSource('new-api', 'mysql', content, mariadb);
      const child = spawn(process.execPath, [importProgram, source.address, '--plans', 'drop'], {
        env: {
          PATH: process.env.PATH,
          DATABASE_URL: target.url,
          DATA_DIR: folder,
          ENCRYPTION_KEY: testEncryptionKey,
          SESSION_SECRET: 'x'.repeat(32),
        },
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (text: Buffer) => (output += text.toString()));
      const [code] = (await once(child, 'close')) as [number];
      expect([code, output]).toEqual([0, expect.stringContaining('The ledger is consistent.')]);
    } finally {
      await mariadb.stop();
      await target.drop();
      await rm(folder, { recursive: true, force: true });
    }
  },
  120_000,
);
