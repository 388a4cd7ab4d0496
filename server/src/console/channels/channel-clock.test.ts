import 'reflect-metadata';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { ChannelSchedules, type ChannelSchedulesDeps } from './channel-schedules.js';
import { ChannelClock } from './channel.jobs.js';

describe('schedules on a clock', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
  afterEach(() => void jest.useRealTimers());

  /** Returns leases that use the clock of this test. */
  function leases(): Pick<SharedState, 'lease' | 'release'> {
    const held = new Map<string, { owner: string; until: number }>();
    return {
      lease: (name, owner, seconds) => {
        const now = held.get(name);
        if (now && now.owner !== owner && now.until > Date.now()) return Promise.resolve(false);
        held.set(name, { owner, until: Date.now() + seconds * 1000 });
        return Promise.resolve(true);
      },
      release: (name, owner) => {
        if (held.get(name)?.owner === owner) held.delete(name);
        return Promise.resolve();
      },
    };
  }

  /** Scheduled runs over three channels whose tests take 25 s each. */
  function slowRuns(state: Pick<SharedState, 'lease' | 'release'>) {
    const visited: number[] = [];
    const warnings: string[] = [];
    const schedules = new ChannelSchedules({
      channels: {
        find: () => Promise.resolve([1, 2, 3].map((id) => ({ id, type: 1, status: 'enabled', autoDisable: true }))),
      },
      tests: {
        test: async (_admin: unknown, id: number) => {
          visited.push(id);
          await new Promise((resolve) => setTimeout(resolve, 25_000));
          return { success: true, message: '', milliseconds: 1000, refused: false, unreachable: false };
        },
      },
      options: { values: { ChannelDisableThreshold: 0 } },
      runs: { keep: () => Promise.resolve() },
      notices: { notifyRoot: () => undefined },
      logger: {
        info: () => undefined,
        warn: ({ err }: { err: Error }) => void warnings.push(err.message),
      },
      state,
      nodeId: 'n',
      pause: 0,
    } as unknown as ChannelSchedulesDeps);
    return { schedules, visited, warnings };
  }
  const admin = { id: 1, username: 'root', role: 'root', status: 'enabled', group: 'default' } as const;

  it('keep their lease for as long as they take, and give it back', async () => {
    const state = leases();
    const { schedules, visited } = slowRuns(state);
    await schedules.startTests(admin);
    await jest.advanceTimersByTimeAsync(70_000);
    await expect(slowRuns(state).schedules.startTests(admin)).rejects.toMatchObject({ code: 'CONFLICT' });
    await jest.advanceTimersByTimeAsync(5_000);
    await schedules.idle();
    expect(visited).toEqual([1, 2, 3]);
    const next = slowRuns(state);
    await next.schedules.startTests(admin);
    expect(next.visited).toEqual([1]);
    await jest.advanceTimersByTimeAsync(75_000);
  });

  it('end when their lease is lost, and leave it to who has it', async () => {
    const state = leases();
    const { schedules, visited, warnings } = slowRuns(state);
    await schedules.startTests(admin);
    await jest.advanceTimersByTimeAsync(1_000);
    state.lease = () => Promise.resolve(false);
    await jest.advanceTimersByTimeAsync(75_000);
    await schedules.idle();
    expect(visited).toEqual([1]);
    expect(warnings).toEqual(['the lease of this run was lost']);
  });

  it('of several nodes one begins each run, the first after one period', async () => {
    // The shared state of all nodes, with the clock of this test.
    const marks = new Map<string, number>();
    const once = (key: string, seconds: number): Promise<boolean> => {
      if ((marks.get(key) ?? 0) > Date.now()) return Promise.resolve(false);
      marks.set(key, Date.now() + seconds * 1000);
      return Promise.resolve(true);
    };
    const begun: string[] = [];
    const balances: string[] = [];
    const node = (name: string): ChannelClock => {
      const schedules = {
        startTests: (actor: { username: string }) => void begun.push(`${name} as ${actor.username}`),
        startBalances: (actor: { username: string }) => void balances.push(`${name} as ${actor.username}`),
      };
      return new ChannelClock({
        database: { query: () => Promise.resolve([admin]) } as never,
        schedules: schedules as unknown as ChannelSchedules,
        state: { once },
        testMinutes: 2,
        balanceMinutes: 6,
        logger: { warn: () => undefined },
      });
    };
    const nodes = [node('a'), node('b'), node('c')];
    for (const one of nodes) await one.start();
    await jest.advanceTimersByTimeAsync(119_000);
    expect(begun).toEqual([]);
    await jest.advanceTimersByTimeAsync(16_000);
    expect(begun).toEqual([expect.stringMatching(/^[abc] as root$/)]);
    await jest.advanceTimersByTimeAsync(10 * 60_000);
    expect(begun.length).toBeGreaterThanOrEqual(5);
    expect(begun.length).toBeLessThanOrEqual(6);
    expect(balances.length).toBeGreaterThanOrEqual(1);
    expect(balances.length).toBeLessThanOrEqual(2);
    for (const one of nodes) one.stop();
    await jest.advanceTimersByTimeAsync(10 * 60_000);
    expect(begun.length).toBeLessThanOrEqual(6);
  });
});
