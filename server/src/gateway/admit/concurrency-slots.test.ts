import { setTimeout as sleep } from 'node:timers/promises';
import type { PlaceClaim } from '../../platform/cache/shared-state.js';
import { systemClock } from '../../shared/clock.js';
import { ConcurrencySlots, type SlotLink } from './concurrency-slots.js';

/** The shared state, which calls `granting` whenever it grants places. */
const linkOf = (granting: () => void): SlotLink => ({
  leasePlaces: (_key: string, { used, wanted, limit }: PlaceClaim) => {
    granting();
    return Promise.resolve(Math.max(used, Math.min(wanted, limit)));
  },
  publish: () => Promise.resolve(),
  subscribe: () => Promise.resolve(() => Promise.resolve()),
});

it.each(Array.from({ length: 12 }, (_, turns) => turns))(
  'answers a call that comes %i promises after places were granted',
  async (turns) => {
    let second: ReturnType<ConcurrencySlots['enter']> | undefined;
    const enterSecond = async (): Promise<void> => {
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      second = places.enter('key', 1);
    };
    let grants = 0;
    const places: ConcurrencySlots = new ConcurrencySlots(
      linkOf(() => void (grants++ === 0 && enterSecond())),
      systemClock,
    );
    const first = await places.enter('key', 1);
    await sleep(1);
    expect(first).not.toBeNull();
    expect(await Promise.race([second, sleep(2000, 'no answer')])).toBeNull();
  },
);
