import { explainCharge } from '../../server/src/billing/prices/explain-charge.js';
import { RealtimeClients, type RealtimeClient } from '../support/realtime-client.js';
import { eventually, startQuota, TaskSite } from '../support/task-site.js';
import { completed, transcribe, transcription, utter } from '../support/transcription.js';
import { send, startRealtimeUpstream, type RealtimeUpstream } from '../support/upstream/realtime.js';

/** Each response of a realtime session uses one request of a budget, as does each transcript. Plans pay for them. */

const model = 'gpt-4o-realtime-preview';
const transcriber = 'gpt-4o-transcribe';
/** A model that is charged by the time of a session. */
const timed = 'grok-voice-latest';
const exceeded = { type: 'error', error: { code: 'budget_exceeded' } };

let site: TaskSite;
let upstream: RealtimeUpstream;
let clients: RealtimeClients;

beforeAll(async () => {
  site = await TaskSite.open();
  upstream = await startRealtimeUpstream();
  upstream.receive = transcribe();
  clients = new RealtimeClients(site.server.url, model);
  const models = [model, transcriber, timed];
  await site.server.api.createChannel(site.root, { baseUrl: upstream.url, key: 'sk-up', models });
});
afterEach(async () => {
  clients.close();
  await nothingHeld();
  expect(await site.drift()).toEqual([]);
});
afterAll(async () => {
  await upstream.stop();
  await site.close();
});

async function nothingHeld(): Promise<void> {
  const held = async (): Promise<number> => (await site.rows('SELECT 1 FROM reservations')).length;
  expect(await eventually(held, (count) => count === 0)).toBe(0);
}

/** Creates a key whose budget allows so many requests a day. */
async function keyWith(requests: number): Promise<{ key: string; used: () => Promise<number> }> {
  const { key, id } = await site.server.api.createToken(site.user, { unlimited_quota: true });
  const budget = { level: 'token', subject_id: id, kind: 'requests', amount: requests, window: 'day' };
  const made = await site.server.api.data<{ id: number }>(site.user, 'POST', '/api/budget/', budget);
  const used = async (): Promise<number> =>
    (await site.server.api.data<{ used: number }>(site.user, 'GET', `/api/budget/${made.id}`)).used;
  return { key, used };
}

async function create(client: RealtimeClient, type: 'response.done' | 'error', count = 1): Promise<void> {
  client.send({ type: 'response.create' });
  await client.until(type, count);
}

it('a budget of two requests serves two responses of one session, and refuses the third', async () => {
  const { key, used } = await keyWith(2);
  const client = await clients.session(key);
  await create(client, 'response.done');
  await create(client, 'response.done', 2);
  await create(client, 'error');
  expect(client.events.at(-1)).toMatchObject(exceeded);
  expect(client.closed).toBeNull();
  client.socket.close();
  await nothingHeld();
  expect(await used()).toBe(2);
});

it('a budget of one request serves the first response of a session', async () => {
  const { key, used } = await keyWith(1);
  await create(await clients.session(key), 'response.done');
  expect(await used()).toBe(1);
});

it.each([model, timed])('a session of %s without a response takes none', async (asked) => {
  const { key, used } = await keyWith(1);
  for (let count = 0; count < 3; count++) {
    const client = await clients.session(key, asked);
    client.socket.close();
    await nothingHeld();
  }
  expect(await used()).toBe(0);
});

it('speech that is written down beside the responses takes none, and the session goes on', async () => {
  const { key, used } = await keyWith(1);
  const client = await clients.session(key);
  await create(client, 'response.done');
  const { socket } = upstream.sessions.at(-1) ?? {};
  if (!socket) throw new Error('the provider has no session');
  send(socket, { type: 'session.updated', session: { id: 's', input_audio_transcription: { model: transcriber } } });
  // A minute costs more than the session has reserved, so the session reserves again.
  const usage = { type: 'tokens', input_tokens: 600, output_tokens: 9, total_tokens: 609 };
  send(socket, { type: completed, item_id: 'i', transcript: 'Hello', usage });
  send(socket, { type: completed, item_id: 'k', transcript: 'Hello', usage });
  await client.until(completed, 2);
  await create(client, 'error');
  expect(client.events.at(-1)).toMatchObject(exceeded);
  expect(client.closed).toBeNull();
  expect(await used()).toBe(1);
});

