import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { poolOf } from '../../server/src/platform/db/data-source.js';
import { LogExport } from '../../server/src/console/logs/log-export.js';
import { emptyQuestion } from '../../server/src/console/usage/usage-question.js';
import { UsageService } from '../../server/src/console/usage/usage.service.js';
import type { Actor } from '../../server/src/shared/actor.js';
import { systemClock } from '../../server/src/shared/clock.js';
import { Site, type Person } from './site.js';

/** Exports read from the database only as fast as their client reads, and end when the client disconnects. */
let site: Site;
let root: Person;
const logs = 12_000;
const groups = 4000;
const range = { from: 1_700_000_000 - 100 * 3600, to: 1_700_100_000 };
const wholeRange = { from: range.from, until: range.to };

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  await site.query('DELETE FROM logs');
  // The exports have fifty megabytes each, which is more than a network buffers for a client that does not read.
  await site.query(
    `INSERT INTO logs (created_at, type, user_id, username, channel_id, model_name, "group", content)
     SELECT 1700000000 + n, 2, 1, 'root', 7, 'gpt-4o', 'default', repeat('c', 4000) FROM generate_series(1, ${logs}) n`,
  );
  await site.query(`INSERT INTO channels (id, type, name, key_sealed) VALUES (7, 1, repeat('n', 12000), '')`);
  await site.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls)
     SELECT 1700000000 - 1700000000 % 3600, 1, n, 7, 'gpt-4o', 'default', 1 FROM generate_series(1, ${groups}) n`,
  );
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => site.stop());

/** The exports. `firstRows` is the number of the piece that contains the first rows. */
const exports = [
  ['logs', { rows: logs, firstRows: 2, path: '/api/log/export' }],
  [
    'usage',
    {
      rows: groups,
      firstRows: 1,
      path: `/api/data/export?group_by=token,channel&start_timestamp=${range.from}&end_timestamp=${range.to}`,
    },
  ],
] as const;

/** The state of the exports that were requested since `watch` was called. */
interface Watch {
  /** Number of pieces that were made. */
  made: number;
  /** Whether a piece is blocked. */
  held: boolean;
  /** Whether no further piece will be requested. */
  ended: boolean;
  /** Blocks after this many pieces until the returned function is called. */
  hold(pieces: number): () => void;
}

function watch(): Watch {
  let held = Infinity;
  let opened: Promise<void> = Promise.resolve();
  const seen: Watch = {
    made: 0,
    held: false,
    ended: false,
    hold: (pieces) => {
      held = pieces;
      let open = (): void => undefined;
      opened = new Promise((resolve) => (open = resolve));
      return () => open();
    },
  };
  async function* follow(pieces: AsyncIterable<string>): AsyncGenerator<string> {
    const iterator = pieces[Symbol.asyncIterator]();
    try {
      for (;;) {
        if (seen.made >= held) {
          seen.held = true;
          await opened;
        }
        const { done, value } = await iterator.next();
        if (done) return;
        seen.made++;
        yield value;
      }
    } finally {
      await iterator.return?.();
      seen.ended = true;
    }
  }
  const { all } = LogExport.prototype;
  const { exportAll } = UsageService.prototype;
  jest.spyOn(LogExport.prototype, 'all').mockImplementation(async function (this: LogExport, ...asked) {
    return follow(await all.apply(this, asked));
  });
  jest.spyOn(UsageService.prototype, 'exportAll').mockImplementation(function (this: UsageService, ...asked) {
    return follow(exportAll.apply(this, asked));
  });
  return seen;
}

function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): ClientRequest {
  const asked = request(`${site.server.url}${path}`, {
    method,
    headers: { cookie: root.cookie, 'veloera-user': String(root.id), ...headers },
    agent: false,
  });
  // The test decides when the request ends, so errors are ignored here.
  asked.on('error', () => undefined).end();
  return asked;
}
const answerOf = async (asked: ClientRequest): Promise<IncomingMessage> => {
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return answer.on('error', () => undefined);
};
const readOne = async (answer: IncomingMessage): Promise<string> => {
  const [chunk] = (await once(answer, 'data')) as [Buffer];
  answer.pause();
  return String(chunk);
};

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(10);
}

/** Whether no connection is checked out, and no connection runs a query or a transaction. */
async function isAtRest(): Promise<boolean> {
  const { idleCount, totalCount } = poolOf(site.dataSource);
  const busy = await site.query(
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`,
  );
  return idleCount === totalCount && busy.length === 0;
}

