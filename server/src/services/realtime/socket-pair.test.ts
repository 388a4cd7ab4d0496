import { once } from 'node:events';
import { WebSocket } from 'ws';
import { socketConnections } from '../../../../tests/support/socket-connections.js';
import {
  defaultPairLimits,
  SocketPair,
  type EndCause,
  type SocketPairHandler,
  type SocketPairLimits,
} from './socket-pair.js';

const connection = socketConnections();

const silent: SocketPairHandler = {
  fromClient: () => true,
  fromUpstream: () => undefined,
  delivered: () => undefined,
  farewell: () => null,
  providerEnded: () => Promise.resolve(),
};

interface Pair {
  readonly pair: SocketPair;
  readonly client: WebSocket;
  readonly upstream: WebSocket;
  readonly nearClient: WebSocket;
  readonly nearUpstream: WebSocket;
}

async function pairOf(
  limits: Partial<SocketPairLimits> = {},
  handler: Partial<SocketPairHandler> = {},
  { clientPongs = true, upstreamPongs = true } = {},
): Promise<Pair> {
  const client = await connection(clientPongs);
  const upstream = await connection(upstreamPongs);
  upstream.near.pause();
  const pair = new SocketPair(
    client.near,
    upstream.near,
    { ...silent, ...handler },
    { ...defaultPairLimits, ...limits },
  );
  pair.start();
  return {
    pair,
    client: client.far,
    upstream: upstream.far,
    nearClient: client.near,
    nearUpstream: upstream.near,
  };
}

const closed = async (socket: WebSocket): Promise<number> =>
  socket.readyState === WebSocket.CLOSED ? 0 : ((await once(socket, 'close'))[0] as number);

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/**
 * Sends until the other side stops reading, at most `atMost` bytes.
 * @returns the number of bytes that left this process
 */
