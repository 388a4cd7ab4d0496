import { inspect } from 'node:util';
import { chargedRows } from './charged-rows.js';
import pg from 'pg';
import { reconcile, type Drift } from '../../server/src/billing/ledger/reconcile.js';
import type { Person } from './api.js';
import { startServer, type LocalServer, type TestServer } from './server.js';
import { ScriptedTasks, scriptMidjourney, scriptSuno } from './upstream/tasks.js';
import { startUpstream, type Upstream } from './upstream/upstream.js';

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Balances of a user and a token. */
export interface Balances {
  readonly quota: number;
  readonly used: number;
  readonly token: number;
}

export const startQuota = 5_000_000;

/** A complete server with a scripted Midjourney and a scripted Suno channel, and a user who pays. */
export class TaskSite {
  /** The task states that the providers report. */
  readonly tasks = new ScriptedTasks();
  private constructor(
    readonly server: LocalServer,
    readonly upstream: Upstream,
    readonly pool: pg.Pool,
    readonly root: Person,
    readonly user: Person,
    readonly key: string,
    readonly tokenId: number,
    readonly drawingChannel: number,
    readonly musicChannel: number,
  ) {}

  /** @param quota of its user */
  static async open(environment: Readonly<Record<string, string>> = {}, quota = startQuota): Promise<TaskSite> {
    const upstream = await startUpstream();
    const server = await startServer({
      environment: { TASK_POLL_INTERVAL: '1', OUTBOUND_ALLOW: '127.0.0.1', LOG_LEVEL: 'warn', ...environment },
    });
    const { api } = server;
    const root = await api.setUp();
    const drawingChannel = await api.createChannel(root, {
      type: 2,
      baseUrl: upstream.url,
      key: 'mj-secret',
      models: [
        'mj_imagine',
        'mj_upscale',
        'mj_variation',
        'mj_reroll',
        'mj_inpaint',
        'mj_custom_zoom',
        'mj_modal',
        'mj_upload',
        'swap_face',
      ],
    });
    const musicChannel = await api.createChannel(root, {
      type: 36,
      baseUrl: upstream.url,
      key: 'suno-secret',
      models: ['suno_music', 'suno_lyrics'],
    });
    const pool = new pg.Pool({ connectionString: server.database.url, max: 2 });
    pool.on('error', () => undefined);
    const { user, key, tokenId } = await addCustomer(server, root, 'painter', quota);
    const site = new TaskSite(server, upstream, pool, root, user, key, tokenId, drawingChannel, musicChannel);
    site.script();
    return site;
  }

  /** Clears the script and accepts every submission. */
  script(): void {
    this.upstream.reset();
    scriptMidjourney(this.upstream, this.tasks);
    scriptSuno(this.upstream, this.tasks);
  }

  addCustomer(name: string): Promise<{ user: Person; key: string; tokenId: number }> {
    return addCustomer(this.server, this.root, name);
  }

  async call(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = { authorization: `Bearer ${this.key}` },
  ): Promise<Answer> {
    const response = await fetch(this.server.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text) as Record<string, unknown> };
  }

  /** Notifies this user of a low balance at an unreachable address, so that the notice stays queued. */
  async warnAt(user: Person, threshold: number): Promise<void> {
    await this.server.api.data(user, 'PUT', '/api/user/setting', {
      notify_type: 'webhook',
      quota_warning_threshold: threshold,
      webhook_url: 'https://hook.invalid/x',
      webhook_secret: 'a-secret-of-the-user',
    });
  }

  /** @returns the number of queued notices of this user, once there is one */
  async noticesOf(user: Person): Promise<number> {
    return eventually(
      async () => (await this.rows('SELECT 1 FROM notices WHERE user_id = $1', [user.id])).length,
      (count) => count > 0,
      25,
    );
  }

  setOption(key: string, value: string): Promise<unknown> {
    return this.server.api.data(this.root, 'PUT', '/api/option/', { key, value });
  }

  async rows<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(sql, values)).rows;
  }

  /** Newest first. */
  chargedRows(count: number): ReturnType<typeof chargedRows> {
    return chargedRows((sql, values) => this.rows(sql, values), count);
  }

  async balances(userId = this.user.id, tokenId = this.tokenId): Promise<Balances> {
    const [row] = await this.rows<{ quota: string; used: string; token: string }>(
      `SELECT u.quota, u.used_quota AS used, t.remain_quota AS token FROM users u JOIN tokens t ON t.user_id = u.id
       WHERE u.id = $1 AND t.id = $2`,
      [userId, tokenId],
    );
    return { quota: Number(row?.quota), used: Number(row?.used), token: Number(row?.token) };
  }

  drift(): Promise<Drift[]> {
    return reconcile(this.pool);
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.server.stop();
    await this.upstream.stop();
  }
}

async function addCustomer(
  { api }: TestServer,
  root: Person,
  username: string,
  quota = startQuota,
): Promise<{ user: Person; key: string; tokenId: number }> {
  const password = 'password of a user';
  await api.data(root, 'POST', '/api/user/', { username, password, display_name: username });
  const user = await api.signIn(username, password);
  const row = await api.data<Record<string, unknown>>(root, 'GET', `/api/user/${user.id}`);
  await api.data(root, 'PUT', '/api/user/', { ...row, password: '', quota });
  const { id, key } = await api.createToken(user, { unlimited_quota: false, remain_quota: quota });
  return { user, key, tokenId: id };
}

/**
 * Reads until the value is accepted.
 * @returns the accepted value
 * @throws with the last value if none is accepted in time
 */
export async function eventually<T>(read: () => Promise<T>, good: (value: T) => boolean, seconds = 25): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const value = await read();
    if (good(value)) return value;
    if (Date.now() > deadline) throw new Error(`after ${String(seconds)} s it was still ${inspect(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
