/** The relay starts a second attempt while the first one is slow (docs/reference/relay/routing.md#second-attempt). */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { UpstreamFailureHandler } from '../../server/src/gateway/send/upstream-failure-handler.js';
import { KeyRing } from '../../server/src/gateway/route/key-ring.js';
import { LedgerSql } from '../../server/src/billing/ledger/ledger-sql.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { chat, json } from '../support/upstream/replies.js';
import type { ReceivedRequest, Reply } from '../support/upstream/upstream.js';
import { type ChannelSpec, type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
const values = { ModelPrice: { 'gpt-4o': 0.1, 'text-embedding-3-small': 0.1 } };
const hedged = { ...values, 'hedged_attempts.percentile': 90 };

relaySuite((started) => (relay = started), { values: hedged });

const body = { model: 'gpt-4o', messages: userMessage('hi') };
const fine: Reply = chat({ text: ['Hello'] });
const silent: Reply = () => undefined;
const down = json({ error: { message: 'down', type: 'server_error' } }, 500);
const keys = (): Array<string | null> => relay.upstream.requests.map(({ key }) => key);
const requestOf = (key: string): ReceivedRequest | undefined =>
  relay.upstream.requests.findLast((each) => each.key === key);

async function ask(key: string, given: object = body, path = '/v1/chat/completions') {
  const response = await relay.post(path, key, given);
  return { status: response.status, text: await response.text() };
}

/**
 * Creates two channels: a fast one with high priority that 20 calls have measured, and another one. Both then respond as the
 * test scripts them.
 */
async function measured(
  given: object = body,
  path = '/v1/chat/completions',
  spec: ChannelSpec = {},
  ofSecond: ChannelSpec = {},
) {
  const both = { models: 'gpt-4o,text-embedding-3-small', ...spec };
  const first = await relay.addChannel({ ...both, key: 'sk-first', priority: 9 });
  const second = await relay.addChannel({ ...both, key: 'sk-second', ...ofSecond });
  const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 10_000_000 }) });
  for (let call = 0; call < 20; call++) expect((await ask(key, given, path)).status).toBe(200);
  expect(new Set(keys())).toEqual(new Set(['sk-first']));
  relay.upstream.requests.length = 0;
  const before = await relay.balance(userId);
  const charged = async (): Promise<number> => before.quota - (await relay.balance(userId)).quota;
  return { first, second, key, userId, charged };
}

it.each([false, true])('the faster second attempt serves the call and is charged once (stream: %s)', async (stream) => {
  const { first, second, key, userId, charged } = await measured({ ...body, stream });
  relay.upstream.script({ key: 'sk-first' }, silent);
  const reply = await ask(key, { ...body, stream });
  expect(reply.status).toBe(200);
  expect(reply.text).toContain('Hello');
  expect(keys()).toEqual(['sk-first', 'sk-second']);
  await requestOf('sk-first')?.ended;
  expect(requestOf('sk-first')?.aborted).toBe(true);
  const row = (await relay.logsOf(userId, 21)).at(-1);
  expect(row).toMatchObject({ quota: 50_000, channel_id: second });
  expect(row?.other['admin_info']).toMatchObject({
    use_channel: [String(first), String(second)],
    // At the list price of gpt-4o: 12 prompt and 5 output tokens, at 2.5 and 10 USD a million.
    aborted_attempt: { channel: String(first), after_ms: expect.any(Number) as number, possible_cost: 0.00008 },
  });
  expect(await charged()).toBe(50_000);
});

it('the first attempt serves the call when it begins first, and the second one is aborted', async () => {
  const { first, second, key, userId, charged } = await measured();
  let isSecondThere = (): void => undefined;
  const secondThere = new Promise<void>((resolve) => (isSecondThere = resolve));
  relay.upstream.script({ key: 'sk-first' }, async (response, request) => {
    await secondThere;
    await fine(response, request);
  });
  relay.upstream.script({ key: 'sk-second' }, () => isSecondThere());
  expect((await ask(key)).status).toBe(200);
  await requestOf('sk-second')?.ended;
  expect(requestOf('sk-second')?.aborted).toBe(true);
  const row = (await relay.logsOf(userId, 21)).at(-1);
  expect(row).toMatchObject({ quota: 50_000, channel_id: first });
  expect(row?.other['admin_info']).toMatchObject({ aborted_attempt: { channel: String(second) } });
  expect(await charged()).toBe(50_000);
});

