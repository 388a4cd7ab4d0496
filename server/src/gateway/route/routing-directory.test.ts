import { setTimeout as sleep } from 'node:timers/promises';
import { channelRow } from '../../../../tests/support/channel-row.js';
import { Changes } from '../../platform/cache/changes.js';
import { MemoryState } from '../../platform/cache/memory-state.js';
import type { Logger } from '../../platform/observability/logger.js';
import { Secrets } from '../../shared/secrets.js';
import type { ChannelRow } from './routed-channel.js';
import { RoutingDirectory } from './routing-directory.js';

const secrets = new Secrets('routing-directory-test');
const row = (priority: number): ChannelRow => channelRow({ keySealed: secrets.seal('sk-a'), models: ['m'], priority });

/** Opens a directory whose reads end when the test says so. */
function opened() {
  const reads: Array<(rows: ChannelRow[]) => void> = [];
  const database = { query: () => new Promise<ChannelRow[]>((resolve) => reads.push(resolve)) };
  const error = jest.fn();
  const logger = { warn: () => undefined, error } as unknown as Logger;
  const directory = new RoutingDirectory(database, secrets, { keepOnly: () => undefined }, logger);
  const changes = new Changes(new MemoryState());
  const started = directory.start(changes, 60);
  const announce = () => changes.announce({ kind: 'channel', id: 1 });
  return { directory, reads, announce, started, error };
}
const priority = ({ table }: RoutingDirectory): number | undefined => table.channel(1)?.priority;

it('keeps a change that is announced while it reads for the first time', async () => {
  const { directory, reads, announce, started } = opened();
  const announced = announce();
  await sleep(1);
  // The read that began after the change ends first.
  reads[1]?.([row(2)]);
  await sleep(1);
  reads[0]?.([row(1)]);
  await sleep(1);
  reads[1]?.([row(2)]);
  await Promise.all([started, announced]);
  expect(priority(directory)).toBe(2);
  directory.stop();
});

it.each(Array.from({ length: 8 }, (_, turns) => turns))(
  'reads a change that is announced %i promises after the last read',
  async (turns) => {
    const { directory, reads, announce, started } = opened();
    reads[0]?.([row(1)]);
    await started;
    void announce();
    await sleep(1);
    reads[1]?.([row(2)]);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    void announce();
    await sleep(1);
    reads[2]?.([row(3)]);
    await sleep(1);
    expect(priority(directory)).toBe(3);
    directory.stop();
  },
);

it('logs a channel whose key cannot be read once, until it could be read', async () => {
  const { directory, reads, announce, started, error } = opened();
  const damaged = { ...row(1), keySealed: '' };
  const logged: number[] = [];
  reads[0]?.([damaged]);
  await started;
  for (const [turn, next] of [damaged, row(1), damaged, damaged].entries()) {
    logged.push(error.mock.calls.length);
    void announce();
    await sleep(1);
    reads[turn + 1]?.([next]);
    await sleep(1);
  }
  expect([...logged, error.mock.calls.length]).toEqual([1, 1, 1, 2, 2]);
  directory.stop();
});
