import { WebSocket } from 'ws';
import { explainCharge } from '../../server/src/billing/prices/explain-charge.js';
import { RealtimeClients, type RealtimeClient } from '../support/realtime-client.js';
import { eventually, TaskSite } from '../support/task-site.js';
import { send, startRealtimeUpstream, turn, type RealtimeUpstream } from '../support/upstream/realtime.js';

/** Cost of sessions, by which side ends them and when. */

const model = 'gpt-4o-realtime-preview';
const models = [
  model,
  'gpt-4o-audio-preview-2024-10-01',
  'gpt-4o-realtime-preview-2024-12-17',
  'gpt-4o-mini-realtime-preview',
  'nobody-priced-this',
];
const b21 = { textIn: 120, textOut: 30, audioIn: 50, audioOut: 40 };

let site: TaskSite;
let upstream: RealtimeUpstream;
let clients: RealtimeClients;

beforeAll(async () => {
  site = await TaskSite.open();
  upstream = await startRealtimeUpstream();
  clients = new RealtimeClients(site.server.url, model);
  await site.server.api.createChannel(site.root, { baseUrl: upstream.url, key: 'sk-up', models });
});
afterEach(async () => {
  clients.close();
  upstream.answer = turn(b21);
  await nothingHeld();
  expect(await site.drift()).toEqual([]);
});
afterAll(async () => {
  await upstream.stop();
  await site.close();
});

const nothingHeld = (): Promise<number> =>
  eventually(
    async () => (await site.rows('SELECT 1 FROM reservations')).length,
    (count) => count === 0,
    20,
  );

async function speak(client: RealtimeClient, turns = 1): Promise<void> {
  for (let count = 1; count <= turns; count++) {
    const before = client.events.filter(({ type }) => type === 'response.done').length;
    client.send({ type: 'response.create' });
    await client.until('response.done', before + 1);
  }
}

async function setQuota(userId: number, quota: number): Promise<void> {
  const row = await site.server.api.data<Record<string, unknown>>(site.root, 'GET', `/api/user/${userId}`);
  await site.server.api.data(site.root, 'PUT', '/api/user/', { ...row, password: '', quota });
}

describe('the worked examples, through real sockets', () => {
  it.each([
    ['B20', 'gpt-4o-audio-preview-2024-10-01', { textIn: 100, textOut: 50, audioIn: 200, audioOut: 300 }, 40_375],
    ['B21', model, b21, 7100],
    ['B21b', 'gpt-4o-realtime-preview-2024-12-17', { textIn: 100, textOut: 100, audioIn: 60, audioOut: 60 }, 4850],
    ['B21b, small', 'gpt-4o-mini-realtime-preview', { textIn: 100, textOut: 100, audioIn: 60, audioOut: 60 }, 1050],
  ])('%s: %s', async (_name, asked, usage, quota) => {
    upstream.answer = turn(usage);
    const before = await site.balances();
    const client = await clients.session(site.key, asked);
    await speak(client);
    client.socket.close();
    await nothingHeld();
    const after = await site.balances();
    expect([before.quota - after.quota, before.token - after.token, after.used - before.used]).toEqual(
      Array(3).fill(quota),
    );
  });

  it('B24: of 100000 with an unlimited key one turn takes 7100, whatever was held', async () => {
    const poor = await site.addCustomer('b24');
    await setQuota(poor.user.id, 100_000);
    const { key, id } = await site.server.api.createToken(poor.user, { unlimited_quota: true });
    const client = await clients.session(key);
    const held = await site.balances(poor.user.id, id);
    expect(held.quota).toBe(100_000 - 1250);
    await speak(client);
    client.socket.close();
    await nothingHeld();
    expect(await site.balances(poor.user.id, id)).toMatchObject({ quota: 92_900, used: 7100 });
  });
});

it('pays every one of many turns, and leaves nothing of them held', async () => {
  const before = await site.balances();
  const client = await clients.session(site.key);
  await speak(client, 5);
  // Five are charged, and the session's reservation is the same as when it opened.
  expect(await site.balances()).toMatchObject({
    quota: before.quota - 5 * 7100 - 1250,
    used: before.used + 5 * 7100,
  });
  client.socket.close();
  await nothingHeld();
  expect((await site.balances()).quota).toBe(before.quota - 5 * 7100);
  const [row] = await site.chargedRows(1);
  expect(row).toMatchObject({ quota: 5 * 7100, other: { turns: 5, text_input: 600, audio_output: 200 } });
  expect(row && explainCharge(row)).toMatchObject({ formula: 'audio', quota: 5 * 7100 });
});

