import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createLedgerPool } from '../../server/src/platform/db/data-source.js';
import { watchSpool } from '../../server/src/billing/ledger/spool-status.js';
import { Metrics } from '../../server/src/platform/observability/metrics.js';
import { TestLedger, charge } from './test-ledger.js';

/**
 * A connection to the database that a test can cut: completely, or only for responses, so that the outcome of a commit
 * is unknown, or by dropping packets silently.
 */
class Wire {
  private readonly sockets = new Set<Socket>();
  private server: Server | null = null;
  mode: 'open' | 'cut' | 'mute' | 'silent' = 'open';

  constructor(private readonly target: URL) {}

  async listen(): Promise<string> {
    this.server = createServer((client) => {
      if (this.mode === 'cut') {
        client.destroy();
        return;
      }
      const upstream = connect(Number(this.target.port), this.target.hostname);
      for (const socket of [client, upstream]) {
        this.sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          client.destroy();
          upstream.destroy();
        });
      }
      client.on('data', (bytes) => {
        if (this.mode !== 'silent') upstream.write(bytes);
      });
      upstream.on('data', (bytes) => {
        if (this.mode === 'open') client.write(bytes);
        // The statement ran; its response never arrives.
        else if (this.mode !== 'silent') client.destroy();
      });
    });
    await new Promise<void>((resolve) => this.server!.listen(0, '127.0.0.1', resolve));
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String((this.server.address() as { port: number }).port);
    return url.toString();
  }

  cut(): void {
    this.mode = 'cut';
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
  }

  close(): void {
    this.cut();
    this.server?.close();
  }
}

let testLedger: TestLedger;
let wire: Wire;
let url: string;
beforeEach(async () => {
  testLedger = await TestLedger.open();
  wire = new Wire(new URL(testLedger.database.url));
  url = await wire.listen();
});
afterEach(async () => {
  await testLedger.close();
  wire.close();
});

const request = (requestId: string, userId: number) => ({ requestId, userId, tokenId: 0, amount: 100, priced: true });
const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < 200; tries++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('it did not happen');
};

it('new calls are refused with a time to come back, calls in flight are spooled and charged once', async () => {
  const user = await testLedger.addUser(1000);
  const { ledger } = testLedger.node('away', { connectionString: url });
  const [one, two, three] = await Promise.all(['a1', 'a2', 'a3'].map((id) => ledger.reserve(request(id, user))));
  wire.cut();

  await ledger.settle(one!, charge(90));
  expect(ledger.available).toBe(false);
  await expect(ledger.reserve(request('a4', user))).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    retryAfterSeconds: 5,
  });
  await ledger.settle(two!, charge(70));
  await ledger.release(three!);
  expect(await testLedger.user(user)).toMatchObject({ quota: 700, used_quota: 0 });
  expect(await readdir(testLedger.spoolFolder)).toEqual(['away.jsonl']);

  wire.mode = 'open';
  await until(async () => ledger.available && (await readdir(testLedger.spoolFolder)).length === 0);
  expect(await testLedger.user(user)).toMatchObject({ quota: 840, used_quota: 160, request_count: 2 });
  expect(await testLedger.count('reservations')).toBe(0);
  expect(await testLedger.reconcile()).toEqual([]);
  await ledger.release(await ledger.reserve(request('a5', user)));
});

