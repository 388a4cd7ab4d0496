import { join } from 'node:path';
import type { Running } from './gateway.js';
import { Load } from './load.js';
import { memoryOf } from './process-usage.js';
import { pause, say, type Contender } from './rounds.js';

const streams = 1000;

/** The slow streams of the upstream: long enough to be looked at for `minutes`, and while they are opened. */
export function slowStreams(minutes: number): { eventCount: number; gapMilliseconds: number } {
  const gapMilliseconds = 500;
  const openSeconds = minutes === 0 ? 25 : minutes * 60 + 25;
  return { eventCount: Math.ceil((openSeconds * 1000) / gapMilliseconds), gapMilliseconds };
}

interface Seen {
  /** Bytes, as all that follow: what the process has from the system. */
  readonly resident: number;
  readonly live: number;
}

async function look(contender: Contender & Running): Promise<Seen> {
  const resident = memoryOf(contender.pid);
  return { resident, live: await contender.live() };
}

const kibibytesEach = (bytes: number): string => (bytes / 1024 / streams).toFixed(1);
const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);

async function memoryOfStreams(
  contender: Contender & Running,
  minutes: number,
  snapshotFolder: string | undefined,
): Promise<void> {
  // Code is compiled and lazy parts are loaded before anything is weighed.
  const before = new Load(contender, 50);
  await before.full('stream', 50, 5000);
  await before.close();
  await pause(2000);
  const idle = await look(contender);
  if (snapshotFolder) await contender.snapshot(join(snapshotFolder, `${contender.name}-idle.heapsnapshot`));
  const load = new Load(contender, streams);
  const running = load.full('slowStream', streams, streams);
  await pause(12_000);
  const open = [await look(contender)];
  for (let minute = 0; minute < minutes; minute++) {
    await pause(60_000);
    open.push(await look(contender));
  }
  if (snapshotFolder) await contender.snapshot(join(snapshotFolder, `${contender.name}-open.heapsnapshot`));
  const timings = await running;
  await load.close();
  if (timings.failures > 0) throw new Error(`${contender.name}: ${timings.failures} slow streams failed`);
  const [first, last] = [open[0] ?? idle, open.at(-1) ?? idle];
  say(
    `${contender.name.padEnd(10)}${mebibytes(idle.resident)} MiB resident, ${mebibytes(idle.live)} MiB alive; a stream: ` +
      `${kibibytesEach(first.resident - idle.resident)} KiB resident, ${kibibytesEach(first.live - idle.live)} KiB alive`,
  );
  if (minutes === 0) return;
  say(
    `  after ${minutes} min: ${kibibytesEach(last.resident - idle.resident)} KiB resident, ${kibibytesEach(last.live - idle.live)} KiB alive; ` +
      `each minute, alive: ${open.map(({ live }) => kibibytesEach(live - idle.live)).join(', ')}`,
  );
}

/** What an open stream weighs. @param minutes how long they are kept open and looked at, 0 for once */
export async function openStreams(
  floor: Contender & Running,
  gateway: Contender & Running,
  minutes: number,
  snapshotFolder: string | undefined,
): Promise<void> {
  say(`\nMemory with ${streams} streams open: resident, and alive after a collection (heap and buffers)`);
  await memoryOfStreams(floor, minutes, snapshotFolder);
  await memoryOfStreams(gateway, minutes, snapshotFolder);
}
