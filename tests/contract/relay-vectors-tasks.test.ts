import { WebSocket } from 'ws';
import { explainCharge } from '../../server/src/billing/prices/explain-charge.js';
import { eventually, TaskSite } from '../support/task-site.js';
import { json } from '../support/upstream/replies.js';
import { send, startRealtimeUpstream, turn, usageOf, type RealtimeUpstream } from '../support/upstream/realtime.js';

/**
 * Worked examples of tasks and of sessions, which consist of several calls. They are really charged
 * (docs/reference/relay/billing.md#worked-examples).
 */
let site: TaskSite;
let realtime: RealtimeUpstream;

const models = {
  full: 'gpt-4o-realtime-preview-2024-12-17',
  mini: 'gpt-4o-mini-realtime-preview',
};

beforeAll(async () => {
  site = await TaskSite.open();
  realtime = await startRealtimeUpstream();
  await site.server.api.createChannel(site.root, {
    baseUrl: realtime.url,
    key: 'sk-up',
    models: Object.values(models),
  });
});
afterEach(async () => {
  await eventually(openReservations, (count) => count === 0);
  expect(await site.drift()).toEqual([]);
});
afterAll(async () => {
  await realtime.stop();
  await site.close();
});

const openReservations = async (): Promise<number> =>
  Number((await site.rows<{ count: string }>('SELECT count(*) FROM reservations'))[0]?.count);

/** The amount charged to user and token, which must be equal. */
async function costOf(act: () => Promise<unknown>): Promise<number> {
  const before = await site.balances();
  await act();
  await eventually(openReservations, (count) => count === 0);
  const after = await site.balances();
  expect(before.token - after.token).toBe(before.quota - after.quota);
  expect(after.used - before.used).toBe(before.quota - after.quota);
  // The row contains everything that explains the charge.
  const [row] = await site.chargedRows(1);
  expect(row && explainCharge(row)).toMatchObject({ quota: before.quota - after.quota });
  return before.quota - after.quota;
}

describe('B22', () => {
  const order = async (path: string, body: object): Promise<string> => {
    const answer = await site.call('POST', path, body);
    expect(answer.status).toBe(200);
    return String(answer.body.result ?? answer.body.data);
  };
  const imagine = (): Promise<string> => order('/mj/submit/imagine', { prompt: 'a cat' });

  it('mj_imagine', async () => {
    expect(await costOf(imagine)).toBe(50_000);
  });

  it('mj_upscale', async () => {
    const taskId = await imagine();
    site.tasks.reported.set(taskId, { status: 'SUCCESS', progress: '100%', imageUrl: 'https://images.example/1.png' });
    await eventually(
      () => site.call('GET', `/mj/task/${taskId}/fetch`),
      ({ body }) => body.status === 'SUCCESS',
    );
    const upscale = { taskId, action: 'UPSCALE', index: 1 };
    expect(await costOf(() => order('/mj/submit/change', upscale))).toBe(25_000);
  });

  it('suno_lyrics', async () => {
    const lyrics = { prompt: 'a song' };
    expect(await costOf(() => order('/suno/submit/lyrics', lyrics))).toBe(5000);
  });

  it('a price of 0.04 for a group of 0.7', async () => {
    await site.setOption('ModelPrice', JSON.stringify({ mj_imagine: 0.04 }));
    await site.setOption('GroupRatio', JSON.stringify({ default: 0.7, vip: 1, svip: 1 }));
    const cost = await eventually(
      () => costOf(imagine),
      (quota) => quota !== 50_000,
    );
    expect(cost).toBe(14_000);
    await site.setOption('GroupRatio', JSON.stringify({ default: 1, vip: 1, svip: 1 }));
  });
});

