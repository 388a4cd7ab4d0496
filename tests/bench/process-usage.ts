import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

/** The kernel counts CPU time in ticks of a hundredth of a second (USER_HZ, the same on every Linux). */
const tickMilliseconds = 10;

interface ProcessStat {
  readonly parent: number;
  /** User and system time of the process and its reaped children, milliseconds. */
  readonly cpu: number;
}

function readStat(pid: number): ProcessStat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
    return { parent: Number(fields[1]), cpu: ticks * tickMilliseconds };
  } catch {
    return null; // The process has ended.
  }
}

/** Milliseconds of CPU time since the process started. */
export const cpuOf = (pid: number): number => readStat(pid)?.cpu ?? 0;

/** Bytes of the process's private memory. */
export function memoryOf(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) * 1024;
}

/** @returns the postmaster's process id when the database runs on this machine, else null */
export async function findPostmaster(url: string): Promise<number | null> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const found = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const parent = readStat(found.rows[0]?.pid ?? 0)?.parent ?? null;
  await client.end();
  return parent;
}

/** CPU of the postmaster and all its processes, those that ended included. */
export function cpuOfTree(root: number): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), readStat(Number(name))] as const)
    .filter(([pid, stat]) => pid === root || stat?.parent === root)
    .reduce((sum, [, stat]) => sum + (stat?.cpu ?? 0), 0);
}
