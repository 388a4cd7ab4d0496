import { once } from 'node:events';
import type { WebSocket } from 'ws';
import { socketConnections } from '../../../../tests/support/socket-connections.js';
import { priceOfCard } from '../../billing/prices/compiled-price.js';
import type { Charge } from '../../billing/ledger/index.js';
import { AppError } from '../../shared/errors.js';
import type { Prices } from '../../shared/price-card.js';
import { SessionEndedError } from './session-admission.js';
import { SessionCost } from './session-cost.js';
import type { ResponseCost } from './session-reservations.js';
import { SessionPrice } from './session-price.js';
import { RealtimeSession, type SessionDeps } from './session.js';
import { defaultPairLimits } from './socket-pair.js';

const connection = socketConnections();

const values = {
  PreConsumedQuota: 500,
  QuotaPerUnit: 500_000,
  LogConsumeEnabled: true,
  ModelMaxOutput: {},
  StrictReserve: true,
};

interface Running {
  readonly client: WebSocket;
  readonly upstream: WebSocket;
  readonly charges: Charge[];
  readonly price: SessionPrice;
  readonly ended: Promise<void>;
}

/**
 * Opens a session whose ledger accepts every charge.
 * @param turns how many turns may be reserved after the first
 * @param token limits of the key
 * @param deps that replace others
 */
