import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, print, separateOperations } from 'graphql';
import pg from 'pg';
import { LogType } from '../../server/src/shared/log-type.js';
import type { LogFilter } from '../../server/src/console/logs/log-conditions.js';
import type { LogListQuery } from '../../server/src/console/logs/log.service.js';
import type { UsageQuestion, WantedUsage } from '../../server/src/console/usage/usage-question.js';
import type { Actor } from '../../server/src/shared/actor.js';
import { rootPassword, type Api, type Person } from '../support/api.js';
import { spawnServer } from '../support/server.js';

type First = AsyncGenerator<string>;
type Query = Readonly<Record<string, unknown>>;

/** The queries of the benchmark, sent to the services or to a server. Results are ignored. */
export interface Asked {
  readonly logs: {
    list(actor: Actor, filter: LogFilter, page: LogListQuery): Promise<unknown>;
    listOwn(actor: Actor, filter: LogFilter, page: LogListQuery): Promise<unknown>;
    listOfKey(actor: Actor, key: string, page: LogListQuery): Promise<unknown>;
    badge(actor: Actor, filter: LogFilter): Promise<unknown>;
    badgeOwn(actor: Actor, filter: LogFilter): Promise<unknown>;
    search(actor: Actor, keyword: string): Promise<unknown>;
    searchOwn(actor: Actor, keyword: string): Promise<unknown>;
  };
  readonly usage: {
    list(actor: Actor, question: UsageQuestion, wanted: WantedUsage): Promise<unknown>;
    listOwn(actor: Actor, question: UsageQuestion, wanted: WantedUsage): Promise<unknown>;
    exportAll(actor: Actor, question: UsageQuestion): AsyncIterable<string>;
  };
  readonly hourlyModels: {
    list(actor: Actor, range: Seconds, username?: string): Promise<unknown>;
    listOwn(actor: Actor, range: Seconds): Promise<unknown>;
  };
  readonly exported: { all(actor: Actor, filter: LogFilter): Promise<AsyncIterable<string>> };
}
interface Seconds {
  readonly from?: number;
  readonly to?: number;
}

/** Encryption key of the benchmark's databases. */
export const benchSecret = 'secret of the benchmark';

export interface HttpAsked extends Asked {
  stop(): Promise<void>;
}

/**
 * Sends the queries as the console and old clients do: over HTTP, to a separate server on this database. An open transaction
 * prevents the server from aggregating rows that the benchmark left unaggregated.
 */
export async function askOverHttp(databaseUrl: string, ownId: number): Promise<HttpAsked> {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT pg_current_xact_id()');
  const server = await spawnServer({
    database: { url: databaseUrl, drop: async () => undefined },
    // `npm start` sets this option too.
    environment: { ENCRYPTION_KEY: benchSecret, NODE_OPTIONS: '--max-semi-space-size=32' },
  });
  const { api } = server;
  const root = await api.setUp().catch(() => api.signIn('root', rootPassword));
  const own = await signInAs(api, databaseUrl, ownId);
  const personOf = (actor: Actor): Person => (actor.role === 'root' ? root : own);
  const stop = async (): Promise<void> => {
    await server.stop();
    await holder.query('ROLLBACK');
    await holder.end();
  };
  return { ...questionsOf(server.url, personOf), stop };
}

async function signInAs(api: Api, databaseUrl: string, id: number): Promise<Person> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ username: string }>(
      `UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE username = 'root') WHERE id = $1 RETURNING username`,
      [id],
    );
    return await api.signIn(rows[0]?.username ?? '', rootPassword);
  } finally {
    await client.end();
  }
}

