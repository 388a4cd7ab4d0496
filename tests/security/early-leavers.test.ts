/** A client may disconnect at any moment: its call ends, its slot is free again, and the server can stop. */
import fc from 'fast-check';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { openSite } from '../faults/traffic.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';

let upstream: Upstream;
let server: SpawnedServer;
let keys: string[];
beforeAll(async () => {
  upstream = await startUpstream();
  server = await spawnServer({ environment: { SHUTDOWN_TIMEOUT: '2', REQUEST_BODY_GRACE: '60' } });
  const users = Array.from({ length: 17 }, (_, index) => ({ username: `user${index}`, quota: 5_000_000 }));
  let root;
  ({ keys, root } = await openSite(server.api, upstream.url, users));
  await server.api.data(root, 'PUT', '/api/option/', { key: 'ModelRequestUserInFlightLimit', value: '5' });
});
afterAll(async () => {
  await server.stop();
  await upstream.stop();
});

async function dial(): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

const body = JSON.stringify({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'hi' }] });
const head = (key: string, ...lines: string[]): string =>
  [
    'POST /v1/chat/completions HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key}`,
    ...(lines.length > 0 ? lines : [`Content-Length: ${body.length}`]),
    '',
    '',
  ].join('\r\n');

/** Total of the gauge over all routes. */
async function active(): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const values = [...text.matchAll(/^tollgate_relay_calls_active\{[^}]*\} (\d+)$/gm)].map(([, value]) => Number(value));
  return values.reduce((sum, value) => sum + value, 0);
}

/**
 * While the server handles a scrape, it also reads requests that were sent before. So a single 0 may come before these
 * calls.
 */
async function expectNoneActive(): Promise<void> {
  let zeros = 0;
  for (let wait = 0; wait < 200 && zeros < 3; wait++) {
    zeros = (await active()) === 0 ? zeros + 1 : 0;
    await delay(25);
  }
  expect(zeros).toBe(3);
}

/** Expects that as many parallel calls as a user may have all succeed. */
async function expectAllSlotsFree(key: string): Promise<void> {
  const statuses = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const response = await fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body,
      });
      await response.text();
      return response.status;
    }),
  );
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
}

it('leaves before its key was looked up: keys that no copy is held of', async () => {
  const sockets = await Promise.all(keys.slice(0, 8).map(() => dial()));
  for (const [index, socket] of sockets.entries()) socket.write(head(keys[index] ?? '') + body.slice(0, 10));
  for (const socket of sockets) socket.destroy();
  await expectNoneActive();
});

it('sends what no parser takes, before its key was looked up', async () => {
  const sockets = await Promise.all(keys.slice(8, 16).map(() => dial()));
  for (const [index, socket] of sockets.entries()) {
    socket.write(head(keys[8 + index] ?? '', 'Transfer-Encoding: chunked') + 'no chunk\r\n');
  }
  await expectNoneActive();
  for (const socket of sockets) socket.destroy();
});

it('leaves at any moment of a call, with any part of it sent', async () => {
  const key = keys[16] ?? '';
  const whole = head(key) + body;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 1, max: whole.length }), fc.nat(60), fc.boolean()), {
        minLength: 1,
        maxLength: 5,
      }),
      async (leavers) => {
        await Promise.all(
          leavers.map(async ([length, milliseconds, resets]) => {
            const socket = await dial();
            socket.write(whole.slice(0, length));
            await delay(milliseconds);
            if (resets) socket.resetAndDestroy();
            else socket.destroy();
          }),
        );
      },
    ),
    { numRuns: 60 },
  );
  await expectNoneActive();
  await expectAllSlotsFree(key);
});

it('SIGTERM ends the server in its time although calls hang at every stage', async () => {
  upstream.script({}, () => new Promise(() => undefined));
  const hanging = await Promise.all(keys.slice(0, 9).map(() => dial()));
  for (const [index, socket] of hanging.entries()) {
    const whole = head(keys[index] ?? '') + body;
    socket.write(index % 3 === 0 ? whole : whole.slice(0, whole.length - (index % 3) * 40));
  }
  await delay(300);
  const startedAt = Date.now();
  await server.kill('SIGTERM');
  // SHUTDOWN_TIMEOUT is 2 s, settlements of closed calls take at most 5 s, and the stores have to be closed.
  expect(Date.now() - startedAt).toBeLessThan(20_000);
  for (const socket of hanging) socket.destroy();
});