async function begin(
  prices: Prices,
  turns = 1000,
  costs: Prices = {},
  token: object = {},
  deps: Partial<SessionDeps> = {},
): Promise<Running> {
  const [client, upstream] = [await connection(), await connection()];
  const sale = priceOfCard({ name: 'm', card: { prices } }, 'card', { groupRatio: 1 });
  const price = new SessionPrice(sale, values, () => sale);
  const charges: Charge[] = [];
  const held = { amount: 1e9 };
  let opened: object | null = held;
  let left = turns;
  const session = new RealtimeSession(client.near, upstream.near, {
    requestId: 'r',
    channelId: 1,
    usedChannels: [1],
    upstreamModel: 'm',
    address: '127.0.0.1',
    startedAt: performance.now(),
    caller: { user: { username: 'u' }, token: { name: 't', ...token } },
    route: { model: 'm', bareModel: 'm', group: 'default' },
    price,
    cost: new SessionCost({ basis: 'card', name: 'm', card: { prices: costs }, factor: 1 }),
    sessionLedger: {
      get opened() {
        return opened;
      },
      settle: (reservation: object, charge: Charge) => {
        charges.push(charge);
        if (reservation === opened) opened = null;
        return Promise.resolve({ userQuota: null, uncharged: 0 });
      },
      release: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    options: { values },
    checkpoints: { note: () => undefined, forget: () => undefined },
    logger: { error: (details: object) => charges.push(details as Charge) },
    watch: undefined,
    ended: () => undefined,
    charged: () => undefined,
    impossible: () => undefined,
    reserve: ({ outputTokens }: ResponseCost) => Promise.resolve({ held: { amount: 1e9 }, outputTokens }),
    hold: () => {
      if (left-- <= 0) return Promise.reject(new Error('the balance is used up'));
      opened = held;
      return Promise.resolve();
    },
    limits: { ...defaultPairLimits, timedMilliseconds: 20, readOnMilliseconds: 50 },
    ...deps,
  } as unknown as SessionDeps);
  return { client: client.far, upstream: upstream.far, charges, price, ended: session.run() };
}

const sumOf = (charges: readonly Charge[]): number => charges.reduce((sum, { quota }) => sum + quota, 0);
const linesOf = (charge: Charge | undefined): unknown => (charge?.other as Record<string, unknown>)['components'];

describe('a session with a price per second', () => {
  it('pays for its time without a turn, piece by piece, and ends with the balance', async () => {
    const { client, charges, ended } = await begin({ second: 1 }, 3);
    const [code] = (await once(client, 'close')) as [number];
    await ended;
    expect(code).toBe(1008);
    // Three more turns were reserved. The session ended with the charge of the last.
    expect(charges).toHaveLength(4);
    const [line] = linesOf(charges.at(-1)) as Array<[string, number, number]>;
    expect(line).toEqual(['second', expect.any(Number) as number, 1]);
    expect(line?.[1]).toBeGreaterThanOrEqual(0.06);
    expect(sumOf(charges)).toBe(Math.round((line?.[1] ?? 0) * 500_000));
  });

  it('pays for the time since the last charge when it ends, beside its tokens', async () => {
    const { client, upstream, charges, ended } = await begin({ second: 1, output: 2 });
    const usage = { total_tokens: 100, input_tokens: 0, output_tokens: 100 };
    upstream.send(JSON.stringify({ type: 'response.done', response: { usage } }));
    await once(client, 'message');
    client.close();
    await ended;
    const lines = linesOf(charges.at(-1)) as Array<[string, number, number]>;
    expect(lines.map(([quantity]) => quantity)).toEqual(['output', 'second']);
    expect(sumOf(charges)).toBe(Math.round((lines[1]?.[1] ?? 0) * 500_000 + 100));
  });

  it('reserves the time until the next charge', async () => {
    const { price, client, ended } = await begin({ second: 0.001, input: 1 });
    expect(price.reserve()).toEqual({ amount: 250 + 30_000, priced: true });
    client.close();
    await ended;
  });

  it('pays for its speech alone where it only writes that down', async () => {
    const { client, upstream, charges, ended } = await begin({ second: 1 });
    const audio = { input: { transcription: { model: 'm' } } };
    upstream.send(JSON.stringify({ type: 'session.created', session: { type: 'transcription', audio } }));
    await once(client, 'message');
    const usage = { type: 'duration', seconds: 3 };
    upstream.send(JSON.stringify({ type: 'conversation.item.input_audio_transcription.completed', usage }));
    await once(client, 'message');
    client.close();
    await ended;
    expect(sumOf(charges)).toBe(1_500_000);
  });
});

describe('the key of a session', () => {
  const limits = { modelLimits: new Set(['m', 'whisper-1']) };
  const old = (model: string): object => ({ input_audio_transcription: { model } });
  const current = (model: string): object => ({ audio: { input: { transcription: { model } } } });

  it.each<[what: string, type: string, session: object]>([
    ['at the top level', 'session.update', old('gpt-4o-transcribe')],
    ['under audio', 'session.update', current('gpt-4o-transcribe')],
    ['beside an allowed one', 'session.update', { ...old('whisper-1'), ...current('gpt-4o-transcribe') }],
    ['in a session for transcripts', 'transcription_session.update', old('gpt-4o-transcribe')],
  ])('has no model write speech down that it may not call: %s', async (_what, type, session) => {
    const { client, upstream, ended } = await begin({ input: 1 }, 1000, {}, limits);
    const received: unknown[] = [];
    upstream.on('message', (data: Buffer) => received.push(JSON.parse(data.toString())));
    client.send(JSON.stringify({ type, session }));
    const [refusal] = (await once(client, 'message')) as [Buffer];
    expect(JSON.parse(refusal.toString())).toMatchObject({ type: 'error', error: { code: 'model_not_allowed' } });
    const allowed = { type: 'session.update', session: current('whisper-1') };
    client.send(JSON.stringify(allowed));
    await once(upstream, 'message');
    expect(received).toEqual([{ ...allowed, event_id: expect.stringMatching(/^tollgate_update_/) as string }]);
    client.close();
    await ended;
  });
});

it('a session without a price per second is charged at its turns alone, and its time may still have a cost', async () => {
  const { client, charges, ended } = await begin({ input: 1 }, 1000, { second: 1 });
  await new Promise((resolve) => setTimeout(resolve, 50));
  client.close();
  await ended;
  expect(charges.map(({ quota }) => quota)).toEqual([0]);
  expect(charges[0]?.upstreamUsd).toBeGreaterThan(0.04);
});

describe('a client that leaves', () => {
  it('pays for what was reserved where the provider does not end in time', async () => {
    const { client, upstream, charges, ended } = await begin({ output: 2 });
    client.send(JSON.stringify({ type: 'response.create', response: { max_output_tokens: 300 } }));
    await once(upstream, 'message');
    upstream.send(JSON.stringify({ type: 'response.created', response: { id: 'a' } }));
    await once(client, 'message');
    client.close();
    await ended;
    expect(charges.map(({ quota }) => quota)).toEqual([300]);
  });

  it('pays for what the provider reports until then', async () => {
    const { client, upstream, charges, ended } = await begin({ output: 2 });
    client.send(JSON.stringify({ type: 'response.create' }));
    await once(upstream, 'message');
    client.terminate();
    const usage = { total_tokens: 10, input_tokens: 0, output_tokens: 10 };
    upstream.send(JSON.stringify({ type: 'response.done', response: { id: 'a', usage } }));
    await ended;
    expect(charges.map(({ quota }) => quota)).toEqual([10]);
  });

  it('pays by count where the provider breaks off', async () => {
    const { client, upstream, charges, ended } = await begin({ output: 2 });
    client.send(JSON.stringify({ type: 'response.create' }));
    await once(upstream, 'message');
    upstream.send(JSON.stringify({ type: 'response.output_text.delta', response_id: 'a', delta: 'one two three' }));
    await once(client, 'message');
    upstream.close();
    await ended;
    expect(charges.map(({ quota }) => quota)).toEqual([3]);
  });
});

it.each([
  ['response.create', 'response', '128'],
  ['response.create', 'response', 0.5],
  ['session.update', 'session', [100]],
])('refuses a limit that is no number, in %s: %p', async (type, name, limit) => {
  const { client, upstream, ended } = await begin({ output: 2 });
  const received: unknown[] = [];
  upstream.on('message', (data: Buffer) => received.push(JSON.parse(data.toString())));
  client.send(JSON.stringify({ type, event_id: 'mine', [name]: { max_output_tokens: limit } }));
  const [refusal] = (await once(client, 'message')) as [Buffer];
  expect(JSON.parse(refusal.toString())).toMatchObject({ type: 'error', error: { code: 'invalid_request' } });
  expect(received).toEqual([]);
  client.close();
  await ended;
});

describe('a turn after an idle timeout that cannot be reserved', () => {
  const detection = { type: 'server_vad', idle_timeout_ms: 5000 };
  const updated = {
    type: 'session.updated',
    session: { type: 'realtime', audio: { input: { turn_detection: detection } } },
  };

  it.each(['RATE_LIMITED', 'SERVICE_UNAVAILABLE'] as const)('is reserved later, after %s', async (code) => {
    const reserve = jest
      .fn(({ outputTokens }: ResponseCost) => Promise.resolve({ held: { amount: 1 } as never, outputTokens }))
      .mockRejectedValueOnce(new AppError(code, 'a failure that passes'));
    const { client, upstream, ended } = await begin({ output: 2 }, 1000, {}, {}, { reserve });
    const received: unknown[] = [];
    client.on('message', (data: Buffer) => received.push((JSON.parse(data.toString()) as { type: string }).type));
    for (let count = 1; count <= 3; count++) {
      upstream.send(JSON.stringify(updated));
      await once(client, 'message');
    }
    expect(received).toEqual(['session.updated', 'session.updated', 'session.updated']);
    expect(reserve).toHaveBeenCalledTimes(2);
    client.close();
    await ended;
  });

  it.each([
    ['the balance', new AppError('INSUFFICIENT_QUOTA', 'the balance'), 'insufficient_user_quota'],
    ['the key', new SessionEndedError(new AppError('TOKEN_DISABLED', 'the key')), 'token_disabled'],
  ])('ends the session where the reason is %s', async (_what, error, code) => {
    const { client, upstream, ended } = await begin(
      { output: 2 },
      1000,
      {},
      {},
      { reserve: () => Promise.reject(error) },
    );
    upstream.send(JSON.stringify(updated));
    const [refusal] = (await once(client, 'message')) as [Buffer];
    expect(JSON.parse(refusal.toString())).toMatchObject({ type: 'error', error: { code } });
    const [closed] = (await once(client, 'close')) as [number];
    expect(closed).toBe(1008);
    await ended;
  });
});

describe('a binary frame', () => {
  it('of sound passes, also where its first byte is a brace', async () => {
    const { client, upstream, ended } = await begin({ output: 2 });
    const sound = Buffer.from([0x00, 0x7b, 0x00, 0x12, 0x7d]);
    client.send(sound);
    expect(await once(upstream, 'message')).toEqual([sound, true]);
    client.close();
    await ended;
  });

  it('with too many values is refused, and the session goes on', async () => {
    const { client, upstream, ended } = await begin({ output: 2 });
    client.send(Buffer.from(`{"type":${'['.repeat(200)}`));
    const [refusal] = (await once(client, 'message')) as [Buffer];
    expect(JSON.parse(refusal.toString())).toMatchObject({
      type: 'error',
      error: { message: expect.stringContaining('nested') as string },
    });
    client.send('{"type":"ping"}');
    expect(String((await once(upstream, 'message'))[0])).toBe('{"type":"ping"}');
    client.close();
    await ended;
  });
});
