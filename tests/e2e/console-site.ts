import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { en } from '../../client/src/i18n/en/en.js';
import { zh } from '../../client/src/i18n/zh/zh.js';
import { rootPassword, type Person } from '../support/api.js';
import { createPreparedDatabase } from '../support/database.js';
import { startServer, testEncryptionKey, type TestServer } from '../support/server.js';

/** A site in use: channels, tokens, codes, calls of a month, drawings and songs. */
export interface ConsoleSite {
  readonly server: TestServer;
  readonly root: Person;
  /** A common user with a token, drawings and songs. */
  readonly customer: Person;
}

const picture = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
const prompt = 'A lighthouse above the clouds at dawn, oil on canvas, wide, with ships in the sky --ar 16:9';

const customerName = 'ada';
const customerPassword = 'password of a user';
// Providers are not polled, so the tasks stay as inserted below.
const environment = { UPDATE_TASK: 'false' };

/** A server on a copy of the site, whose changes no other file sees. */
export async function openSite(): Promise<ConsoleSite> {
  const database = await createPreparedDatabase('console', async (draft) => {
    const server = await startServer({ environment, database: draft });
    try {
      await fill(server);
    } finally {
      await server.stop();
    }
  });
  const server = await startServer({ environment, database });
  const stop = async (): Promise<void> => {
    await server.stop();
    await database.drop();
  };
  const root = await server.api.signIn('root', rootPassword);
  const customer = await server.api.signIn(customerName, customerPassword);
  return { server: { ...server, stop }, root, customer };
}

async function fill(server: TestServer): Promise<void> {
  const { api } = server;
  const root = await api.setUp();
  // The process is awaited asynchronously, because the server in this process has to release rows that the seed locks.
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../scripts/seed.mjs'), '--logs', '1500'], {
    env: { PATH: process.env.PATH, DATABASE_URL: server.database.url, ENCRYPTION_KEY: testEncryptionKey },
  });
  for (const [key, value] of [
    ['ServerAddress', 'https://gate.example.com'],
    ['PayAddress', 'https://pay.example.com'],
    ['EpayId', '1001'],
    ['EpayKey', 'epay-key'],
    ['CheckInEnabled', 'true'],
    ['model_health.access', 'public'],
    ['status_page.enabled', 'true'],
    // Images are then loaded from their original URL, which is the page itself here.
    ['MjForwardUrlEnabled', 'false'],
  ]) {
    await api.data(root, 'PUT', '/api/option/', { key, value });
  }
  for (const [name, tag, more] of [
    ['OpenAI primary', 'openai-us', { priority: 10, weight: 50 }],
    ['Azure East US 2', 'openai-us', { priority: 5, weight: 10, status: 2 }],
    ['Gemini AI Studio', '', { weight: 10 }],
  ] as const) {
    const models = ['gpt-4o', 'gpt-4o-mini', 'o3-mini'];
    await api.createChannel(root, { name, baseUrl: 'http://127.0.0.1:9', models, more: { tag, ...more } });
  }
  for (let number = 1; number <= 12; number += 1) await api.createToken(root, { name: `Batch ${String(number)}` });
  await api.createToken(root, { name: 'Notebook', model_limits_enabled: true, model_limits: 'gpt-4o' });
  await api.createToken(root, { name: 'Production', remain_quota: 5_000_000, unlimited_quota: false });
  await api.data(root, 'POST', '/api/redemption/', { name: 'Launch credit', quota: 500_000, count: 25 });
  await api.data(root, 'POST', '/api/user/', {
    username: customerName,
    password: customerPassword,
    display_name: 'Ada Lovelace',
  });
  const customer = await api.signIn(customerName, customerPassword);
  await api.createToken(customer, { name: 'Laptop' });
  await addTasks(server, [root.id, customer.id]);
}

