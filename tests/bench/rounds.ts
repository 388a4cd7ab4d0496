import { Load, median, quantile, type Target } from './load.js';
import { cpuOfTree } from './process-usage.js';

/** A server under load. */
export interface Contender extends Target {
  readonly pid: number;
}

export interface Round {
  readonly perSecond: number;
  /** Milliseconds, as for all of the following. */
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the server per call. */
  readonly cpu: number;
  readonly postgres: number;
}

/** Numbers of concurrent clients, calls per round, and rounds. */
export interface Size {
  readonly width: number;
  readonly calls: number;
  readonly rounds: number;
}

export const say = (line: string): void => void process.stdout.write(`${line}\n`);
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** @throws when a single call fails, because the figures would be meaningless */
export async function oneRound(
  contender: Contender,
  kind: string,
  { width, calls }: Size,
  postmaster: number | null,
): Promise<Round> {
  const load = new Load(contender, width);
  await load.full(kind, width, Math.ceil(calls / 10));
  const cpuBefore = cpuOfTree(contender.pid);
  const postgresBefore = postmaster ? cpuOfTree(postmaster) : 0;
  const timings = await load.full(kind, width, calls);
  // Work after a call (log writing, garbage collection) is part of its cost.
  await pause(300);
  const cpu = (cpuOfTree(contender.pid) - cpuBefore) / calls;
  const postgres = postmaster ? (cpuOfTree(postmaster) - postgresBefore) / calls : 0;
  await load.close();
  if (timings.failures > 0) throw new Error(`${contender.name}: ${timings.failures} of ${calls} ${kind} calls failed`);
  return {
    perSecond: timings.calls / timings.seconds,
    p50: quantile(timings.latencies, 0.5),
    p99: quantile(timings.latencies, 0.99),
    cpu,
    postgres,
  };
}

const nameWidth = 28;

export function sayHead(title: string, { width, calls, rounds }: Size): void {
  say(`\n${title}, ${width} clients, median of ${rounds} rounds of ${calls}`);
  say(`${' '.repeat(nameWidth)}calls/s    p50 ms    p99 ms   CPU ms/call   Postgres CPU ms/call`);
}

export function sayRounds(name: string, rounds: readonly Round[]): void {
  const middle = (key: keyof Round): number => median(rounds.map((round) => round[key]));
  const cells = [
    middle('perSecond').toFixed(0).padStart(7),
    middle('p50').toFixed(2).padStart(9),
    middle('p99').toFixed(2).padStart(9),
    middle('cpu').toFixed(4).padStart(13),
    middle('postgres').toFixed(4).padStart(20),
  ];
  say(`${name.padEnd(nameWidth)}${cells.join(' ')}`);
}

/**
 * CPU of each round divided by that of `base` in the same round.
 * @returns the median
 */
export function sayRatios(name: string, rounds: readonly Round[], base: readonly Round[]): number {
  const ratios = rounds.map((round, index) => round.cpu / (base[index]?.cpu ?? Number.NaN));
  const each = ratios.map((ratio) => ratio.toFixed(2)).join(', ');
  say(`${name}: ${median(ratios).toFixed(2)}   (rounds: ${each})`);
  return median(ratios);
}
