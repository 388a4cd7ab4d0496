import { AppError } from '../../shared/errors.js';
import { defaultOptionValues } from '../../options/option-registry.js';
import { StatusService } from './status.service.js';

const admin = { id: 1, username: 'a', role: 'admin', status: 'enabled', group: 'default' } as const;

function create(query: () => Promise<unknown>) {
  const clock = { time: 1_000_000, now: () => clock.time };
  let asked = 0;
  const service = new StatusService({
    options: { values: defaultOptionValues() },
    setup: { isDone: () => Promise.resolve(true) },
    signInProviders: { offered: () => Promise.resolve([]) },
    database: {
      query: <T>() => {
        asked++;
        return query() as Promise<T>;
      },
    },
    clock,
  });
  return { service, clock, asked: () => asked };
}

it('asks the database at most once in ten seconds', async () => {
  const { service, clock, asked } = create(() => Promise.resolve([]));
  await Promise.all([service.test(admin), service.test(admin)]);
  clock.time += 9_999;
  await service.test(admin);
  expect(asked()).toBe(1);
  clock.time += 1;
  await service.test(admin);
  expect(asked()).toBe(2);
});

it('says 503 when the database does not answer, without its words', async () => {
  const { service } = create(() => Promise.reject(new Error('password of postgres')));
  const failure = await service.test(admin).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AppError);
  expect(failure).toMatchObject({ code: 'SERVICE_UNAVAILABLE', message: 'Database connection failed' });
});

it('counts online top-up as on only with all three parts', async () => {
  const values = { ...defaultOptionValues(), PayAddress: 'https://pay.example', EpayId: '1' };
  const parts = {
    setup: { isDone: () => Promise.resolve(false) },
    signInProviders: { offered: () => Promise.resolve([]) },
    database: { query: jest.fn() },
    clock: { now: () => 0 },
  };
  const read = async (options: typeof values) =>
    (await new StatusService({ ...parts, options: { values: options } }).get()).enableOnlineTopup;
  expect(await read(values)).toBe(false);
  expect(await read({ ...values, EpayKey: 'k' })).toBe(true);
});
