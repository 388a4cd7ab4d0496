import type { DataSource } from 'typeorm';
import type { Signals } from '../../platform/live/signals.js';
import type { Actor } from '../../shared/actor.js';
import { LogTail } from './log-tail.js';

const root: Actor = { id: 1, username: 'root', role: 'root', status: 'enabled', group: 'default' };
const row = (id: string) => ({
  id,
  createdAt: '100',
  type: 2,
  userId: 1,
  username: 'root',
  tokenId: 0,
  tokenName: '',
  channelId: 0,
  modelName: 'm',
  group: 'default',
  quota: '5',
  promptTokens: 1,
  completionTokens: 1,
  useTime: 1,
  content: '',
  isStream: false,
  requestId: id,
  other: '',
});

const fail = new Error('Connection terminated');
let keys: string[];
/** Number of statements of each kind that fail next. */
let failures: { keys: number; rows: number };
let windows: number[];
let tail: LogTail;

beforeEach(() => {
  jest.useFakeTimers();
  [keys, failures, windows] = [[], { keys: 0, rows: 0 }, []];
  const query = async (sql: string, values: unknown[]): Promise<unknown[]> => {
    if (sql.includes('unnest')) {
      if (failures.rows-- > 0) throw fail;
      return (values[1] as string[]).map(row).toReversed();
    }
    if (!sql.includes('FROM logs')) return [];
    if (failures.keys-- > 0) throw fail;
    windows.push(values[0] as number);
    return keys.map((id) => ({ id, createdAt: '100' }));
  };
  tail = new LogTail({
    database: { query } as unknown as DataSource,
    signals: { on: () => () => undefined, watch: async () => () => undefined } as unknown as Signals,
    secrets: { hash: () => Buffer.from('') },
    report: () => undefined,
  });
});
afterEach(() => {
  tail.stop();
  jest.useRealTimers();
});

it('delivers rows that could not be read at first', async () => {
  const rows = await tail.all(root, {});
  const next = rows.next();
  keys = ['1'];
  failures.rows = 1;
  await jest.advanceTimersByTimeAsync(2000);
  keys = ['2', '1'];
  await jest.advanceTimersByTimeAsync(2000);
  const { value } = await Promise.race([next, Promise.resolve({ value: { items: [] } })]);
  expect((value as { items: Array<{ requestId: string }> }).items.map(({ requestId }) => requestId)).toEqual([
    '1',
    '2',
  ]);
});

it('looks back as far as the last read, where reads failed for a while', async () => {
  await tail.all(root, {});
  await jest.advanceTimersByTimeAsync(2000);
  failures.keys = 15;
  await jest.advanceTimersByTimeAsync(32_000);
  expect(windows).toEqual([10, 10, expect.any(Number)]);
  expect(windows.at(-1)).toBeGreaterThanOrEqual(40);
  await jest.advanceTimersByTimeAsync(2000);
  expect(windows.at(-1)).toBe(10);
});
