import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const path = join(import.meta.dirname, '../.output/durations.json');

/** Seconds of each test file, by its path in the repository. */
export type Durations = Readonly<Record<string, number>>;

/** @returns the duration of each file in its last run here; empty before the first run */
export function readDurations(): Durations {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Durations;
  } catch {
    return {};
  }
}

export function writeDurations(durations: Durations): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(durations, null, 1));
}
