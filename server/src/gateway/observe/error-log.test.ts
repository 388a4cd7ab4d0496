import type { Logger } from '../../platform/observability/logger.js';
import { ErrorLog, type LoggedFailure } from './error-log.js';

const failed = (userId: number, requestId: string): LoggedFailure => ({
  call: {
    requestId,
    path: '/v1/chat/completions',
    startedAt: 0,
    caller: { user: { id: userId, username: 'ada' }, token: { id: 1, name: 'dev' } } as LoggedFailure['call']['caller'],
    admission: { group: 'default', model: 'gpt-4o' },
    request: { stream: false },
  },
  error: new Error('down'),
  failure: { status: 503, type: 'upstream', code: 'down', message: 'down' } as LoggedFailure['failure'],
  usedChannels: [3],
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
  expect([written.length, counted]).toEqual([2000, 3600]);
  expect(warn).toHaveBeenCalledTimes(1);

  // A guardrail names its rule in the row, so its rows are not among those.
  log.guarded(failed(7, 'd'));
  expect(rowsOf(7)).toBe(501);
  now += 3_600_000;
  log.note(failed(7, 'e'));
  expect(rowsOf(7)).toBe(502);
});
