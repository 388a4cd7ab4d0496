import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';

/**
 * Something a run of the tests needs, started or found.
 * @typedef {{ url: string, description: string, stop: () => Promise<void> }} Service
 */

/**
 * The first of `names` that can be run, looked for in PATH and then in `folders`.
 * @param {string[]} names
 * @param {string[]} [folders]
 * @returns {string | null} an absolute path
 */
export function findProgram(names, folders = []) {
  for (const folder of [...(process.env.PATH ?? '').split(delimiter), ...folders]) {
    for (const name of names) {
      const path = join(folder, name);
      if (folder && isExecutable(path)) return path;
    }
  }
  return null;
}

/** @param {string} path */
export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @returns {Promise<number>} a port of 127.0.0.1 that was free a moment ago */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no free port')),
      );
    });
  });
}

/**
 * Runs a program to its end.
 * @param {string} program
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<void>} rejects with what the program said when it fails
 */
export function runProgram(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let said = '';
    child.stdout?.on('data', (chunk) => (said += chunk));
    child.stderr?.on('data', (chunk) => (said += chunk));
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`${program} ended with ${signal ?? code}: ${said.trim()}`)),
    );
  });
}

/**
 * Starts a program that stays, and waits until `ready` answers true.
 * @param {string} program
 * @param {string[]} args
 * @param {{
 *   ready: () => Promise<boolean>,
 *   stopSignal?: NodeJS.Signals,
 *   spawnOptions?: import('node:child_process').SpawnOptions,
 * }} options
 * @returns {Promise<() => Promise<void>>} stops it: politely, and after ten seconds by force
 */
export async function startProgram(program, args, { ready, stopSignal = 'SIGTERM', spawnOptions = {} }) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...spawnOptions });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => (said = (said + chunk).slice(-4000)));
  }
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      said += error.message;
      resolve();
    });
  });
  const isRunning = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const killAtExit = () => isRunning() && child.kill('SIGKILL');
  process.once('exit', killAtExit);

  const stop = async () => {
    process.removeListener('exit', killAtExit);
    if (!isRunning()) return;
    child.kill(stopSignal);
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
