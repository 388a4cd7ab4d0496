import { join } from 'node:path';
import type { Running } from './gateway.js';
import { Load } from './load.js';
import { memoryOf } from './process-usage.js';
import { pause, say, type Contender } from './rounds.js';

/** Returns the slow streams of the upstream. They last longer than the measurement, however busy the machine is. */
export function slowStreams(minutes: number): { eventCount: number; gapMilliseconds: number } {
  const gapMilliseconds = 500;
  const openSeconds = minutes * 90 + 60;
  return { eventCount: Math.ceil((openSeconds * 1000) / gapMilliseconds), gapMilliseconds };
}

interface Seen {
  /** Memory that the process has from the system. Bytes, as for all of the following. */
  readonly resident: number;
  readonly live: number;
}

async function look(contender: Contender & Running): Promise<Seen> {
  const resident = memoryOf(contender.pid);
  return { resident, live: await contender.live() };
}

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);

interface Weighed {
  readonly name: string;
  /** Number of open streams. */
  readonly streams: number;
  readonly idle: Seen;
  /** The first value, and then one value per minute. */
  readonly open: readonly Seen[];
}

interface Openness {
  /** Number of streams. */
  readonly streams: number;
  /** Minutes for which the streams stay open. Memory is measured each minute; 0 means once. */
  readonly minutes: number;
  readonly snapshotFolder: string | undefined;
}

async function weigh(contender: Contender & Running, { streams, minutes, snapshotFolder }: Openness): Promise<Weighed> {
  const { name } = contender;
  // Before the measurement, code is compiled and lazy parts are loaded. The token tables are the largest of these parts.
  const before = new Load(contender, 50);
  await before.full('stream', 50, 5000);
  await before.full('untoldStream', 1, 10);
  await before.close();
  await pause(2000);
  const idle = await look(contender);
  if (snapshotFolder) {
    await contender.snapshot(join(snapshotFolder, `${name}-idle.heapsnapshot`));
    // Taking a snapshot stops the node for so long that it counts as dead until its next heartbeats.
    await pause(20_000);
  }
  const load = new Load(contender, streams);
  const running = load.full('slowStream', streams, streams);
  await pause(12_000);
  const open = [await look(contender)];
  for (let minute = 0; minute < minutes; minute++) {
    await pause(60_000);
    open.push(await look(contender));
  }
  if (snapshotFolder) await contender.snapshot(join(snapshotFolder, `${name}-open.heapsnapshot`));
  const { failures } = load;
  await load.close();
  await running;
  if (failures > 0) throw new Error(`${name}: ${failures} slow streams failed`);
  return { name, streams, idle, open };
}

function sayWeighed({ name, streams, idle, open }: Weighed): void {
  const each = (key: keyof Seen): string =>
    open.map((seen) => ((seen[key] - idle[key]) / 1024 / streams).toFixed(1)).join(', ');
  say(`${name}: ${mebibytes(idle.resident)} MiB resident, ${mebibytes(idle.live)} MiB alive before`);
  say(`  KiB a stream, alive:    ${each('live')}`);
  say(`  KiB a stream, resident: ${each('resident')}`);
}

/** The maximum of live bytes per stream. */
const liveBytesEach = ({ streams, idle, open }: Weighed): number =>
  Math.max(...open.map((seen) => seen.live - idle.live)) / streams;

/**
 * Measures the memory of an open stream, at both servers at once. A heap snapshot itself adds to the resident memory.
 * @returns live bytes per stream, by the contender's name
 */
export async function openStreams(
  contenders: ReadonlyArray<Contender & Running>,
  how: Openness,
): Promise<Readonly<Record<string, number>>> {
  const weighed = await Promise.all(contenders.map((contender) => weigh(contender, how)));
  say(`\nMemory with ${how.streams} streams open: resident, and alive after a collection (heap and buffers)`);
  for (const each of weighed) sayWeighed(each);
  return Object.fromEntries(weighed.map((each) => [each.name, liveBytesEach(each)]));
}
