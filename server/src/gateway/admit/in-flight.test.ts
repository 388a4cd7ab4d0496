import { setTimeout as sleep } from 'node:timers/promises';
import type { SlotClaim } from '../../platform/cache/shared-state.js';
import { systemClock } from '../../shared/clock.js';
import { ConcurrencySlots, type SlotLink } from './in-flight.js';

/** A link to the shared state that calls `granting` whenever it grants slots. */
const linkOf = (granting: () => void): SlotLink => ({
  leaseSlots: (_key: string, { used, wanted, limit }: SlotClaim) => {
    granting();
    return Promise.resolve(Math.max(used, Math.min(wanted, limit)));
  },
  publish: () => Promise.resolve(),
  subscribe: () => Promise.resolve(() => Promise.resolve()),
});

it.each(Array.from({ length: 12 }, (_, turns) => turns))(
  'answers a call that comes %i promises after slots were granted',
  async (turns) => {
    let second: ReturnType<ConcurrencySlots['enter']> | undefined;
    const enterSecond = async (): Promise<void> => {
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      second = slots.enter('key', 1);
    };
    let grants = 0;
    const slots: ConcurrencySlots = new ConcurrencySlots(
      linkOf(() => void (grants++ === 0 && enterSecond())),
      systemClock,
    );
    const first = await slots.enter('key', 1);
    await sleep(1);
    expect(first).not.toBeNull();
    expect(await Promise.race([second, sleep(2000, 'no answer')])).toBeNull();
  },
);