describe('parallel sessions of one user', () => {
  const open = async (name: string, quota: number): Promise<{ id: number; clients: RealtimeClient[] }> => {
    const { user, key } = await site.addCustomer(name);
    await setQuota(user.id, quota);
    return { id: user.id, clients: [await clients.session(key), await clients.session(key)] };
  };
  const quotaOf = async (id: number): Promise<number> => {
    const [row] = await site.rows<{ quota: string }>('SELECT quota FROM users WHERE id = $1', [id]);
    return Number(row?.quota);
  };

  const refused = { error: { code: 'insufficient_user_quota', event_id: null } };

  it('do not spend the same balance', async () => {
    const { id, clients: both } = await open('two-sessions', 22_000);
    for (const client of both) await speak(client);
    for (const client of both) {
      client.send({ type: 'response.create' });
      await client.until('error');
      expect(client.events.at(-1)).toMatchObject(refused);
      expect(client.closed).toBeNull();
      client.socket.close();
    }
    await nothingHeld();
    expect(await quotaOf(id)).toBe(22_000 - 2 * 7100);
  });
});

it('counts at what the provider reports, never below nothing and never beyond what can be', async () => {
  upstream.answer = ({ socket }) =>
    send(socket, {
      type: 'response.done',
      response: {
        usage: {
          total_tokens: 5,
          input_tokens: -7,
          output_tokens: 1e300,
          input_token_details: { audio_tokens: 1e9 },
          output_token_details: { audio_tokens: 'all' },
        },
      },
    });
  const guest = await site.addCustomer('strange-usage');
  const client = await clients.session(guest.key);
  await speak(client);
  // Twice the published output is the most that may count: 2 * 4096 * 4 * 2.5.
  expect((await site.balances(guest.user.id, guest.tokenId)).used).toBe(81_920);
});

it('the price is what it was when the session began, and its log row says by which version', async () => {
  const client = await clients.session(site.key);
  const [version] = await site.rows('SELECT version AS price_version FROM price_versions');
  const options = await site.server.api.data<Array<{ key: string; value: string }>>(site.root, 'GET', '/api/option/');
  const saved = options.find(({ key }) => key === 'ModelRatio')?.value ?? '{}';
  await site.setOption('ModelRatio', JSON.stringify({ ...(JSON.parse(saved) as object), [model]: 100 }));
  const before = await site.balances();
  await speak(client);
  expect((await site.balances()).used - before.used).toBe(7100);
  client.socket.close();
  await nothingHeld();
  await site.setOption('ModelRatio', saved);
  const [row] = await site.chargedRows(1);
  expect(row).toMatchObject({ quota: 7100, other: { ws: true, ...version } });
});

it('a model nobody priced is refused before anybody is asked', async () => {
  const known = upstream.sessions.length;
  const answer = await clients.refusal('model=nobody-priced-this', { authorization: `Bearer ${site.key}` });
  expect(answer.status).toBe(400);
  expect(upstream.sessions).toHaveLength(known);
});

it('nothing is written where the site keeps no log, and everything is paid', async () => {
  await site.setOption('LogConsumeEnabled', 'false');
  const [{ count } = { count: '' }] = await site.rows<{ count: string }>('SELECT count(*) FROM logs WHERE type = 2');
  const before = await site.balances();
  const client = await clients.session(site.key);
  await speak(client, 2);
  client.socket.close();
  await nothingHeld();
  await site.setOption('LogConsumeEnabled', 'true');
  expect((await site.balances()).used - before.used).toBe(14_200);
  expect(await site.rows('SELECT count(*) FROM logs WHERE type = 2')).toEqual([{ count }]);
});

it('whoever runs dry by a turn is told', async () => {
  const guest = await site.addCustomer('runs-dry');
  await site.warnAt(guest.user, 5_000_000 - 1);
  const client = await clients.session(guest.key);
  await speak(client);
  expect(await site.noticesOf(guest.user)).toBe(1);
});

it('warns below a threshold that was set after the session began', async () => {
  const { user, key } = await site.addCustomer('patient');
  const client = await clients.session(key);
  await speak(client);
  await site.warnAt(user, 10_000_000);
  await speak(client);
  client.socket.close();
  expect(await site.noticesOf(user)).toBe(1);
});

/** The provider ends the response of the last session, without a report. */
const unreported = (): void => {
  for (const { socket } of upstream.sessions) {
    if (socket.readyState === WebSocket.OPEN) send(socket, { type: 'response.done', response: { id: 'r' } });
  }
};

