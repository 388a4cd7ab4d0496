import { systemClock } from '../../shared/clock.js';
import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import { ChannelFailures } from './channel-failures.js';

it('stores one row of requests that the provider refused, which stands for the others', async () => {
  const rows: unknown[][][] = [];
  const database = {
    query: (sql: string, parameters: unknown[][]) => {
      if (sql.startsWith('INSERT INTO failed_attempts')) rows.push(parameters);
      return Promise.resolve([]);
    },
  };
  const options = { values: { LogErrorEnabled: false } };
  const failures = new ChannelFailures({ database, options, clock: systemClock, logger: {} as never });
  const attempted = { userId: 1, model: 'gpt-4o', channelId: 7, key: 'sk-0123456789-abcd' };
  for (let n = 0; n < 30; n++) {
    failures.note({ ...attempted, requestId: `r${n}` }, new UpstreamError(400, { message: 'invalid' }));
  }
  await failures.store();
  const [, requestIds, , , , , kinds, , , counts] = rows[0] ?? [];
  expect([requestIds, kinds, counts]).toEqual([['r29'], ['REQUEST'], [30]]);
});

it('stores at most ten rows of equal failures at a time, the last of which stands for the others', async () => {
  const rows: unknown[][][] = [];
  const database = {
    query: (sql: string, parameters: unknown[][]) => {
      if (sql.startsWith('INSERT INTO failed_attempts')) rows.push(parameters);
      return Promise.resolve([]);
    },
  };
  const failures = new ChannelFailures({
    database,
    options: { values: { LogErrorEnabled: false } },
    clock: systemClock,
    logger: {} as never,
  });
  const attempted = { userId: 1, model: 'gpt-4o', channelId: 7, key: 'sk-0123456789-abcd' };
  for (let n = 0; n < 500; n++) {
    failures.note({ ...attempted, requestId: `r${n}` }, new UpstreamError(503, { message: 'overloaded' }));
  }
  failures.note({ ...attempted, key: 'short', requestId: 'other' }, new UpstreamError(503, { message: 'overloaded' }));
  await failures.store();
  const [at, requestIds, , , endings, , , statuses, , counts] = rows[0] ?? [];
  expect(at).toHaveLength(11);
  expect(requestIds?.slice(8)).toEqual(['r8', 'r499', 'other']);
  expect(endings?.slice(8)).toEqual(['abcd', 'abcd', '']);
  expect(statuses?.[0]).toBe(503);
  expect(counts).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 491, 1]);
});