function questionsOf(url: string, personOf: (actor: Actor) => Person): Asked {
  const call = (actor: Actor, path: string, more: RequestInit = {}): Promise<Response> => {
    const { id, cookie } = personOf(actor);
    const headers = { cookie, 'veloera-user': String(id), 'content-type': 'application/json', ...more.headers };
    return fetch(url + path, { ...more, headers });
  };
  /** Reads the whole response; processing it is not part of the measurement. */
  const readAll = async (what: string, answer: Response): Promise<void> => {
    const text = await answer.text();
    if (!answer.ok || /^\{"errors"|^\{"success":false/.test(text)) throw new Error(`${what}: ${text.slice(0, 300)}`);
  };
  const ask = async (actor: Actor, operation: string, variables: object): Promise<void> => {
    const body = JSON.stringify({ query: textOf(operation), variables });
    await readAll(operation, await call(actor, '/graphql', { method: 'POST', body }));
  };
  const get = async (actor: Actor, path: string, query: Query): Promise<void> => {
    await readAll(path, await call(actor, `${path}?${parametersOf(query)}`));
  };
  async function* firstOf(actor: Actor, path: string, query: Query): First {
    const answer = await call(actor, `${path}?${parametersOf(query)}`, { headers: { 'accept-encoding': 'identity' } });
    if (!answer.ok || !answer.body) throw new Error(`${path} answered ${String(answer.status)}`);
    for await (const piece of answer.body) yield String(piece);
  }
  const usage = (field: 'usage' | 'myUsage') => async (actor: Actor, question: UsageQuestion, wanted: WantedUsage) => {
    const body = JSON.stringify({ query: usageText(field, wanted), variables: usageVariables(question) });
    await readAll(field, await call(actor, '/graphql', { method: 'POST', body }));
  };
  return {
    logs: {
      list: (actor, filter, page) => ask(actor, 'Logs', { filter: logInputOf(filter), ...logPageOf(page) }),
      listOwn: (actor, filter, page) => ask(actor, 'MyLogs', { filter: logInputOf(filter), ...logPageOf(page) }),
      listOfKey: (actor, key, { page, pageSize }) =>
        get(actor, '/api/log/token', { key, p: page + 1, page_size: pageSize }),
      badge: (actor, filter) => ask(actor, 'LogStat', { filter: logInputOf(filter) }),
      badgeOwn: (actor, filter) => ask(actor, 'MyLogStat', { filter: logInputOf(filter) }),
      search: (actor, keyword) => get(actor, '/api/log/search', { keyword }),
      searchOwn: (actor, keyword) => get(actor, '/api/log/self/search', { keyword }),
    },
    usage: {
      list: usage('usage'),
      listOwn: usage('myUsage'),
      exportAll: (actor, { groupBy, range }) =>
        firstOf(actor, '/api/data/export', {
          group_by: groupBy.join(','),
          ...rangeOf({ from: range.from ?? 0, to: range.until ?? 0 }),
        }),
    },
    hourlyModels: {
      list: (actor, filter, username) => get(actor, '/api/data/', { ...rangeOf(filter), username }),
      listOwn: (actor, filter) => get(actor, '/api/data/self', rangeOf(filter)),
    },
    exported: {
      all: async (actor, filter) =>
        firstOf(actor, '/api/log/export', { start_timestamp: filter.from, end_timestamp: filter.until }),
    },
  };
}

const folder = join(import.meta.dirname, '../../client/src/nouns');
const documents = separateOperations(parse(readFileSync(join(folder, 'logs/logs.graphql'), 'utf8')));

const usageText = (field: 'usage' | 'myUsage', { latency, total, compared }: WantedUsage): string => {
  const metrics = `{ quota calls failedCalls promptTokens completionTokens totalTokens ${latency ? 'latencyMs' : ''} }`;
  return `query ($range: TimeRange, $timeZone: TimeZone!, $filter: UsageFilter, $groupBy: [UsageDimension!]!, $bucket: TimeBucket,
      $fill: Boolean!, $compareTo: UsageComparison, $top: Int, $others: Boolean!, $page: Int, $pageSize: Int!) {
    ${field}(range: $range, timeZone: $timeZone, filter: $filter, groupBy: $groupBy, bucket: $bucket, fill: $fill,
      compareTo: $compareTo, top: $top, others: $others, page: $page, pageSize: $pageSize) {
      totalCount items { time key { isOthers userId tokenId modelName group } metrics ${metrics} compared { quota } }
      ${total ? `total ${metrics}` : ''} ${compared ? `comparedTotal ${metrics}` : ''} } }`;
};

const usageVariables = ({ range, compareTo, ...question }: UsageQuestion): Record<string, unknown> => ({
  ...question,
  range: { from: isoOf(range.from), until: isoOf(range.until) },
  compareTo: compareTo && { period: compareTo.period },
});
const isoOf = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : new Date(seconds * 1000).toISOString();

function textOf(operation: string): string {
  const document = documents[operation];
  if (!document) throw new Error(`the console has no operation ${operation}`);
  return print(document);
}

const typeNames = Object.fromEntries(
  Object.entries(LogType).map(([name, type]) => [type, name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()]),
);

const logInputOf = ({ from, until, types, ...filter }: LogFilter): Record<string, unknown> => ({
  ...filter,
  ...(types && { types: types.map((type) => typeNames[type]) }),
  at: {
    from: from === undefined ? null : new Date(from * 1000).toISOString(),
    until: until === undefined ? null : new Date(until * 1000).toISOString(),
  },
});

const logPageOf = ({ page, pageSize, sort }: LogListQuery): Record<string, unknown> => ({
  page,
  pageSize,
  ...(sort.length > 0 && { sort: sort.map(({ direction }) => ({ field: 'AT', direction })) }),
});

const rangeOf = ({ from, to }: Seconds) => ({ start_timestamp: from, end_timestamp: to });

function parametersOf(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
}
