import { randomUUID } from 'node:crypto';
import { link, readFile, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { EmbeddedError } from './embedded-error.js';
import { processBeginning, processSpace, processState } from './process-table.js';

interface Holder {
  readonly pid: number;
  readonly beginning: string;
  /** The machine and process namespace in which `pid` is valid. */
  readonly space: string;
  readonly id: string;
}

/** A held lock on a data folder. */
export interface InstanceLock {
  release(): Promise<void>;
}

const heartbeatMilliseconds = 1500;
/**
 * Milliseconds without a heartbeat after which a holder elsewhere (another container on the same volume) counts as
 * dead.
 */
const silenceMilliseconds = 6000;

/**
 * Allows one server per data folder. The lock file names its holder by process id and start time, so a holder that was
 * ended by `kill -9` is recognized immediately. Holders in another process namespace, whose process ids are not
 * comparable, are recognized by their heartbeat.
 * @throws EmbeddedError while another server holds it
 */
export async function takeInstanceLock(path: string): Promise<InstanceLock> {
  const me: Holder = {
    pid: process.pid,
    beginning: await processBeginning(process.pid),
    space: processSpace(hostname()),
    id: randomUUID(),
  };
  // There are two attempts. The second one is made after the file of a dead holder was moved.
  for (let attempt = 0; attempt < 2; attempt++) {
    if (await place(path, me)) return hold(path, me);
    const holder = await readHolder(path);
    if (holder && (await isAlive(path, holder, me))) throw inUse(path, holder);
    await moveAway(path, holder);
  }
  throw inUse(path, await readHolder(path));
}

/** Whether a running server holds the lock. */
export async function isInstanceLocked(path: string): Promise<boolean> {
  const holder = await readHolder(path);
  return holder !== null && isAlive(path, holder, { space: processSpace(hostname()) });
}

const inUse = (path: string, holder: Holder | null): EmbeddedError =>
  new EmbeddedError(
    `another server${holder ? ` (process ${holder.pid})` : ''} is running on this DATA_DIR: stop it first, or set DATA_DIR to another folder (lock: ${path})`,
  );

/** Creates the lock file atomically: a link is created completely or not at all, and never over another file. */
async function place(path: string, me: Holder): Promise<boolean> {
  const draft = `${path}.${me.id}`;
  await writeFile(draft, JSON.stringify(me), { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(draft);
  }
}

async function readHolder(path: string): Promise<Holder | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder;
  } catch {
    return null;
  }
}

async function isAlive(path: string, holder: Holder, me: Pick<Holder, 'space'>): Promise<boolean> {
  if (holder.space === me.space) {
    return processState(holder.pid) === 'running' && (await processBeginning(holder.pid)) === holder.beginning;
  }
  const before = await lastHeartbeat(path);
  if (Date.now() - before > 10 * silenceMilliseconds) return false;
  await new Promise((resolve) => setTimeout(resolve, silenceMilliseconds));
  return (await lastHeartbeat(path)) !== before;
}

const lastHeartbeat = async (path: string): Promise<number> => (await stat(path).catch(() => ({ mtimeMs: 0 }))).mtimeMs;

/**
 * When several servers find the same dead holder, one of them moves its file; a lock that another server placed
 * meanwhile is put back.
 */
async function moveAway(path: string, dead: Holder | null): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  const moved = await readHolder(aside);
  if (moved && moved.id !== dead?.id) await link(aside, path).catch(() => undefined);
  await unlink(aside);
}

function hold(path: string, me: Holder): InstanceLock {
  const timer = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, heartbeatMilliseconds);
  timer.unref();
  return {
    async release() {
      clearInterval(timer);
      if ((await readHolder(path))?.id === me.id) await unlink(path);
    },
  };
}
