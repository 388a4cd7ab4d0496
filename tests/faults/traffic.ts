import { randomInt } from 'node:crypto';
import pg from 'pg';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import type { Api, Person } from '../support/api.js';
import type { TestDatabase } from '../support/database.js';

/** One call from the caller's view. */
export interface Seen {
  /** 0: the connection broke. */
  readonly status: number;
  /** The complete JSON body, or a stream up to its end marker. */
  readonly whole: boolean;
  readonly requestId: string;
  readonly retryAfter: string | null;
  readonly code: string | null;
}

/** One call, JSON or streamed, read to its end. Never throws. */
export async function callOnce(url: string, key: string, stream: boolean): Promise<Seen> {
  let seen: Seen = { status: 0, whole: false, requestId: '', retryAfter: null, code: null };
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', stream, messages: [{ role: 'user', content: 'hi' }] }),
    });
    seen = {
      ...seen,
      status: response.status,
      requestId: response.headers.get('x-oneapi-request-id') ?? '',
      retryAfter: response.headers.get('retry-after'),
    };
    const text = await response.text();
    if (response.status !== 200) {
      return { ...seen, code: (JSON.parse(text) as { error?: { code?: string } }).error?.code ?? null };
    }
    const whole = stream
      ? text.trimEnd().endsWith('data: [DONE]') && !text.includes('"error"')
      : JSON.parse(text) !== null;
    return { ...seen, whole };
  } catch {
    return seen; // The connection broke.
  }
}

/** Callers that run until `stop`, each calling the address that `target` currently returns, if any. */
export class Traffic {
  readonly seen: Seen[] = [];
  private stopping = false;
  private readonly running: Promise<void>[];

  /** @param target null: no call for the moment */
  constructor(callers: number, target: (caller: number) => { url: string; key: string } | null) {
    this.running = Array.from({ length: callers }, async (_, caller) => {
      while (!this.stopping) {
        const at = target(caller);
        const seen = at && (await callOnce(at.url, at.key, randomInt(2) === 0));
        if (seen) this.seen.push(seen);
        // Twenty callers that retry at once would keep a small machine from recovering.
        if (!seen || seen.status === 0 || seen.status === 503) await new Promise((resolve) => setTimeout(resolve, 50));
      }
    });
  }

  async stop(): Promise<Seen[]> {
    this.stopping = true;
    await Promise.all(this.running);
    return this.seen;
  }

  get answered(): Seen[] {
    return this.seen.filter((seen) => seen.whole);
  }
}

/**
 * Environment of a server that is going to be killed: other servers release its reservations after 8 s instead of 20,
 * and a test waits for it. A busy machine must not delay a living server's heartbeat for so long.
 */
export const quickDeath = { NODE_HEARTBEAT_INTERVAL: '1', NODE_DEAD_AFTER: '8' };

/** A site with one channel and users who each have a token. */
export async function openSite(
  api: Api,
  upstreamUrl: string,
  users: Array<{ username: string; quota: number }>,
): Promise<{ root: Person; channelId: number; keys: string[]; people: Person[] }> {
  const root = await api.setUp();
  const channelId = await api.createChannel(root, { baseUrl: upstreamUrl });
  const keys: string[] = [];
  const people: Person[] = [];
  for (const { username, quota } of users) {
    const password = 'password of a user';
    await api.data(root, 'POST', '/api/user/', { username, password, display_name: username });
    const person = await api.signIn(username, password);
    people.push(person);
    const row = await api.data<Record<string, unknown>>(root, 'GET', `/api/user/${person.id}`);
    await api.data(root, 'PUT', '/api/user/', { ...row, password: '', quota });
    keys.push((await api.createToken(person)).key);
  }
  return { root, channelId, keys, people };
}

/** Gives a user a plan that pays for all calls, up to an amount in a week. */
export async function grantPlan(api: Api, root: Person, userId: number, amount: number): Promise<void> {
  const windows = [{ window: 'week', kind: 'money', amount }];
  const terms = { name: 'Plan', price: 0, period_unit: 'day', period_count: 30, windows };
  const plan = await api.data<{ id: number }>(root, 'POST', '/api/plan/', terms);
  await api.data(root, 'POST', '/api/plan/grant', { user_id: userId, plan_id: plan.id });
}

