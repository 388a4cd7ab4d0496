import type { Logger } from '../../platform/observability/logger.js';
import { ErrorLog, type LoggedFailure } from './error-log.js';

const failed = (userId: number, requestId: string): LoggedFailure => ({
  call: {
    requestId,
    path: '/v1/chat/completions',
    address: '127.0.0.1',
    startedAt: 0,
    caller: { user: { id: userId, username: 'ada' }, token: { id: 1, name: 'dev' } } as LoggedFailure['call']['caller'],
    route: { group: 'default', model: 'gpt-4o' },
    request: { stream: false },
  },
  error: new Error('down'),
  failure: { status: 503, type: 'upstream', code: 'down', message: 'down' } as LoggedFailure['failure'],
  usedChannels: [3],
});

/** A log of errors, and the users of the rows that it has written. */
function openLog(isOn: boolean) {
  const users: unknown[] = [];
  const log = new ErrorLog({
    database: {
      query: (sql: string, values: readonly unknown[] = []) => {
        if (sql.startsWith('INSERT INTO logs')) users.push(values[2]);
        return Promise.resolve([] as never);
      },
    },
    options: { values: { LogErrorEnabled: isOn } },
    clock: { now: () => 1_800_000_000_000 },
    logger: { warn: jest.fn(), error: jest.fn() } as unknown as Logger,
  });
  return { log, rowsOf: (userId: number): number => users.filter((id) => id === userId).length };
}

it('has room for every user after a few users have used up the rows of the hour', () => {
  const { log, rowsOf } = openLog(true);
  for (const user of [1, 2, 3, 4]) for (let at = 0; at < 600; at++) log.note(failed(user, `a${at}`));
  for (let at = 0; at < 30; at++) log.note(failed(9, `b${at}`));
  expect([rowsOf(1), rowsOf(4), rowsOf(9)]).toEqual([500, 500, 20]);
});

it('bounds the rows of a guardrail, also while failures are not logged', () => {
  const { log, rowsOf } = openLog(false);
  for (let at = 0; at < 600; at++) log.guarded(failed(7, `a${at}`));
  log.guarded(failed(8, 'b'));
  log.note(failed(8, 'c'));
  expect([rowsOf(7), rowsOf(8)]).toEqual([500, 1]);
});

it('takes no rows of failures for refused calls, which cost nothing', () => {
  const { log, rowsOf } = openLog(true);
  for (let user = 100; user < 120; user++) for (let at = 0; at < 600; at++) log.refused(failed(user, `a${at}`));
  expect([rowsOf(100), rowsOf(119)]).toEqual([50, 5]);
  for (let at = 0; at < 600; at++) log.note(failed(7, `b${at}`));
  expect(rowsOf(7)).toBe(500);
});

it('writes at most 2,000 rows an hour, 500 of one user, counts every failure, and begins anew with the hour', () => {
  const written: unknown[] = [];
  let counted = 0;
  let now = 1_800_000_000_000;
  const warn = jest.fn();
  const log = new ErrorLog({
    database: {
      query: (sql: string, values: readonly unknown[] = []) => {
        if (sql.startsWith('INSERT INTO logs')) written.push(values[2]);
        else counted += 1;
        return Promise.resolve([] as never);
      },
    },
    options: { values: { LogErrorEnabled: true } },
    clock: { now: () => now },
    logger: { warn, error: jest.fn() } as unknown as Logger,
  });
  const rowsOf = (userId: number): number => written.filter((id) => id === userId).length;

  for (let at = 0; at < 600; at++) log.note(failed(7, `a${at}`));
  expect([rowsOf(7), counted]).toEqual([500, 600]);
  log.refused(failed(8, 'b'));
  expect(rowsOf(8)).toBe(1);
  for (let at = 0; at < 3000; at++) log.note(failed(100 + (at % 10), `c${at}`));
  expect([written.length, counted]).toEqual([2001, 3600]);
  expect(warn).toHaveBeenCalledTimes(1);

  now += 3_600_000;
  log.note(failed(7, 'e'));
  expect(rowsOf(7)).toBe(501);
});