describe('fixtures of task providers', () => {
  const lastSubmitted = () => site.upstream.requests.findLast(({ path }) => path.includes('/submit/'));

  it('F74-mj-imagine', async () => {
    const given = { prompt: 'cat --fast', notifyHook: 'https://x.example', accountFilter: { modes: ['FAST'] } };
    const description = 'queued';
    site.upstream.script(
      { path: '/mj/submit' },
      json({ code: 22, description, result: '174', properties: { numberOfQueues: 1 } }),
    );
    const { status, body } = await site.call('POST', '/mj-fast/mj/submit/imagine', given);
    expect([status, body.code, body.result]).toEqual([200, 1, '174']);
    const sent = lastSubmitted();
    expect([sent?.method, sent?.path, sent?.headers['mj-api-secret']]).toEqual([
      'POST',
      '/mj/submit/imagine',
      'mj-secret',
    ]);
    expect(sent?.body).toEqual({ prompt: 'cat --fast' });
    site.script();
  });

  it('F75-suno-submit', async () => {
    site.upstream.script({ path: '/suno/submit' }, json({ code: 'success', message: '', data: 'task-1' }));
    const given = { prompt: 'la la', title: 'T', tags: 'pop' };
    const { status, body } = await site.call('POST', '/suno/submit/music', given);
    expect([status, body.code, body.data]).toEqual([200, 'success', 'task-1']);
    const sent = lastSubmitted();
    expect([sent?.method, sent?.path, sent?.key]).toEqual(['POST', '/suno/submit/MUSIC', 'suno-secret']);
    expect(sent?.body).toEqual({ ...given, mv: 'chirp-v3-0', make_instrumental: false });
    site.script();
  });
});

/** Runs a session from its first event on. Resolves when the session has ended. */
async function inSession(model: string, act: (client: Session) => Promise<void>): Promise<void> {
  const address = `${site.server.url.replace('http', 'ws')}/v1/realtime?model=${model}`;
  const socket = new WebSocket(address, ['realtime'], { headers: { authorization: `Bearer ${site.key}` } });
  const seen: string[] = [];
  socket.on('message', (data) => seen.push((JSON.parse((data as Buffer).toString()) as { type: string }).type));
  const until = async (type: string, count = 1): Promise<void> => {
    const found = await eventually(
      () => Promise.resolve(seen.filter((each) => each === type).length),
      (number) => number >= count,
    );
    expect(found).toBe(count);
  };
  await until('session.created');
  await act({ socket, until });
  socket.close();
  await eventually(openReservations, (count) => count === 0);
}

interface Session {
  readonly socket: WebSocket;
  until(type: string, count?: number): Promise<void>;
}

const lastOther = async (): Promise<Record<string, unknown>> => {
  const [row] = await site.rows<{ other: string }>('SELECT other FROM logs WHERE type = 2 ORDER BY id DESC LIMIT 1');
  return JSON.parse(row?.other ?? '{}') as Record<string, unknown>;
};

it.each([
  ['B21b, full', models.full, 4850],
  ['B21b, mini', models.mini, 1050],
])('%s', async (_name, model, quota) => {
  realtime.answer = turn({ textIn: 100, textOut: 100, audioIn: 60, audioOut: 60 });
  const cost = await costOf(() =>
    inSession(model, async ({ socket, until }) => {
      send(socket, { type: 'response.create' });
      await until('response.done');
    }),
  );
  expect(cost).toBe(quota);
});

/** Responds with this many bytes of audio and no usage report. */
const soundOf =
  (bytes: number) =>
  ({ socket }: { readonly socket: WebSocket }): void => {
    send(socket, { type: 'response.created', response: { id: 'r' } });
    if (bytes > 0) send(socket, { type: 'response.audio.delta', delta: Buffer.alloc(bytes).toString('base64') });
    send(socket, { type: 'response.done', response: { id: 'r' } });
  };

it.each([
  ['one second of pcm16', 48_000, 27, 13],
  ['a minute of pcm16', 2_880_000, 1666, 833],
])('T10: %s', async (_name, bytes, heard, said) => {
  realtime.answer = soundOf(bytes);
  await inSession(models.full, async ({ socket, until }) => {
    send(socket, { type: 'input_audio_buffer.append', audio: Buffer.alloc(bytes).toString('base64') });
    send(socket, { type: 'response.create' });
    await until('response.done');
  });
  expect(await lastOther()).toMatchObject({ audio_input: heard, audio_output: said });
});

it('T10: one second of g711', async () => {
  await inSession(models.full, async ({ socket, until }) => {
    realtime.answer = (session) => {
      send(session.socket, { type: 'session.updated', session: { input_audio_format: 'g711_ulaw' } });
      const usage = usageOf({ textIn: 0, textOut: 0, audioIn: 0, audioOut: 0 });
      send(session.socket, { type: 'response.done', response: { id: 'r', usage } });
    };
    send(socket, { type: 'response.create' });
    await until('response.done');
    realtime.answer = soundOf(0);
    send(socket, { type: 'input_audio_buffer.append', audio: Buffer.alloc(8000).toString('base64') });
    send(socket, { type: 'response.create' });
    await until('response.done', 2);
  });
  expect(await lastOther()).toMatchObject({ audio_input: 27, audio_output: 0 });
});
