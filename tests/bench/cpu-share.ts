import { mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = '/sys/fs/cgroup';
/** Microseconds in which a group may use its share. Short, so that a process does not stand still for long. */
const period = 20_000;

/** A limit of CPU time by the kernel's control groups, version 1 or 2. */
export class CpuShare {
  private constructor(
    private readonly folder: string,
    /** Cores, such as 0.25. */
    readonly cores: number,
  ) {}

  /** @throws when the machine does not let this user make control groups */
  static make(name: string, cores: number): CpuShare {
    const isSecond = statSync(join(root, 'cgroup.controllers'), { throwIfNoEntry: false }) !== undefined;
    const folder = join(root, isSecond ? '' : 'cpu', `tollgate-bench-${process.pid}-${name}`);
    mkdirSync(folder);
    const quota = Math.round(period * cores);
    if (isSecond) writeFileSync(join(folder, 'cpu.max'), `${quota} ${period}`);
    else {
      writeFileSync(join(folder, 'cpu.cfs_period_us'), String(period));
      writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quota));
    }
    return new CpuShare(folder, cores);
  }

  /** Adds a process and its children of now; those that it starts later are in the group by themselves. */
  add(pid: number): void {
    writeFileSync(join(this.folder, 'cgroup.procs'), String(pid));
    for (const child of childrenOf(pid)) this.add(child);
  }

  /** Moves the processes out of the group, and removes it. */
  remove(): void {
    const parent = join(this.folder, '..', 'cgroup.procs');
    for (const pid of readFileSync(join(this.folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean))
      writeFileSync(parent, pid);
    rmdirSync(this.folder);
  }
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
