import type { OptionValues } from '../../server/src/options/option-registry.js';
import { RelayHarness, type HarnessOptions } from './relay-harness.js';

interface RelaySuite extends HarnessOptions {
  /** Site options that differ from their defaults. They are set before every test. */
  readonly values?: Partial<OptionValues>;
}

/**
 * Starts one relay for the tests of a file. Before each test all channels and the provider's script are removed. After each
 * test no reservation is left and the ledger is consistent.
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