/** Waits until these servers serve the model of `callOnce`, whose channel another server has announced. */
export async function channelReaches(servers: readonly { readonly url: string }[], key: string): Promise<void> {
  for (const { url } of servers) {
    const isServed = async (): Promise<boolean> => {
      const response = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
      return (await response.text()).includes('"gpt-4o"');
    };
    await until(isServed, 60, 'a server knows the channel');
  }
}

/** Waits until these servers have the option values that another server has announced. */
export async function optionsReach(
  servers: readonly { readonly api: Api }[],
  root: Person,
  values: Record<string, string>,
) {
  for (const { api } of servers) {
    const has = async (): Promise<boolean> => {
      const options = await api.data<Array<{ key: string; value: string }>>(root, 'GET', '/api/option/');
      return Object.entries(values).every(([key, value]) => options.find((one) => one.key === key)?.value === value);
    };
    await until(has, 60, `a server has ${JSON.stringify(values)}`);
  }
}

/** Quota that plans have paid and reserved, and the same amounts in the windows of their budgets. */
interface PlanUse {
  readonly used: number;
  readonly held: number;
  readonly counted: number;
  readonly countedHeld: number;
}

/** Checks the ledger from outside. */
export class Auditor {
  readonly pool: pg.Pool;

  constructor(database: Pick<TestDatabase, 'url'>) {
    // With so few rows, compiling its queries takes Postgres fifty times as long as running them.
    this.pool = new pg.Pool({ connectionString: database.url, max: 2, options: '-c jit=off' });
    this.pool.on('error', () => undefined);
  }

  drifts() {
    return reconcile(this.pool);
  }

  /** @returns request ids that do not have exactly one log row */
  async notLoggedOnce(seen: readonly Seen[]): Promise<string[]> {
    const ids = seen.map((one) => one.requestId);
    const found = await this.pool.query<{ request_id: string; rows: string }>(
      'SELECT request_id, count(*) AS rows FROM logs WHERE type = 2 AND request_id = ANY ($1) GROUP BY 1',
      [ids],
    );
    const once = new Set(found.rows.filter((row) => row.rows === '1').map((row) => row.request_id));
    return ids.filter((id) => !once.has(id));
  }

  async openReservations(): Promise<number> {
    const found = await this.pool.query<{ count: string }>('SELECT count(*) FROM reservations WHERE swept_at IS NULL');
    return Number(found.rows[0]?.count);
  }

  /** Users who carry a fraction of a quota unit, or did. */
  async carriers(): Promise<number> {
    const found = await this.pool.query<{ count: string }>('SELECT count(*) FROM quota_carry');
    return Number(found.rows[0]?.count);
  }

  async quotaOf(username: string): Promise<{ quota: number; used: number }> {
    const found = await this.pool.query<{ quota: string; used_quota: string }>(
      'SELECT quota, used_quota FROM users WHERE username = $1',
      [username],
    );
    return { quota: Number(found.rows[0]?.quota), used: Number(found.rows[0]?.used_quota) };
  }

  async idOf(username: string): Promise<number> {
    const found = await this.pool.query<{ id: number }>('SELECT id FROM users WHERE username = $1', [username]);
    return Number(found.rows[0]?.id);
  }

  /** Quota of the calls of an account that its plans paid for. */
  async paidByPlans(accountId: number): Promise<number> {
    const found = await this.pool.query<{ used: string }>(
      'SELECT sum(used) AS used FROM subscription_use WHERE account_id = $1 AND held = 0',
      [accountId],
    );
    return Number(found.rows[0]?.used);
  }

  /** Returns the use of all plans of an account. */
  async plansOf(accountId: number): Promise<PlanUse> {
    const found = await this.pool.query<PlanUse>(
      `WITH plans AS (SELECT * FROM subscription_use WHERE account_id = $1), windows AS (
         SELECT w.* FROM budget_windows w JOIN budgets b ON b.id = w.budget_id
          WHERE b.level = 'plan' AND b.subject_id IN (SELECT subscription_id FROM plans))
       SELECT p.used, p.held, w.used AS counted, w.held AS "countedHeld"
         FROM (SELECT coalesce(sum(used), 0)::integer AS used, coalesce(sum(held), 0)::integer AS held FROM plans) p,
              (SELECT coalesce(sum(used), 0)::integer AS used, coalesce(sum(held), 0)::integer AS held FROM windows) w`,
      [accountId],
    );
    if (!found.rows[0]) throw new Error('no sums');
    return found.rows[0];
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

export async function until(condition: () => boolean | Promise<boolean>, seconds: number, what: string): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`within ${seconds} s it did not happen that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
