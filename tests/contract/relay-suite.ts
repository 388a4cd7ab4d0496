import type { OptionValues } from '../../server/src/options/option-registry.js';
import { RelayHarness, type HarnessOptions } from './relay-harness.js';

interface RelaySuite extends HarnessOptions {
  /** Site options that differ from their defaults, set again before every test. */
  readonly values?: Partial<OptionValues>;
}

/**
 * One relay for the tests of a file. Before each test it has no channel, and its provider no script. After each test
 * nothing is reserved and the ledger is consistent.
 * @param keep receives the relay before the first test
 */
export function relaySuite(keep: (relay: RelayHarness) => void, { values = {}, ...options }: RelaySuite = {}): void {
  let relay: RelayHarness;
  beforeAll(async () => {
    relay = await RelayHarness.start(options);
    keep(relay);
  });
  afterAll(() => relay.stop());
  beforeEach(async () => {
    relay.upstream.reset();
    relay.setOptions(values);
    await relay.clearChannels();
  });
  afterEach(async () => {
    await relay.idle();
    expect(await relay.openReservations()).toBe(0);
    expect(await relay.drift()).toEqual([]);
  });
}