it('a second attempt that fails leaves the call to the first, and the other way round', async () => {
  const { key, charged } = await measured();
  let answer = (): void => undefined;
  const secondFailed = new Promise<void>((resolve) => (answer = resolve));
  relay.upstream.script({ key: 'sk-first' }, async (response, request) => {
    await secondFailed;
    await fine(response, request);
  });
  relay.upstream.script({ key: 'sk-second' }, async (response, request) => {
    await down(response, request);
    setImmediate(answer);
  });
  expect((await ask(key)).status).toBe(200);
  let fail = (): void => undefined;
  const secondThere = new Promise<void>((resolve) => (fail = resolve));
  relay.upstream.script({ key: 'sk-first' }, async (response, request) => {
    await secondThere;
    await down(response, request);
  });
  relay.upstream.script({ key: 'sk-second' }, async (response, request) => {
    fail();
    await requestOf('sk-first')?.ended;
    await fine(response, request);
  });
  expect((await ask(key)).status).toBe(200);
  expect(await charged()).toBe(100_000);
  relay.endCooldowns();
});

it('the client gets the failure when both attempts fail, and pays nothing', async () => {
  const { key, charged } = await measured();
  let isSecondThere = (): void => undefined;
  const secondThere = new Promise<void>((resolve) => (isSecondThere = resolve));
  relay.upstream.script({ key: 'sk-first' }, async (response, request) => {
    await secondThere;
    await down(response, request);
  });
  relay.upstream.script({ key: 'sk-second' }, async (response, request) => {
    isSecondThere();
    await down(response, request);
  });
  expect((await ask(key)).status).toBe(500);
  expect(keys()).toEqual(['sk-first', 'sk-second']);
  await relay.idle();
  expect(await charged()).toBe(0);
  relay.endCooldowns();
});

it('a client that leaves while both run ends both, and the call is settled once', async () => {
  const { key } = await measured();
  const controller = new AbortController();
  relay.upstream.script({ key: 'sk-first' }, silent);
  relay.upstream.script({ key: 'sk-second' }, () => controller.abort());
  await expect(relay.chat(key, body, { signal: controller.signal })).rejects.toThrow();
  await relay.idle();
  for (const request of relay.upstream.requests) await request.ended;
  expect(relay.upstream.requests.map(({ aborted }) => aborted)).toEqual([true, true]);
});

it('a client that leaves while both run frees the places of both', async () => {
  const { key } = await measured(body, undefined, { limits: { channel: { concurrent_calls: 1 } } });
  const controller = new AbortController();
  relay.upstream.script({ key: 'sk-first' }, silent);
  relay.upstream.script({ key: 'sk-second' }, () => controller.abort());
  await expect(relay.chat(key, body, { signal: controller.signal })).rejects.toThrow();
  await relay.idle();
  relay.upstream.requests.length = 0;
  relay.upstream.script({ key: 'sk-first' }, fine);
  relay.upstream.script({ key: 'sk-second' }, fine);
  expect((await ask(key)).status).toBe(200);
  relay.setOptions({ ...values, RetryTimes: 1 });
  relay.upstream.script({ key: 'sk-first' }, down);
  expect((await ask(key)).status).toBe(200);
  expect(keys()).toEqual(['sk-first', 'sk-first', 'sk-second']);
  relay.endCooldowns();
});

