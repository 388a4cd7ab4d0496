import { Idempotency } from '../../server/src/platform/idempotency/idempotency.js';
import type { Actor } from '../../server/src/shared/actor.js';
import { Site } from './site.js';

let site: Site;
let actor: Actor;
let idempotency: Idempotency;

beforeAll(async () => {
  site = await Site.open();
  const root = await site.setUp();
  actor = { id: root.id, username: 'root', role: 'root', status: 'enabled', group: 'default' } as const;
  idempotency = new Idempotency(site.dataSource);
});
afterAll(() => site.stop());

const request = (key: string | null, input: unknown = { amount: 1 }) => ({ operation: 'test', key, input });

it('a retried key returns the first result and does nothing again', async () => {
  const work = jest.fn(async () => ({ codes: ['a', 'b'] }));
  expect(await idempotency.once(actor, request('retry'), work)).toEqual({
    result: { codes: ['a', 'b'] },
    replayed: false,
  });
  expect(await idempotency.once(actor, request('retry'), work)).toEqual({
    result: { codes: ['a', 'b'] },
    replayed: true,
  });
  expect(work).toHaveBeenCalledTimes(1);
});

it('another input under the same key is a conflict; another operation or user is not', async () => {
  const work = async (): Promise<number> => 1;
  await idempotency.once(actor, request('taken'), work);
  await expect(idempotency.once(actor, request('taken', { amount: 2 }), work)).rejects.toMatchObject({
    code: 'CONFLICT',
    field: 'idempotencyKey',
  });
  expect(await idempotency.once(actor, { ...request('taken'), operation: 'other' }, work)).toMatchObject({
    replayed: false,
  });
  const [{ id } = { id: 0 }] = await site.query<{ id: number }>(
    "INSERT INTO users (username) VALUES ('two') RETURNING id",
  );
  expect(await idempotency.once({ ...actor, id }, request('taken'), work)).toMatchObject({ replayed: false });
});

it('a failure stores nothing: the same key may try again', async () => {
  await expect(idempotency.once(actor, request('failed'), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await idempotency.once(actor, request('failed'), async () => 2)).toEqual({ result: 2, replayed: false });
});

it('of many calls at the same time one does the work', async () => {
  let runs = 0;
  const work = async (): Promise<number> => {
    runs++;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return 7;
  };
  const results = await Promise.all(Array.from({ length: 8 }, () => idempotency.once(actor, request('race'), work)));
  expect(results.map(({ result }) => result)).toEqual(Array(8).fill(7));
  expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1);
  expect(runs).toBe(1);
});

it('without a key the work is done each time', async () => {
  const work = jest.fn(async () => 1);
  await idempotency.once(actor, request(null), work);
  await idempotency.once(actor, request(null), work);
  expect(work).toHaveBeenCalledTimes(2);
});

it.each(['', 'x'.repeat(129), 'a\nb'])('refuses the key %j', async (key) => {
  await expect(idempotency.once(actor, request(key), async () => 1)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

it('keys are kept for a week', async () => {
  await idempotency.once(actor, request('old'), async () => 1);
  await site.query("UPDATE idempotency_keys SET created_at = now() - interval '8 days' WHERE key = 'old'");
  await idempotency.once(actor, request('new'), async () => 1);
  expect(await site.query("SELECT 1 FROM idempotency_keys WHERE key = 'old'")).toEqual([]);
});