it('no session opens where the budget has no room for a response', async () => {
  const { key } = await keyWith(1);
  await create(await clients.session(key), 'response.done');
  const { status, body } = await clients.refusal(`model=${model}`, { authorization: `Bearer ${key}` });
  expect([status, JSON.parse(body)]).toEqual([
    429,
    expect.objectContaining({ error: expect.objectContaining(exceeded.error) as object }),
  ]);
});

it('each transcript of a session that only writes speech down is a request', async () => {
  const { key, used } = await keyWith(2);
  const client = await transcription(clients, key, transcriber);
  await utter(client);
  await utter(client, 2);
  expect(await client.untilClosed()).toBe(1008);
  expect(client.events.filter(({ type }) => type === completed)).toHaveLength(2);
  expect(client.events.at(-1)).toMatchObject(exceeded);
  await nothingHeld();
  expect(await used()).toBe(2);
});

describe('a plan', () => {
  /** Adds a customer with a plan for so many requests. */
  async function buyer(name: string, requests: number, plan: object = {}) {
    const { user, key, tokenId } = await site.addCustomer(name);
    const { data } = site.server.api;
    const api = (path: string, body: object): Promise<{ id: number }> =>
      data.call(site.server.api, site.root, 'POST', path, body) as Promise<{ id: number }>;
    const windows = [
      { window: 'fixed', kind: 'requests', amount: requests },
      { window: '5h', kind: 'money', amount: 1_000_000_000 },
    ];
    const shape = { name: 'Talker', price: 1, period_unit: 'day', period_count: 30, windows, ...plan };
    const { id: plan_id } = await api('/api/plan/', shape);
    const { id } = await api('/api/plan/grant', { user_id: user.id, plan_id, note: 'for a test' });
    const paid = async (): Promise<{ plan: number; wallet: number; requests: number }> => {
      await nothingHeld();
      const [use] = await site.rows<{ used: string; requests: string }>(
        `SELECT s.used, (SELECT coalesce(sum(w.used), 0) FROM budget_windows w JOIN budgets b ON b.id = w.budget_id
                          WHERE b.level = 'plan' AND b.subject_id = $1 AND b.kind = 'requests') AS requests
           FROM subscription_use s WHERE subscription_id = $1`,
        [id],
      );
      const { quota } = await site.balances(user.id, tokenId);
      return { plan: Number(use?.used), wallet: startQuota - quota, requests: Number(use?.requests) };
    };
    const logs = (): Promise<
      Array<{ quota: number; turns: number; ratio: number; plan: unknown; overflow: unknown }>
    > =>
      site.rows(
        `SELECT quota::float8, (o -> 'turns')::int AS turns, (o -> 'group_ratio')::float8 AS ratio, o -> 'plan' AS plan,
                o -> 'plan_overflow' AS overflow
           FROM logs, LATERAL (SELECT other::jsonb) x(o) WHERE user_id = $1 AND type = 2 ORDER BY id`,
        [user.id],
      );
    return { id, key, paid, logs };
  }

  it('pays for the responses of a session, in one log row that names it', async () => {
    const { id, key, paid, logs } = await buyer('talker', 5);
    const client = await clients.session(key);
    await create(client, 'response.done');
    await create(client, 'response.done', 2);
    client.socket.close();
    const { plan, ...rest } = await paid();
    expect(plan).toBeGreaterThan(0);
    expect(rest).toEqual({ wallet: 0, requests: 2 });
    expect(await logs()).toEqual([{ quota: plan, turns: 2, ratio: 1, plan: { id, name: 'Talker' }, overflow: null }]);
  });

  it('without room lets the balance pay a part of the price, in a log row of its own', async () => {
    const { id, key, paid, logs } = await buyer('part', 1, { overflow: 'wallet', overflow_ratio: 0.5 });
    const client = await clients.session(key);
    for (let count = 1; count <= 3; count++) await create(client, 'response.done', count);
    client.socket.close();
    const { plan, ...rest } = await paid();
    expect(rest).toEqual({ wallet: plan, requests: 1 });
    expect(await logs()).toEqual([
      { quota: plan, turns: 1, ratio: 1, plan: { id, name: 'Talker' }, overflow: null },
      { quota: plan, turns: 2, ratio: 0.5, plan: null, overflow: { id, name: 'Talker', ratio: 0.5 } },
    ]);
    expect((await site.chargedRows(2)).map((row) => explainCharge(row).quota)).toEqual([plan, plan]);
  });

  it('that refuses is passed by no number of sessions', async () => {
    const { key, paid } = await buyer('many', 4);
    // A session finds room for one request when it opens.
    const all: RealtimeClient[] = [];
    while (all.length < 10) all.push(await clients.session(key));
    for (const client of all) client.send({ type: 'response.create' });
    const ends = (client: RealtimeClient) =>
      client.events.filter(({ type }) => type === 'response.done' || type === 'error');
    await eventually(
      () => Promise.resolve(all.filter((client) => ends(client).length > 0).length),
      (count) => count === all.length,
    );
    const errors = all.flatMap(ends).filter(({ type }) => type === 'error');
    expect(errors).toHaveLength(6);
    for (const error of errors) expect(error).toMatchObject(exceeded);
    for (const { socket } of all) socket.close();
    expect(await paid()).toMatchObject({ wallet: 0, requests: 4 });
  });

  it('pays for transcripts and for the time of a session', async () => {
    const { key, paid } = await buyer('writer', 3);
    const client = await transcription(clients, key, transcriber);
    await utter(client);
    client.socket.close();
    const written = await paid();
    expect(written).toMatchObject({ wallet: 0 });
    expect(written.plan).toBeGreaterThan(0);
    const spoken = await clients.session(key, timed);
    await create(spoken, 'response.done');
    spoken.socket.close();
    const both = await paid();
    expect(both.wallet).toBe(0);
    expect(both.plan).toBeGreaterThan(written.plan);
  });

  describe('of requests only', () => {
    const only = (amount: number) => ({ windows: [{ window: 'fixed', kind: 'requests', amount }] });

    it('counts each response, and refuses the next one', async () => {
      const { key, paid } = await buyer('counted', 2, only(2));
      const client = await clients.session(key);
      await create(client, 'response.done');
      await create(client, 'response.done', 2);
      await create(client, 'error');
      expect(client.events.at(-1)).toMatchObject(exceeded);
      client.socket.close();
      const { plan, ...rest } = await paid();
      expect(plan).toBeGreaterThan(0);
      expect(rest).toEqual({ wallet: 0, requests: 2 });
    });

    it('leaves the time of a session to the balance', async () => {
      const { key, paid, logs } = await buyer('timed', 2, only(2));
      const client = await clients.session(key, timed);
      await new Promise((resolve) => setTimeout(resolve, 100));
      client.socket.close();
      const { plan, ...rest } = await paid();
      const [row] = await logs();
      expect(row).toMatchObject({ plan: null });
      expect([plan, rest]).toEqual([0, { wallet: row?.quota, requests: 0 }]);
      expect(row?.quota).toBeGreaterThan(0);
    });

    it('counts speech that is written down beside the responses', async () => {
      const { key, paid } = await buyer('listener', 3, only(3));
      const client = await clients.session(key);
      const { socket } = upstream.sessions.at(-1) ?? {};
      if (!socket) throw new Error('the provider has no session');
      send(socket, {
        type: 'session.updated',
        session: { id: 's', input_audio_transcription: { model: transcriber } },
      });
      const usage = { type: 'tokens', input_tokens: 600, output_tokens: 9, total_tokens: 609 };
      const speak = (item_id: string): void => send(socket, { type: completed, item_id, transcript: 'Hello', usage });
      for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) speak(id);
      expect(await client.untilClosed()).toBe(1008);
      const { plan, ...rest } = await paid();
      expect(plan).toBeGreaterThan(0);
      expect(rest).toEqual({ wallet: 0, requests: 3 });
    });
  });
});
