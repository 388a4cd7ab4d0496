/**
 * `npm run bench -- console`: measures how long lists of a large site take in a browser, from a click in the navigation to
 * the first row, and from "Next page" to its first row. The site has 2,000 channels, 5,000 users and 200,000 log rows.
 * Prints the median and the slowest of five. Fails above the goals. Needs a Chromium, and the built console (`npm run
 * build`).
 *
 * `npm run bench -- console --pictures`: takes the pictures of README and guide from a smaller site of the same kind, light and dark.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { openBrowser, settled, visit, type Visitor } from '../e2e/console-page.js';
import { signIn } from '../e2e/console-session.js';
import { createTestDatabase } from '../support/database.js';
import { startServer, testEncryptionKey } from '../support/server.js';
import { findPostgres } from '../support/services/postgres.js';

/** Milliseconds. */
const goals = { page: 1000, next: 300 };
const runs = 5;
const root = join(import.meta.dirname, '../..');
const takesPictures = process.argv.includes('--pictures');

interface List {
  readonly path: string;
  /** The entry of the screen in the side bar. */
  readonly entry: string;
}
const lists: readonly List[] = [
  { path: '/log?size=20', entry: 'Usage log' },
  { path: '/channel?size=20', entry: 'Channels' },
  { path: '/user?size=20', entry: 'Users' },
];

const pictures: ReadonlyArray<readonly [name: string, path: string]> = [
  ['dashboard', '/detail?days=30&by=day'],
  ['channels', '/channel?size=20'],
  ['log', '/log?size=20&type=CONSUME'],
];

/** Statements that replace the names of the seed's people by readable ones. */
const readable = [
  "UPDATE users SET username = (ARRAY['ada', 'grace', 'linus', 'mira', 'noor', 'otto', 'yuki', 'zhang'])[1 + id % 8] || id WHERE id > 1",
  'UPDATE logs l SET username = u.username FROM users u WHERE u.id = l.user_id',
];

const firstRow = '[role=row][data-id]';

const postgres = await findPostgres();
process.env.TEST_DATABASE_URL = postgres.url;
const database = await createTestDatabase();
const server = await startServer({ database });
const browser = await openBrowser([]);
try {
  const owner = await server.api.setUp();
  await server.api.createChannel(owner, { baseUrl: 'http://127.0.0.1:9', models: ['gpt-4o'], name: 'OpenAI primary' });
  const logs = takesPictures ? '60000' : '200000';
  await promisify(execFile)(
    process.execPath,
    [join(root, 'scripts/seed.mjs'), '--logs', logs, '--users', takesPictures ? '40' : '5000'],
    {
      env: { PATH: process.env.PATH, DATABASE_URL: database.url, ENCRYPTION_KEY: testEncryptionKey },
    },
  );
  await fill(takesPictures ? 14 : 2000);
  const visitor = await visit(browser, server.url);
  await signIn(visitor);
  if (takesPictures) await photograph(visitor);
  else for (const list of lists) await measure(visitor, list);
} finally {
  await browser.close();
  await server.stop();
  await postgres.stop();
}

/** Channels as an operator names them, in all states. */
async function fill(channels: number): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `INSERT INTO channels (type, name, key_sealed, created_at, models, tag, groups, status, priority, weight,
       response_time, tested_at, balance, balance_at, status_reason, status_changed_at)
     SELECT (ARRAY[1, 14, 24, 3, 43])[1 + n % 5],
       (ARRAY['OpenAI', 'Anthropic', 'Gemini', 'Azure', 'DeepSeek'])[1 + n % 5] || ' ' || (ARRAY['primary', 'fallback', 'team key', 'EU'])[1 + n % 4]
         || CASE WHEN $1 > 20 THEN ' ' || n ELSE '' END,
       '', now() - n * interval '1 second', '{gpt-4o,gpt-4o-mini,claude-sonnet-4-5}', CASE WHEN n % 3 = 0 THEN 'eu' ELSE '' END,
       CASE WHEN n % 4 = 0 THEN '{default,vip}' ELSE '{default}' END::text[],
       CASE WHEN n % 9 = 0 THEN 'autoDisabled' WHEN n % 7 = 0 THEN 'disabled' ELSE 'enabled' END,
       n % 10, 1 + n % 50, 200 + n * 137 % 4200, now() - interval '1 minute', round((n * 37.41)::numeric % 400, 2),
       now() - interval '5 minutes', CASE WHEN n % 9 = 0 THEN '401 Incorrect API key' ELSE '' END, CASE WHEN n % 9 = 0 THEN to_timestamp(1) END
     FROM generate_series(1, $1::integer) n`,
    [channels],
  );
  if (takesPictures) for (const statement of readable) await client.query(statement);
  await client.query('ANALYZE');
  await client.end();
}

async function measure(visitor: Visitor, { path, entry }: List): Promise<void> {
  const { page } = visitor;
  const opened: number[] = [];
  const turned: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    await page.goto('/token');
    await settled(page, 60_000);
    const link = page.getByRole('link', { name: entry, exact: true });
    let began = performance.now();
    await link.click();
    await page.locator(firstRow).first().waitFor();
    opened.push(performance.now() - began);
    await page.goto(path);
    await page.locator(firstRow).first().waitFor();
    await settled(page, 60_000);
    began = performance.now();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText(/^Items 21 - 40 of /).waitFor();
    turned.push(performance.now() - began);
  }
  report(`${entry}: page to rows`, opened, goals.page);
  report(`${entry}: next page`, turned, goals.next);
}

function report(name: string, times: readonly number[], goal: number): void {
  const sorted = [...times].sort((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const isMet = median < goal;
  console.log(
    `${name}: median ${median.toFixed(0)} ms, slowest ${(sorted.at(-1) ?? 0).toFixed(0)} ms (goal ${String(goal)}) ${isMet ? 'met' : 'MISSED'}`,
  );
  if (!isMet) process.exitCode = 1;
}

async function photograph({ page }: Visitor): Promise<void> {
  const folder = join(root, 'docs/screenshots');
  mkdirSync(folder, { recursive: true });
  await page.setViewportSize({ width: 1440, height: 900 });
  const camera = await page.context().newCDPSession(page);
  for (const [name, path] of pictures) {
    await page.goto(path);
    await settled(page, 60_000);
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.locator(`html[data-theme=${scheme}]`).waitFor({ state: 'attached' });
      await settled(page, 60_000);
      const file = join(folder, `${name}${scheme === 'dark' ? '-dark' : ''}.webp`);
      const { data } = await camera.send('Page.captureScreenshot', { format: 'webp', quality: 88 });
      writeFileSync(file, Buffer.from(data, 'base64'));
      console.log(file);
    }
  }
}
