import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metrics } from '../../platform/observability/metrics.js';
import { secondsIn } from '../../shared/clock.js';

/** The contents of a spool folder. */
export interface SpoolStatus {
  /** Settlements that wait for the database, of all servers that use the folder. */
  readonly waiting: number;
  /** Seconds since the oldest file of waiting settlements was created; 0 without one. */
  readonly oldestSeconds: number;
  /** Settlements that the database refused for their content: not charged, stored for manual inspection. */
  readonly rejected: number;
}

interface CountedFile {
  readonly size: number;
  readonly lines: number;
}

interface FoundFile extends CountedFile {
  readonly since: number;
  /** Whether the whole folder could be read. */
  readonly isWhole: boolean;
}

const newline = 0x0a;
/** A file that is gone was renamed for its replay, or replayed and removed. Then the folder is read again, so often. */
const attempts = 3;

/**
 * Counts the lines of a spool folder. Files only grow, so each call counts what was added since the previous one.
 * @param counted results of earlier calls, by file name; updated
 */
export async function readSpool(
  folder: string,
  counted = new Map<string, CountedFile>(),
  left = attempts,
): Promise<SpoolStatus> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /\.(jsonl|replay)$/.test(name));
  for (const name of counted.keys()) if (!names.includes(name)) counted.delete(name);
  let waiting = 0;
  let rejected = 0;
  let oldest = Infinity;
  for (const name of names) {
    const found = await count(join(folder, name), counted.get(name));
    if (!found && left > 1) return readSpool(folder, counted, left - 1);
    if (!found) continue;
    if (found.isWhole) counted.set(name, found);
    else counted.delete(name);
    if (name === 'rejected.jsonl') {
      rejected += found.lines;
    } else if (found.lines > 0) {
      waiting += found.lines;
      oldest = Math.min(oldest, found.since);
    }
  }
  const oldestSeconds = oldest === Infinity ? 0 : Math.max(0, secondsIn(Date.now() - oldest));
  return { waiting, oldestSeconds, rejected };
}

async function count(path: string, before?: CountedFile): Promise<FoundFile | null> {
  const found = await stat(path).catch(() => null);
  if (!found) return null;
  const { size, birthtimeMs, mtimeMs } = found;
  // Some file systems do not record when a file was created.
  const since = birthtimeMs > 0 ? birthtimeMs : mtimeMs;
  const start = before && before.size <= size ? before : { size: 0, lines: 0 };
  if (start.size === size) return { size, lines: start.lines, since, isWhole: true };
  try {
    return { size, lines: start.lines + (await countLines(path, start.size, size)), since, isWhole: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    // A file that cannot be read has at least one line, and must not hide the others. It is read again later.
    return { size, lines: 1, since, isWhole: false };
  }
}

async function countLines(path: string, from: number, to: number): Promise<number> {
  const file = await open(path);
  try {
    let lines = 0;
    for await (const part of file.createReadStream({ start: from, end: to - 1, autoClose: false })) {
      for (const byte of part as Buffer) if (byte === newline) lines += 1;
    }
    return lines;
  } finally {
    await file.close();
  }
}

/** Sets the gauges of waiting settlements at each scrape: for the folder, and for this process. */
export function watchSpool(
  folder: string,
  ledger: { readonly waitingInMemory: number },
  metrics: Pick<
    Metrics,
    'ledgerSpooled' | 'ledgerSpoolAge' | 'ledgerRejected' | 'ledgerWaitingInMemory' | 'beforeScrape'
  >,
): void {
  const counted = new Map<string, CountedFile>();
  metrics.beforeScrape(async () => {
    const { waiting, oldestSeconds, rejected } = await readSpool(folder, counted);
    metrics.ledgerWaitingInMemory.set(ledger.waitingInMemory);
    metrics.ledgerSpooled.set(waiting);
    metrics.ledgerSpoolAge.set(oldestSeconds);
    metrics.ledgerRejected.set(rejected);
  });
}