/** Two drawings and two songs for each; ids end in the owner's. */
async function addTasks(server: TestServer, owners: readonly number[]): Promise<void> {
  const database = new pg.Client(server.database.url);
  await database.connect();
  const now = Date.now();
  const second = new Date(now);
  // The first owner has enough for several pages. They are older than the others, so they are created first.
  const [first] = owners;
  await database.query(
    `INSERT INTO midjourneys (request_id, user_id, channel_id, mj_id, action, status, progress, submit_time, code, prompt)
     SELECT 'old-drawing-' || n, $1, 7, 'old-drawing-' || n, 'IMAGINE', 'SUCCESS', 100, $2::timestamptz - make_interval(secs => n), 1, 'A ship'
     FROM generate_series(1, 23) n`,
    [first, new Date(now - 100_000)],
  );
  await database.query(
    `INSERT INTO tasks (request_id, created_at, updated_at, task_id, platform, user_id, channel_id, action, status,
       progress, submit_time)
     SELECT 'old-song-' || n, $2::timestamptz - make_interval(secs => n), $2, 'old-song-' || n, 'suno', $1, 8, 'MUSIC',
       'SUCCESS', 100, $2::timestamptz - make_interval(secs => n)
     FROM generate_series(1, 23) n`,
    [first, second],
  );
  for (const owner of owners) {
    for (const [id, action, status, progress, image, reason] of [
      ['imagine', 'IMAGINE', 'SUCCESS', 100, picture, ''],
      ['upscale', 'UPSCALE', 'FAILURE', 100, '', 'The picture could not be found any more'],
    ] as const) {
      await database.query(
        `INSERT INTO midjourneys (request_id, user_id, channel_id, mj_id, action, status, progress, submit_time,
           finish_time, image_url, fail_reason, code, prompt, prompt_en)
         VALUES ($1, $2, 7, $1, $3, $4, $5, $6, $7, $8, $9, 1, $10, 'lighthouse')`,
        [
          `${id}-${String(owner)}`,
          owner,
          action,
          status,
          progress,
          new Date(now - 90_000),
          new Date(now - 48_000),
          image,
          reason,
          prompt,
        ],
      );
    }
    for (const [id, action, status, progress, data] of [
      ['song', 'MUSIC', 'SUCCESS', 100, '[{"title":"Dawn","audio_url":"http://127.0.0.1:9/dawn.mp3"}]'],
      ['lyrics', 'LYRICS', 'QUEUED', 10, null],
    ] as const) {
      await database.query(
        `INSERT INTO tasks (request_id, created_at, updated_at, task_id, platform, user_id, channel_id, action, status,
           progress, submit_time, finish_time, data)
         VALUES ($1, $2, $2, $1, 'suno', $3, 8, $4, $5, $6, $2, $7, $8)`,
        [`${id}-${String(owner)}`, second, owner, action, status, progress, status === 'SUCCESS' ? second : null, data],
      );
    }
    for (const [id, status, reason] of [
      ['made', 'SUCCESS', ''],
      ['withheld', 'FAILURE', 'The prompt could not be submitted: it violates the usage guidelines'],
    ] as const) {
      await database.query(
        `INSERT INTO tasks (request_id, created_at, updated_at, task_id, platform, user_id, channel_id, action, status,
           progress, submit_time, finish_time, fail_reason, properties)
         VALUES ($1, $2, $2, 'video_20261125173734123456789' || $1, 'video', $3, 8, 'VIDEO', $4, 100, $2, $2, $5, $6)`,
        [`${id}-${String(owner)}`, second, owner, status, reason, { input: 'A lighthouse above the clouds at dawn' }],
      );
    }
  }
  await database.end();
}

/** Adds rows to every list that would be empty, and the longest states for which lists have chips. */
export async function showLongStates({ server, root }: ConsoleSite): Promise<void> {
  await server.api.data(root, 'PUT', '/api/option/', { key: 'ModelRatio', value: '{"gpt-4o":1.5}' });
  const database = new pg.Client(server.database.url);
  await database.connect();
  await database.query(
    `UPDATE channels SET status = 'autoDisabled', status_reason = '401 Incorrect API key', status_changed_at = to_timestamp(1) WHERE name = 'Azure East US 2'`,
  );
  await database.query(
    `UPDATE channels SET response_time = 12000, tested_at = to_timestamp(1), groups = '{default,enterprise,vip}' WHERE name = 'Gemini AI Studio'`,
  );
  await database.query(`INSERT INTO token_uses (token_id, address) SELECT id, '2001:db8::1' FROM tokens`);
  const now = Math.floor(Date.now() / 1000);
  await database.query(
    `INSERT INTO top_up_orders (user_id, trade_no, provider, merchant_id, payment_method, quota, money, currency, status,
       created_at, paid_at)
     SELECT 1, 'trade-' || status, 'epay', '1001', 'alipay', 10000000, 14600, 'CNY', status, to_timestamp($1), to_timestamp($1)
     FROM unnest(ARRAY['success', 'pending']) status`,
    [now - 7200],
  );
  // The seed has failures at random hours; the page of a key shows the last one. The keys of the seed are too short for an ending.
  await database.query(
    `INSERT INTO failed_attempts (at, request_id, user_id, channel_id, key_ending, model, kind, status, error)
     VALUES (now(), 'failed-now', 1, 1, '', 'gemini-2.5-flash-native-audio-preview', 'RATE_LIMITED', 429, 'status 429: Quota exceeded')`,
  );
  await database.query(`INSERT INTO model_failures VALUES ($1, 'gpt-4o', 'default', 'RATE_LIMITED', 10, $1)`, [
    now - (now % 3600),
  ]);
  await database.end();
}

type Texts = { readonly [key: string]: string | Texts };

/** The texts of a language as the console shows them, so that tests work in either language. */
export type Say = (key: string, values?: Readonly<Record<string, string | number>>) => string;

export const sayIn = (language: 'en' | 'zh'): Say => {
  const texts: Texts = language === 'en' ? en : zh;
  return (key, values = {}) => {
    let found: string | Texts | undefined = texts;
    for (const part of key.split('.')) found = typeof found === 'object' ? found[part] : undefined;
    if (typeof found !== 'string') throw new Error(`no text ${key} in ${language}`);
    return found.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''));
  };
};
