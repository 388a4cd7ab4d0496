import { AppError } from '../../shared/errors.js';
import { priceOfCard } from '../../billing/prices/compiled-price.js';
import { balancePayer, QuotaError, type TurnReservation } from '../../billing/ledger/index.js';
import { ResponseEstimate } from './response-estimate.js';
import { SessionPrice } from './session-price.js';
import { type ResponseCost, SessionReservations } from './session-reservations.js';
import { SessionSettings } from './session-settings.js';

const values = { PreConsumedQuota: 500, QuotaPerUnit: 500_000, LogConsumeEnabled: true, StrictReserve: true };
const audio = (seconds: number) => ({
  type: 'input_audio_buffer.append',
  audio: Buffer.alloc(seconds * 48_000, 1).toString('base64'),
});
const item = (words: number) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'word '.repeat(words) }] },
});
const begins = (id: string) => ({ type: 'response.created', response: { id } });

/**
 * The reservations of a session whose ledger has room for one of them.
 * @param most tokens of input that the balance pays for
 */
function session(most = Infinity) {
  const sale = priceOfCard({ name: 'm', card: { prices: { input: 1, output: 1 } } }, 'card', { groupRatio: 1 });
  const price = new SessionPrice(sale, values, () => sale);
  const settings = new SessionSettings(false);
  const estimate = new ResponseEstimate('m', settings);
  const costs: ResponseCost[] = [];
  const held = new Set<TurnReservation>();
  const failures: Error[] = [];
  const unpaid: unknown[] = [];
  const reservations = new SessionReservations({
    price,
    estimate,
    settings,
    limits: { maxInput: 0, maxOutput: 100 },
    reserve: async (cost) => {
      costs.push(cost);
      await new Promise((resolve) => setTimeout(resolve, 5));
      const failure = failures.shift();
      if (failure) throw failure;
      if (held.size > 0 || cost.promptTokens > most) throw new QuotaError('INSUFFICIENT_QUOTA', 0, 1);
      const made = { amount: 1, payer: balancePayer } as TurnReservation;
      held.add(made);
      return { held: made, outputTokens: cost.outputTokens };
    },
    reserveNothing: () => Promise.resolve({ amount: 0, payer: balancePayer } as TurnReservation),
    unpaid: (error) => unpaid.push(error),
    release: async (each) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      held.delete(each);
    },
  });
  /** Sends an event as a session does, and returns whether it waited for a reservation. */
  const send = async (event: Record<string, unknown>): Promise<boolean> => {
    estimate.fromClient(event);
    const waits = reservations.awaitsTurn(event);
    if (waits) await reservations.listen();
    if (event['type'] === 'input_audio_buffer.append') reservations.feed();
    return waits;
  };
  return { reservations, estimate, costs, held, failures, unpaid, send };
}

it('both sides of a session that reserve the next turn at once make one reservation', async () => {
  const { reservations, costs, held } = session();
  await Promise.all([reservations.listen(), reservations.listen()]);
  expect([costs.length, held.size]).toEqual([1, 1]);
  await reservations.left();
  expect(held.size).toBe(0);
});

it('texts beside audio use the reservation of the turn until it does not cover them', async () => {
  const { costs, send } = session();
  await send(audio(1));
  const waited: boolean[] = [];
  for (let count = 0; count < 60; count++) waited.push(await send(item(10)));
  expect(waited.filter(Boolean)).toEqual([]);
  expect(await send(item(2000))).toBe(true);
  expect(costs).toHaveLength(2);
});

it('a turn is one request, however often its reservation is made anew', async () => {
  const { reservations, costs, send } = session();
  await send(audio(1));
  await send(item(2000));
  await send(audio(20));
  expect(costs.map(({ isCounted }) => isCounted)).toEqual([false, true, true]);
  reservations.of(begins('a'));
  await reservations.left().then(({ running }) => expect(running).toHaveLength(1));
});

describe('a text that the balance does not pay for', () => {
  it('is refused as often as it is sent, and speech before it keeps its reservation', async () => {
    const { reservations, estimate, held, send } = session(5000);
    await send(audio(1));
    for (let count = 0; count < 2; count++) {
      const before = estimate.mark();
      await expect(send(item(20_000))).rejects.toMatchObject({ code: 'INSUFFICIENT_QUOTA' });
      estimate.withdraw(before);
    }
    expect(held.size).toBe(1);
    expect(reservations.of(begins('a'))).not.toBeNull();
  });

  it('is refused where the reservation of the speech was lost as well', async () => {
    const { failures, estimate, held, send } = session(5000);
    await send(audio(1));
    const before = estimate.mark();
    failures.push(new QuotaError('INSUFFICIENT_QUOTA', 0, 1), new QuotaError('INSUFFICIENT_QUOTA', 0, 1));
    await expect(send(item(20_000))).rejects.toMatchObject({ code: 'INSUFFICIENT_QUOTA' });
    estimate.withdraw(before);
    expect(held.size).toBe(0);
    await expect(send(item(20_000))).rejects.toMatchObject({ code: 'INSUFFICIENT_QUOTA' });
  });
});

it('a response that begins while its reservation is made anew uses the new one', async () => {
  const { reservations, costs, unpaid, send, held } = session();
  await send(audio(1));
  const renewed = send(item(2000));
  await new Promise((resolve) => setImmediate(resolve));
  const event = begins('a');
  const reserved = reservations.of(event) ?? (await reservations.begun(event));
  await renewed;
  expect([costs.length, unpaid, held.has(reserved.held)]).toEqual([2, [], true]);
});

it('a response that has begun is reserved beyond the limit of requests', async () => {
  const { reservations, failures, unpaid, held } = session();
  failures.push(new AppError('RATE_LIMITED', 'too many requests'));
  const reserved = await reservations.begun(begins('a'));
  expect([unpaid, held.has(reserved.held)]).toEqual([[], true]);
});
