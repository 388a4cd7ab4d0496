import { spawn, type SpawnOptions } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';

/** A service that a test run needs, started or found. */
export interface Service {
  readonly url: string;
  /** The origin of the database, for the first lines of the run's output. */
  readonly description: string;
  stop(): Promise<void>;
}

/** The first of `names` that is executable, searched in PATH and then in `folders`; null when there is none. */
export function findProgram(names: string[], folders: string[] = []): string | null {
  for (const folder of [...(process.env.PATH ?? '').split(delimiter), ...folders]) {
    for (const name of names) {
      const path = join(folder, name);
      if (folder && isExecutable(path)) return path;
    }
  }
  return null;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const portsPerWorker = 1000;
/** Below the range of ephemeral ports, so that no other process gets one before its server has started. */
const firstPort = 20_000 + portsPerWorker * (Number(process.env.JEST_WORKER_ID ?? 0) % 12);
let portsGiven = Math.floor(Math.random() * portsPerWorker);

/** A free port of 127.0.0.1 that no other test gets. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < portsPerWorker; tries++) {
    const port = firstPort + (portsGiven++ % portsPerWorker);
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${firstPort} on is free`);
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** Runs a program to completion. Rejects with its output when it fails. */
export function runProgram(program: string, args: string[], options: SpawnOptions = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ended with ${signal ?? code}: ${said.trim()}`));
    });
  });
}

export interface StartOptions {
  /** Called every 25 ms until it returns true. */
  ready(): Promise<boolean>;
  readonly stopSignal?: NodeJS.Signals;
  readonly spawnOptions?: SpawnOptions;
}

/**
 * Starts a long-running program and waits until it is ready.
 * @returns a function that stops it: by its own signal or another one, and by force after ten seconds
 */
export async function startProgram(
  program: string,
  args: string[],
  { ready, stopSignal = 'SIGTERM', spawnOptions = {} }: StartOptions,
): Promise<(signal?: NodeJS.Signals) => Promise<void>> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...spawnOptions });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000)));
  }
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      said += error.message;
      resolve();
    });
  });
  const isRunning = (): boolean => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const killAtExit = (): void => {
    if (isRunning()) child.kill('SIGKILL');
  };
  process.once('exit', killAtExit);

  const stop = async (signal = stopSignal): Promise<void> => {
    process.removeListener('exit', killAtExit);
    if (!isRunning()) return;
    child.kill(signal);
    const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(force);
  };

  const deadline = Date.now() + 20_000;
  while (!(await ready().catch(() => false))) {
    if (!isRunning() || Date.now() > deadline) {
      await stop();
      throw new Error(`${program} did not start: ${said.trim()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return stop;
}