async function flood(from: WebSocket, near: WebSocket, atMost: number): Promise<number> {
  const piece = Buffer.alloc(64 * 1024, 'a').toString();
  let sent = 0;
  for (; sent < atMost; sent += piece.length) from.send(piece);
  await until(() => near.isPaused);
  // The transfer has stopped when two checks see the same value.
  for (let before = -1; before !== from.bufferedAmount;) {
    before = from.bufferedAmount;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return sent - from.bufferedAmount;
}

it('passes texts and bytes both ways, in order, as they are', async () => {
  const { client, upstream } = await pairOf();
  const heard: Array<[string, boolean]> = [];
  client.on('message', (data, isBinary) => heard.push([(data as Buffer).toString(), isBinary]));
  upstream.on('message', (data, isBinary) => upstream.send(data as Buffer, { binary: isBinary }));
  for (const word of ['one', 'two', 'three']) client.send(word);
  client.send(Buffer.from('four'));
  await until(() => heard.length === 4);
  expect(heard).toEqual([
    ['one', false],
    ['two', false],
    ['three', false],
    ['four', true],
  ]);
});

describe('backpressure', () => {
  const limits = { maxWaiting: 128 * 1024 };
  const total = 48 * 1024 * 1024;

  it('a client that does not read holds the provider up, and gets everything once it reads', async () => {
    const { client, upstream, nearClient, nearUpstream } = await pairOf(limits);
    let received = 0;
    client.on('message', (data: Buffer) => (received += data.length));
    client.pause();
    // Bytes in transit are in the buffers of the kernel. This process holds almost nothing.
    expect(await flood(upstream, nearUpstream, total)).toBeLessThan(total / 2);
    expect(nearClient.bufferedAmount).toBeLessThan(1024 * 1024);
    client.resume();
    await until(() => received === total);
    expect(nearUpstream.isPaused).toBe(false);
  });

  it('a provider that does not read holds the client up, and gets everything once it reads', async () => {
    const { client, upstream, nearClient, nearUpstream } = await pairOf(limits);
    let received = 0;
    upstream.on('message', (data: Buffer) => (received += data.length));
    upstream.pause();
    expect(await flood(client, nearClient, total)).toBeLessThan(total / 2);
    expect(nearUpstream.bufferedAmount).toBeLessThan(1024 * 1024);
    upstream.resume();
    await until(() => received === total);
    expect(nearClient.isPaused).toBe(false);
  });

  it('ends with a client that has taken nothing for too long', async () => {
    const { pair, client, upstream, nearUpstream } = await pairOf({ ...limits, stallMilliseconds: 100 });
    client.pause();
    await flood(upstream, nearUpstream, total);
    await pair.ended;
    expect(await closed(upstream)).not.toBe(1000);
  });

  it('a client that takes its time, but takes it, stays', async () => {
    const { client, upstream, nearUpstream } = await pairOf({ ...limits, stallMilliseconds: 4000 });
    const piece = Buffer.alloc(4 * 1024 * 1024, 'a');
    let received = 0;
    client.on('message', (data: Buffer) => {
      received += data.length;
      // The pauses are repeated, in total for longer than bytes may wait without a break.
      client.pause();
      setTimeout(() => client.resume(), 60);
    });
    for (let count = 0; count < 12; count++) upstream.send(piece);
    await until(() => received === 12 * piece.length);
    expect([client.readyState, upstream.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
    expect(nearUpstream.isPaused).toBe(false);
  });

  it('a frame that waits for its charge holds up those behind it, and is followed by them', async () => {
    let release: () => void = () => undefined;
    const { client, upstream, nearUpstream } = await pairOf(
      {},
      {
        fromUpstream: ({ data }) =>
          data.toString() === 'charge' ? new Promise<void>((resolve) => (release = resolve)) : undefined,
      },
    );
    const heard: string[] = [];
    client.on('message', (data: Buffer) => heard.push(data.toString()));
    for (const word of ['before', 'charge', 'after']) upstream.send(word);
    await until(() => nearUpstream.isPaused);
    expect(heard).not.toContain('charge');
    release();
    await until(() => heard.length === 3);
    expect(heard).toEqual(['before', 'charge', 'after']);
    expect(nearUpstream.isPaused).toBe(false);
  });
});

describe('the end', () => {
  it.each([
    ['client', 1000, 1000],
    ['upstream', 1013, 1013],
    ['client', 4001, 4001],
    ['upstream', 1005, 1000],
  ] as const)('of the %s with %i is the other’s with %i', async (side, code, told) => {
    const said: Array<[EndCause, number]> = [];
    const { pair, client, upstream } = await pairOf(
      {},
      {
        farewell: (cause, how) => {
          said.push([cause, how]);
          return null;
        },
      },
    );
    const [leaver, other] = side === 'client' ? [client, upstream] : [upstream, client];
    const heard = closed(other);
    if (code === 1005) leaver.close();
    else leaver.close(code, 'bye');
    await pair.ended;
    expect(await heard).toBe(told);
    expect(said).toEqual([[side, code]]);
  });

  it('of a side that is cut off is an error to the other, with a last word', async () => {
    const { client, upstream } = await pairOf({}, { farewell: (cause, code) => `${cause} ${code}` });
    const words: string[] = [];
    client.on('message', (data: Buffer) => words.push(data.toString()));
    const heard = closed(client);
    upstream.terminate();
    expect(await heard).toBe(1011);
    expect(words).toEqual(['upstream 1006']);
  });

  it('comes when the session reached its maximum duration', async () => {
    const { client, upstream } = await pairOf({ sessionMilliseconds: 50 }, { farewell: (cause) => cause });
    const words: string[] = [];
    client.on('message', (data: Buffer) => words.push(data.toString()));
    expect(await Promise.all([closed(client), closed(upstream)])).toEqual([1001, 1001]);
    expect(words).toEqual(['expired']);
  });

  it('waits until what the provider said was handled', async () => {
    let isCharged = false;
    const { pair, upstream } = await pairOf(
      {},
      {
        fromUpstream: () =>
          new Promise<void>((resolve) =>
            setTimeout(() => {
              isCharged = true;
              resolve();
            }, 100),
          ),
      },
    );
    upstream.send('the end of a turn');
    upstream.close(1000);
    await pair.ended;
    expect(isCharged).toBe(true);
  });

  it('comes for both when what was said cannot be charged', async () => {
    const { client, upstream } = await pairOf(
      {},
      { fromUpstream: () => Promise.reject<undefined>(new Error('no sessionLedger')) },
    );
    upstream.send('the end of a turn');
    expect(await Promise.all([closed(client), closed(upstream)])).toEqual([1011, 1011]);
  });

  it('does not wait for a side that never says goodbye', async () => {
    const { pair, client, upstream } = await pairOf({ closeMilliseconds: 50 });
    upstream.pause();
    client.close(1000);
    await pair.ended;
    await until(() => client.readyState === WebSocket.CLOSED);
    upstream.resume();
    await until(() => upstream.readyState === WebSocket.CLOSED);
  });
});

describe('pings', () => {
  it.each([
    ['client', { clientPongs: false }],
    ['upstream', { upstreamPongs: false }],
  ])('a %s that does not answer them is gone', async (side, pongs) => {
    const { pair, client, upstream } = await pairOf({ pingMilliseconds: 50 }, {}, pongs);
    const heard = closed(side === 'client' ? upstream : client);
    await pair.ended;
    expect(await heard).toBe(1011);
  });

  it('who answers them stays, also while the other is not read', async () => {
    const { client, upstream, nearUpstream } = await pairOf({ pingMilliseconds: 300, maxWaiting: 1024 });
    const pings = { client: 0, upstream: 0 };
    client.on('ping', () => pings.client++);
    upstream.on('ping', () => pings.upstream++);
    await until(() => pings.client >= 3 && pings.upstream >= 3);
    // The side is paused over many pings and then read again: the pongs arrive late, but the side is alive.
    nearUpstream.pause();
    const before = pings.client;
    await until(() => pings.client >= before + 3);
    nearUpstream.resume();
    const after = pings.client;
    await until(() => pings.client >= after + 3);
    expect([client.readyState, upstream.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
  });
});