describe('a session ends', () => {
  it('when its key is taken away, before another turn', async () => {
    const { key, id } = await site.server.api.createToken(site.user, { unlimited_quota: true });
    const client = await clients.session(key);
    await speak(client);
    await site.server.api.data(site.user, 'PUT', '/api/token/?status_only=true', { id, status: 2 });
    client.send({ type: 'response.create' });
    await client.until('error');
    expect(client.events.at(-1)).toMatchObject({ type: 'error', error: { code: 'token_disabled' } });
    expect(await client.untilClosed()).toBe(1008);
  });

  it('when its user is banned, before another turn, and the last one is paid', async () => {
    const guest = await site.addCustomer('soon-banned');
    const client = await clients.session(guest.key);
    await speak(client);
    await site.server.api.data(site.root, 'POST', '/api/user/manage', { id: guest.user.id, action: 'disable' });
    client.send({ type: 'response.create' });
    await client.until('error');
    expect(client.events.at(-1)).toMatchObject({ error: { code: 'user_banned' } });
    expect(await client.untilClosed()).toBe(1008);
    await nothingHeld();
    expect((await site.balances(guest.user.id, guest.tokenId)).used).toBe(7100);
  });

  it('not when the key has nothing left: its last turn is paid, and the next one is refused', async () => {
    const { key, id } = await site.server.api.createToken(site.user, { unlimited_quota: false, remain_quota: 12_000 });
    const client = await clients.session(key);
    await speak(client);
    client.send({ type: 'response.create' });
    await client.until('error');
    expect(client.events.at(-1)).toMatchObject({ error: { code: 'pre_consume_token_quota_failed' } });
    expect(client.closed).toBeNull();
    client.socket.close();
    await nothingHeld();
    expect((await site.balances(site.user.id, id)).token).toBe(4900);
  });

  it('when a frame of either side is larger than any may be, with what was said so far paid', async () => {
    upstream.answer = ({ socket }) =>
      send(socket, { type: 'response.output_audio_transcript.delta', delta: 'one two three' });
    for (const side of ['client', 'upstream'] as const) {
      const before = await site.balances();
      const client = await clients.session(site.key);
      client.send({ type: 'response.create' });
      await client.until('response.output_audio_transcript.delta');
      const far = upstream.sessions.at(-1)?.socket;
      const large = Buffer.alloc(16 * 1024 * 1024 + 1, 'a');
      if (side === 'client') client.socket.send(large);
      else far?.send(large, { binary: true });
      expect(await client.untilClosed()).not.toBe(1000);
      if (side === 'client') unreported();
      const state = await eventually(
        () => Promise.resolve(far?.readyState),
        (now) => now === WebSocket.CLOSED,
      );
      expect(state).toBe(WebSocket.CLOSED);
      await nothingHeld();
      // three words: 3 * 4 * 2.5
      expect((await site.balances()).used - before.used).toBe(30);
    }
  });

  it('with a word to the client when the provider breaks off', async () => {
    const client = await clients.session(site.key);
    upstream.sessions.at(-1)?.socket.terminate();
    expect(await client.untilClosed()).toBe(1011);
    expect(client.events.at(-1)).toMatchObject({
      event_id: expect.stringMatching(/^evt_/) as unknown,
      type: 'error',
      error: { code: 'do_request_failed', type: 'veloera_error' },
    });
  });
});

describe('turns that break off are paid by our own count, exactly once', () => {
  const half: RealtimeUpstream['answer'] = ({ socket }) => {
    send(socket, { type: 'response.output_audio_transcript.delta', delta: 'one two three' });
    // 240 ms of sound: 13 tokens a second
    send(socket, { type: 'response.output_audio.delta', delta: Buffer.alloc(48_000).toString('base64') });
  };

  it.each([
    ['the client leaves', (client: RealtimeClient) => client.socket.terminate()],
    ['the client says goodbye', (client: RealtimeClient) => client.socket.close()],
    ['the provider breaks off', () => upstream.sessions.at(-1)?.socket.terminate()],
    ['the provider says goodbye', () => upstream.sessions.at(-1)?.socket.close(1000)],
  ])('%s', async (_what, end) => {
    upstream.answer = half;
    const before = await site.balances();
    const client = await clients.session(site.key);
    client.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(48_000).toString('base64') });
    client.send({ type: 'response.create' });
    await client.until('response.output_audio.delta');
    end(client);
    await client.untilClosed();
    unreported();
    await nothingHeld();
    const after = await site.balances();
    // (3 * 4 + 27 * 20 + 13 * 20 * 2) * 2.5
    expect(after.used - before.used).toBe(2680);
    expect(before.quota - after.quota).toBe(2680);
  });

  it('also after turns that were reported', async () => {
    const before = await site.balances();
    const client = await clients.session(site.key);
    await speak(client, 2);
    upstream.answer = half;
    client.send({ type: 'response.create' });
    await client.until('response.output_audio.delta');
    client.socket.terminate();
    await client.untilClosed();
    unreported();
    await nothingHeld();
    // 2 turns, and a third one that reads the second: (150 + 90 * 20 + 3 * 4 + 13 * 20 * 2) * 2.5
    expect((await site.balances()).used - before.used).toBe(14_200 + 6205);
  });

  it('also while many come and go at once', async () => {
    const before = await site.balances();
    const known = upstream.sessions.length;
    upstream.answer = half;
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const client = await clients.session(site.key);
        client.send({ type: 'response.create', response: { max_output_tokens: 400 } });
        await client.until('response.output_audio.delta');
        client.socket.terminate();
      }),
    );
    expect(upstream.sessions.length - known).toBe(20);
    unreported();
    await nothingHeld();
    expect((await site.balances()).used - before.used).toBe(20 * 1330);
  });
});