it('a client that leaves while the first attempt connects pays for the second, which was sent', async () => {
  const { first, key, charged } = await measured();
  // The server accepts connections and sends nothing, so TLS is never established.
  const mute = createServer((socket) => void sockets.push(socket));
  const sockets: Socket[] = [];
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const address = `https://127.0.0.1:${(mute.address() as AddressInfo).port}`;
  await relay.sql('UPDATE channels SET base_url = $2 WHERE id = $1', [first, address]);
  await relay.changed({ kind: 'channel', id: first });
  const controller = new AbortController();
  relay.upstream.script({ key: 'sk-second' }, () => controller.abort());
  await expect(relay.chat(key, body, { signal: controller.signal })).rejects.toThrow();
  await relay.idle();
  expect(keys()).toEqual(['sk-second']);
  expect(await charged()).toBe(50_000);
  for (const socket of sockets) socket.destroy();
  mute.close();
  relay.endCooldowns();
});

describe('with a budget of the second channel', () => {
  const add = LedgerSql.prototype.addBudgets;
  let adding: jest.SpyInstance;
  beforeEach(() => (adding = jest.spyOn(LedgerSql.prototype, 'addBudgets')));
  afterEach(async () => {
    adding.mockRestore();
    await relay.sql('DELETE FROM budgets');
    await relay.sql('DELETE FROM budget_windows');
    await relay.changed({ kind: 'budget' });
  });

  async function budgeted() {
    const found = await measured();
    await relay.sql(
      `INSERT INTO budgets (level, subject_id, kind, amount, span, is_rolling, time_zone, created_by, by_admin)
       VALUES ('channel', $1, 'requests', 10, 'day', false, 'UTC', 1, true)`,
      [found.second],
    );
    await relay.changed({ kind: 'budget' });
    relay.upstream.script({ key: 'sk-first' }, async (response, request) => {
      await sleep(400);
      await fine(response, request);
    });
    return found;
  }
  const windows = () => relay.sql('SELECT used::float8, held::float8 FROM budget_windows');

  it('the first attempt goes on when the second one cannot be reserved', async () => {
    const { key, charged } = await budgeted();
    adding.mockRejectedValueOnce(Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' }));
    expect((await ask(key)).status).toBe(200);
    expect(adding).toHaveBeenCalledTimes(1);
    expect(keys()).toEqual(['sk-first']);
    expect(await charged()).toBe(50_000);
  });

  it('a second attempt that is aborted counts there, because its provider may bill it', async () => {
    const { key, charged } = await budgeted();
    relay.upstream.script({ key: 'sk-second' }, silent);
    expect((await ask(key)).status).toBe(200);
    expect(keys()).toEqual(['sk-first', 'sk-second']);
    expect(await charged()).toBe(50_000);
    expect(await windows()).toEqual([{ used: 1, held: 0 }]);
  });

  it('a second attempt that is never sent does not count there', async () => {
    const { key, charged } = await budgeted();
    adding.mockImplementation(async function (this: LedgerSql, ...holds: Parameters<LedgerSql['addBudgets']>) {
      const refusal = await add.apply(this, holds);
      await sleep(800);
      return refusal;
    });
    expect((await ask(key)).status).toBe(200);
    expect(keys()).toEqual(['sk-first']);
    expect(await charged()).toBe(50_000);
    expect(await windows()).toEqual([{ used: 0, held: 0 }]);
  });
});

describe('an attempt that still prepares its request when the call has ended', () => {
  /** Node 20 frees no bodies. */
  const memory = Object.getPrototypeOf(Buffer.alloc(1).buffer) as { transfer?: (this: ArrayBuffer, to: 0) => unknown };
  const { transfer } = memory;
  let freed: number[] = [];
  afterEach(() => {
    jest.restoreAllMocks();
    freed = [];
  });

  it.each([
    ['of 800 KB', 800_000, ''],
    ['whose bytes do not count', 130_000, ''],
    ['of which a channel changes the price', 400_000, '{"service_tier":"priority"}'],
  ])('has the body of a call %s, and is no failure of its channel', async (_name, length, override) => {
    const stream = { ...body, stream: true };
    const given = { ...stream, messages: userMessage('word '.repeat(length / 5)) };
    const bytes = JSON.stringify(given).length;
    const { key, charged } = await measured(stream, undefined, { override }, { type: 15, key: 'AK|SK' });
    let grantToken = (): void => undefined;
    const isEnded = new Promise<void>((resolve) => (grantToken = resolve));
    relay.upstream.script({ path: '/oauth' }, async (response, request) => {
      await isEnded;
      await json({ access_token: '24.fake', expires_in: 2_592_000 })(response, request);
    });
    relay.upstream.script({ key: 'sk-first' }, async (response, request) => {
      await sleep(400);
      await fine(response, request);
    });
    if (transfer) {
      jest.spyOn(memory as Required<typeof memory>, 'transfer').mockImplementation(function (this: ArrayBuffer, to) {
        freed.push(this.byteLength);
        return transfer.call(this, to);
      });
    }
    const failed = jest.spyOn(UpstreamFailureHandler.prototype, 'failed');
    const undecided = jest.spyOn(KeyRing.prototype, 'undecided').mockImplementation(() => {
      expect(freed).not.toContain(bytes);
    });
    expect(await ask(key, given)).toMatchObject({ status: 200, text: expect.stringContaining('Hello') as string });
    expect(await charged()).toBe(50_000);
    collectGarbage();
    expect(freed).not.toContain(bytes);
    grantToken();
    const isOver = () => undecided.mock.calls.length + failed.mock.calls.length > 0;
    for (let wait = 0; wait < 100 && !isOver(); wait++) await sleep(20);
    expect(failed).not.toHaveBeenCalled();
    expect(undecided).toHaveBeenCalledTimes(1);
    expect(relay.upstream.requests.map(({ path }) => path.split('?')[0])).toEqual([
      '/v1/chat/completions',
      '/oauth/2.0/token',
    ]);
    await sleep(20);
    if (transfer) expect(freed).toContain(bytes);
  });
});

describe('there is one attempt', () => {
  /** Responds after the second attempt would have begun, which is 50 ms after the first. */
  const slow: Reply = async (response, request) => {
    await sleep(300);
    await fine(response, request);
  };

  it('by default', async () => {
    relay.setOptions(values);
    const { key, charged } = await measured();
    relay.upstream.script({ key: 'sk-first' }, slow);
    expect((await ask(key)).status).toBe(200);
    expect(keys()).toEqual(['sk-first']);
    expect(await charged()).toBe(50_000);
  });

  it('at a channel of which too few calls were measured', async () => {
    await relay.addChannel({ key: 'sk-new', priority: 9 });
    await relay.addChannel({ key: 'sk-second' });
    const { key } = await relay.addToken();
    relay.upstream.script({ key: 'sk-new' }, slow);
    expect((await ask(key)).status).toBe(200);
    expect(keys()).toEqual(['sk-new']);
  });

  it('once a stream has begun', async () => {
    const { key } = await measured({ ...body, stream: true });
    relay.upstream.script({ key: 'sk-first' }, chat({ text: ['Hel', 'lo'], gapMilliseconds: 200 }));
    expect((await ask(key, { ...body, stream: true })).status).toBe(200);
    expect(keys()).toEqual(['sk-first']);
  });

  it('for a call whose response is not text, and for one that names its channel', async () => {
    const input = { model: 'text-embedding-3-small', input: 'hi' };
    const { first, key, userId } = await measured(input, '/v1/embeddings');
    relay.upstream.script({ key: 'sk-first' }, async (response, request) => {
      await sleep(300);
      await json({
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: [1] }],
        usage: { prompt_tokens: 1 },
      })(response, request);
    });
    expect((await ask(key, input, '/v1/embeddings')).status).toBe(200);
    expect(keys()).toEqual(['sk-first']);
    await relay.sql("UPDATE users SET role = 'root' WHERE id = $1", [userId]);
    await relay.changed({ kind: 'user', id: userId });
    relay.upstream.script({ key: 'sk-first' }, slow);
    expect((await ask(`${key}-${first}`)).status).toBe(200);
    expect(keys()).toEqual(['sk-first', 'sk-first']);
  });
});