const admin: Actor = { id: 1, username: 'root', role: 'root', status: 'enabled', group: 'default' };
const usageOn = (database: DataSource): UsageService =>
  new UsageService({
    database,
    options: { values: { QuotaPerUnit: 500_000 } },
    clock: systemClock,
  });

describe.each(exports)('the export of %s', (_, { path, rows, firstRows }) => {
  it('reaches its client piece by piece, rows while the next ones are not yet asked for', async () => {
    const seen = watch();
    const go = seen.hold(firstRows);
    const answer = await answerOf(ask(path));
    let text = '';
    answer.on('data', (chunk: Buffer) => (text += String(chunk)));
    const ended = once(answer, 'end');
    await until(() => text.endsWith('\r\n') && text.split('\r\n').length > 100);
    expect(seen.made).toBe(firstRows);
    await until(isAtRest);
    go();
    await ended;
    expect(seen.made).toBeGreaterThan(12);
    expect(text.split('\r\n')).toHaveLength(rows + 2);
    expect(seen.ended).toBe(true);
  });

  it('reads no more than its beginning for HEAD', async () => {
    const seen = watch();
    const answer = await answerOf(ask(path, {}, 'HEAD'));
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(answer.headers['content-disposition']).toContain('attachment; filename=');
    await until(() => seen.ended);
    expect(seen.made).toBe(1);
    await until(isAtRest);
  });

  it('waits for a client that does not read, and ends with him', async () => {
    const seen = watch();
    const asked = ask(path);
    const answer = await answerOf(asked);
    await readOne(answer);
    await until(async () => {
      const before = seen.made;
      await delay(300);
      return seen.made === before;
    });
    await until(isAtRest);
    expect(seen.ended).toBe(false);
    asked.destroy();
    await until(() => seen.ended);
    expect(seen.made).toBeLessThan(7);
    await until(isAtRest);
  });

  it.each([
    [0, {}],
    [0, { 'accept-encoding': 'gzip' }],
    [1, {}],
    [1, { 'accept-encoding': 'gzip' }],
  ])('ends when its client goes while the piece behind %j is made, asked with %j', async (made, headers) => {
    const seen = watch();
    const go = seen.hold(made);
    const left = new Promise<void>((resolve) =>
      site.server.app.server.once('request', (_request: unknown, response: ServerResponse) =>
        response.once('close', resolve),
      ),
    );
    const asked = ask(path, headers);
    if (made > 0) {
      const answer = await answerOf(asked);
      expect(answer.headers['content-encoding']).toBe(Object.values(headers)[0]);
    }
    await until(() => seen.held);
    asked.destroy();
    await left;
    go();
    await until(() => seen.ended);
    expect(seen.made).toBeLessThanOrEqual(made + 1);
    await until(isAtRest);
  });
});

it.each([
  ['logs', (database: DataSource) => new LogExport(database).all(admin, {})],
  [
    'usage',
    (database: DataSource) =>
      usageOn(database).exportAll(admin, { ...emptyQuestion, groupBy: ['TOKEN', 'CHANNEL'], range: wholeRange }),
  ],
] as const)(
  'the export of %s asks the database for a piece when that is taken, and for none after its end',
  async (_, of) => {
    let asks = 0;
    const { dataSource } = site;
    const counted = new Proxy(dataSource, {
      get: (target, name) => {
        if (name === 'query' || name === 'transaction') asks++;
        const found: unknown = Reflect.get(target, name);
        return typeof found === 'function' ? (found.bind(target) as unknown) : found;
      },
    });
    const pieces = (await of(counted))[Symbol.asyncIterator]();
    for (let taken = 0; taken < 4; taken++) {
      const before = asks;
      await pieces.next();
      const after = asks;
      // The reading costs statements for rows and for names only.
      expect(after - before).toBeLessThanOrEqual(4);
      await delay(20);
      expect(asks).toBe(after);
    }
    const before = asks;
    await pieces.return?.();
    expect(await pieces.next()).toMatchObject({ done: true });
    expect(asks).toBe(before);
  },
);
