import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import type { Account } from './account.js';

export interface ToolOptions {
  readonly account?: Account;
  /** An open folder, handed on as descriptor 3. */
  readonly folder?: number;
  readonly input?: string;
}

/**
 * Starts one of Postgres's programs with nothing of our environment: no variable of a Postgres client may steer it, and
 * its messages stay in English because we read them.
 */
export function spawnTool(path: string, parameters: string[], options: ToolOptions, stdin: 'pipe' | 'ignore') {
  const stdio: StdioOptions = [stdin, 'pipe', 'pipe', ...(options.folder === undefined ? [] : [options.folder])];
  return spawn(path, parameters, {
    stdio,
    cwd: '/',
    env: { PATH: process.env.PATH, SystemRoot: process.env.SystemRoot, TEMP: process.env.TEMP, LC_ALL: 'C', TZ: 'UTC' },
    // Out of the terminal's process group: a Ctrl-C is for us, and we stop the database when everything else has stopped.
    detached: true,
    windowsHide: true,
    ...(options.account ?? {}),
  }) satisfies ChildProcess;
}

/** Runs to the end. Never throws: what cannot even start answers with code -1. */
export function runTool(
  path: string,
  parameters: string[],
  options: ToolOptions,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawnTool(path, parameters, options, 'pipe');
    let output = '';
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-8192);
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.on('error', (error) => resolve({ code: -1, output: error.message }));
    child.on('close', (code) => resolve({ code: code ?? -1, output }));
    // A program that fails at once closes its input before it has read it.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
  });
}
