import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '../../support/services/processes.js';
import { serverCore } from '../gateway.js';
import type { Contender } from '../rounds.js';

/** Another gateway, and the features that Tollgate runs for every call and this gateway does not. */
export interface Peer {
  readonly name: string;
  /** The missing features, for the table. */
  readonly leavesOut: string;
  start(place: Place): Promise<RunningPeer>;
}

export interface Place {
  /** A folder for its files. It is empty. */
  readonly folder: string;
  /** URL of its only provider. */
  readonly upstream: string;
  /** Cores of the server: the first ones. */
  readonly cores: number;
}

export interface RunningPeer extends Contender {
  stop(): Promise<void>;
}

export const run = promisify(execFile);
const taskset = findProgram(['taskset']);

/** Starts a program in the folder of the peer and on its cores. */
export function launch(
  { folder, cores }: Place,
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  const whole = taskset ? [taskset, '-c', `${serverCore}-${serverCore + cores - 1}`, ...command] : command;
  return spawn(whole[0] ?? '', whole.slice(1), {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/**
 * Installs packages of PyPI in an environment of their own.
 * @returns the folder of its programs
 */
export async function installPython(folder: string, ...packages: string[]): Promise<string> {
  await run('python3', ['-m', 'venv', 'venv'], { cwd: folder });
  const programs = join(folder, 'venv/bin');
  await run(join(programs, 'pip'), ['install', '--quiet', ...packages], { cwd: folder, maxBuffer: 2 ** 24 });
  return programs;
}

const startSeconds = 120;

/** Waits until the program responds, with any status. */
export async function ready(
  name: string,
  child: ChildProcess,
  { port, ...target }: { port: number; key: string; headers?: Record<string, string>; modelPrefix?: string },
  path = '/',
): Promise<RunningPeer> {
  const url = `http://127.0.0.1:${port}`;
  const isEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      if (isEnded()) return resolve();
      child.once('exit', () => resolve());
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), 5000).unref();
    });
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  const deadline = performance.now() + startSeconds * 1000;
  for (;;) {
    if (failure) throw failure;
    if (isEnded()) throw new Error(`${name} ended before it was ready`);
    if (performance.now() > deadline) {
      await stop();
      throw new Error(`${name} was not ready after ${startSeconds} s`);
    }
    try {
      await (await fetch(url + path)).arrayBuffer();
      break;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  return { name, url, pid: child.pid ?? 0, stop, ...target };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