it('a commit whose answer was lost is neither charged twice nor kept', async () => {
  const user = await testLedger.addUser(1000);
  const { ledger } = testLedger.node('mute', { connectionString: url });
  const held = await ledger.reserve(request('m1', user));
  wire.mode = 'mute';
  await ledger.settle(held, charge(60));
  wire.mode = 'open';
  await until(() => ledger.available);
  await until(async () => (await readdir(testLedger.spoolFolder)).length === 0);
  expect(await testLedger.user(user)).toMatchObject({ quota: 940, used_quota: 60, request_count: 1 });

  wire.mode = 'mute';
  await expect(ledger.reserve(request('m2', user))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  wire.mode = 'open';
  await until(() => ledger.available);
  await until(async () => (await testLedger.count('reservations')) === 0);
  expect((await testLedger.user(user)).quota).toBe(940);
  expect(await testLedger.reconcile()).toEqual([]);
});

it('a restarted server posts the settlements that its predecessor left in the spool', async () => {
  const user = await testLedger.addUser(1000);
  const first = testLedger.node('first', { connectionString: url });
  const held = await first.ledger.reserve(request('r1', user));
  wire.cut();
  await first.ledger.settle(held, charge(80));
  await testLedger.closeNodes();

  const second = testLedger.node('second');
  await second.keeper.start(true);
  await second.keeper.stop();
  expect(await testLedger.user(user)).toMatchObject({ quota: 920, used_quota: 80 });
  expect(await readdir(testLedger.spoolFolder)).toEqual([]);
  expect(await testLedger.reconcile()).toEqual([]);
});

it('a network that falls silent is a database that is away', async () => {
  const user = await testLedger.addUser(1000);
  const { ledger } = testLedger.node('silent', { connectionString: url, pool: { query_timeout: 500 } });
  const held = await ledger.reserve(request('s1', user));
  wire.mode = 'silent';
  await expect(ledger.reserve(request('s2', user))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await ledger.settle(held, charge(60));
  wire.mode = 'open';
  await until(async () => ledger.available && (await readdir(testLedger.spoolFolder)).length === 0);
  await until(async () => (await testLedger.count('reservations')) === 0);
  expect(await testLedger.user(user)).toMatchObject({ quota: 940, used_quota: 60, request_count: 1 });

  const { options } = createLedgerPool(url);
  expect(options.query_timeout).toBeGreaterThan(options.statement_timeout as number);
});

it('a database that answers reads alone is away, until it can be written', async () => {
  const user = await testLedger.addUser(1000);
  const { ledger } = testLedger.node('standby');
  const held = await ledger.reserve(request('w1', user));
  const { pathname } = new URL(testLedger.database.url);
  const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
    await testLedger.pool.query(
      `BEGIN READ WRITE; ALTER DATABASE "${pathname.slice(1)}" SET default_transaction_read_only = ${value}; COMMIT`,
    );
    await testLedger.pool.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
  };
  await setReadOnly('on');
  await ledger.settle(held, charge(60));
  for (let look = 0; look < 30; look++) {
    expect(ledger.available).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await setReadOnly('off');
  await until(async () => ledger.available && (await readdir(testLedger.spoolFolder)).length === 0);
  expect(await testLedger.user(user)).toMatchObject({ quota: 940, used_quota: 60, request_count: 1 });
  expect(await testLedger.reconcile()).toEqual([]);
});

it('who finds the spool in the hands of another leaves it to him', async () => {
  const user = await testLedger.addUser(1000);
  const first = testLedger.node('shared', { connectionString: url });
  const held = await Promise.all(['o1', 'o2', 'o3'].map((id) => first.ledger.reserve(request(id, user))));
  wire.cut();
  await first.ledger.settle(held[0]!, charge(80));
  await first.ledger.settle(held[1]!, charge(10));
  await first.ledger.release(held[2]!);
  await testLedger.closeNodes();

  const dead = (nodeId: string): boolean => nodeId === 'shared';
  const others = ['second', 'third'].map((nodeId) => testLedger.node(nodeId).ledger);
  const counts = await Promise.all([...others, ...others].map((ledger) => ledger.replaySpool(dead)));
  expect(counts).toContain(2);
  expect(await readdir(testLedger.spoolFolder)).toEqual([]);
  expect(await testLedger.user(user)).toMatchObject({ used_quota: 90, request_count: 2 });
});

it('counts the settlements that neither the database nor the disk takes, until one of them does', async () => {
  const user = await testLedger.addUser(1000);
  const { ledger, spool } = testLedger.node('away', { connectionString: url });
  const metrics = new Metrics(false);
  watchSpool(testLedger.spoolFolder, ledger, metrics);
  const waiting = async (): Promise<Array<string | undefined>> => {
    const text = await metrics.scrape();
    return ['waiting_in_memory', 'spooled'].map(
      (name) => new RegExp(`^tollgate_ledger_${name} (.+)$`, 'm').exec(text)?.[1],
    );
  };
  const ids = ['f1', 'f2', 'f3'];
  const held = await Promise.all(ids.map((id) => ledger.reserve(request(id, user))));
  wire.cut();
  spool.append = () => Promise.reject(new Error('ENOSPC'));
  const settled = [ledger.settle(held[0]!, charge(90)), ledger.settle(held[1]!, charge(70))];
  await until(async () => (await waiting())[0] === '2');
  // The ledger knows that the database is unavailable, so this settlement goes directly to the disk.
  expect(ledger.available).toBe(false);
  settled.push(ledger.settle(held[2]!, charge(10)));
  await until(async () => (await waiting())[0] === '3');
  expect(await waiting()).toEqual(['3', '0']);

  Reflect.deleteProperty(spool, 'append');
  await Promise.all(settled);
  expect(await waiting()).toEqual(['0', '3']);
  wire.mode = 'open';
  await until(async () => (await waiting())[1] === '0');
  await until(() => ledger.available);
  expect(await testLedger.user(user)).toMatchObject({ quota: 830, used_quota: 170, request_count: 3 });
  expect(await testLedger.reconcile()).toEqual([]);
});

it('counts no settlement as waiting when the database takes it', async () => {
  const user = await testLedger.addUser(1000);
  const { ledger, spool } = testLedger.node('away', { connectionString: url });
  const held = await ledger.reserve(request('g1', user));
  wire.cut();
  spool.append = () => Promise.reject(new Error('ENOSPC'));
  const settled = ledger.settle(held, charge(90));
  await until(() => ledger.waitingInMemory === 1);
  wire.mode = 'open';
  await settled;
  expect(ledger.waitingInMemory).toBe(0);
  expect(await testLedger.user(user)).toMatchObject({ quota: 910, used_quota: 90 });
});

it('a spool that cannot be read prevents no call, and no replay of other spools', async () => {
  const user = await testLedger.addUser(1000);
  const { ledger, keeper, spool } = testLedger.node('away', { connectionString: url });
  const obstacle = join(testLedger.spoolFolder, 'away.0.replay');
  await mkdir(obstacle);
  for (const id of ['u1', 'u2']) {
    const held = await ledger.reserve(request(id, user));
    wire.cut();
    await ledger.settle(held, charge(30));
    wire.mode = 'open';
    await until(() => ledger.available);
  }
  await until(async () => (await readdir(testLedger.spoolFolder)).join() === 'away.0.replay');
  expect(await testLedger.user(user)).toMatchObject({ quota: 940, used_quota: 60, request_count: 2 });

  // A disk that fails when the open file is closed.
  spool.rotate = () => Promise.reject(new Error('EIO'));
  const held = await ledger.reserve(request('u3', user));
  wire.cut();
  await ledger.settle(held, charge(30));
  wire.mode = 'open';
  await until(() => ledger.available);
  await ledger.release(await ledger.reserve(request('u4', user)));
  Reflect.deleteProperty(spool, 'rotate');
  await keeper.heartbeat();
  expect(await readdir(testLedger.spoolFolder)).toEqual(['away.0.replay']);
  expect(await testLedger.user(user)).toMatchObject({ quota: 910, used_quota: 90, request_count: 3 });
  await rmdir(obstacle);
  expect(await testLedger.reconcile()).toEqual([]);
});
