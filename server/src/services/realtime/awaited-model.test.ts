import { once } from 'node:events';
import type { WebSocket } from 'ws';
import { socketConnections } from '../../../../tests/support/socket-connections.js';
import { BodyBudget } from '../../gateway/admit/body-budget.js';
import { AwaitedModel } from './awaited-model.js';
import { SocketPair } from './socket-pair.js';

const connection = socketConnections();

interface Waiting {
  readonly awaited: AwaitedModel;
  readonly near: WebSocket;
  readonly client: WebSocket;
  readonly bodies: BodyBudget;
}

async function wait(milliseconds = 5000, budget = 1024 * 1024): Promise<Waiting> {
  const { near, far } = await connection();
  const bodies = new BodyBudget({ node: budget, user: budget });
  const deps = { requestId: 'r', kept: bodies.open(1), milliseconds, closeMilliseconds: 50 };
  return { awaited: new AwaitedModel(near, deps), near, client: far, bodies };
}

const naming = JSON.stringify({
  type: 'session.update',
  session: { audio: { input: { transcription: { model: 'm' } } } },
});
const piece = JSON.stringify({ type: 'input_audio_buffer.append', audio: 'A'.repeat(60_000) });

async function lastOf(client: WebSocket): Promise<{ error: unknown; code: number }> {
  let error: unknown;
  client.on('message', (data: Buffer) => ({ error } = JSON.parse(data.toString()) as { error: unknown }));
  const [code] = (await once(client, 'close')) as [number];
  return { error, code };
}

const aborted = ({ signal }: AwaitedModel): Promise<unknown> =>
  signal.aborted ? Promise.resolve() : once(signal, 'abort');

it('rejects when no event names a model in time', async () => {
  const { awaited, client } = await wait(30);
  client.send(piece);
  const error: unknown = await awaited.model.catch((failure: unknown) => failure);
  expect(error).toMatchObject({
    message: 'Invalid request, no event named a model for transcription within 0.03 seconds',
  });
  const last = lastOf(client);
  awaited.refuse(error);
  expect(await last).toMatchObject({ error: { code: 'invalid_request' }, code: 1008 });
  await aborted(awaited);
});

it('does not run out of time once the model is named', async () => {
  const { awaited, client } = await wait(50);
  client.send(naming);
  expect(await awaited.model).toBe('m');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(client.readyState).toBe(client.OPEN);
  expect(awaited.take().map(({ data }) => data.toString())).toEqual([naming]);
});

it('stops reading a client that sends much while its provider is connected, and loses nothing', async () => {
  const { awaited, client, near, bodies } = await wait();
  client.send(naming);
  for (let count = 0; count < 40; count++) client.send(piece);
  await awaited.model;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(bodies.bytes).toBeGreaterThan(256 * 1024);
  const kept = awaited.take();
  expect(kept.length).toBeLessThan(41);
  expect(bodies.bytes).toBe(0);
  const upstream = await connection();
  const received: string[] = [];
  const whole = new Promise<void>((resolve) =>
    upstream.far.on('message', (data: Buffer) => {
      received.push(data.toString());
      if (received.length === 41) resolve();
    }),
  );
  const handler = { fromClient: () => true, fromUpstream: () => undefined, delivered: () => undefined };
  new SocketPair(near, upstream.near, {
    ...handler,
    farewell: () => null,
    providerEnded: () => Promise.resolve(),
  }).start(kept);
  await whole;
  expect(received).toEqual([naming, ...Array.from({ length: 40 }, () => piece)]);
});

it('counts what is kept in the budget of the user', async () => {
  const { awaited, client, bodies } = await wait(5000, 300_000);
  client.send(naming);
  await awaited.model;
  const last = lastOf(client);
  client.send('a'.repeat(400_000));
  expect(await last).toMatchObject({ error: { code: 'rate_limit_exceeded' }, code: 1008 });
  await aborted(awaited);
  expect(bodies.bytes).toBe(0);
});
