import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import type { Account } from './account.js';

/** Options of one run of a Postgres program. */
export interface ToolOptions {
  readonly account?: Account;
  /** An open folder, which is passed as descriptor 3. */
  readonly folder?: number;
  readonly input?: string;
}

/**
 * Starts one of the Postgres programs without this server's environment: no Postgres client variable may affect it, and
 * its messages stay in English because they are parsed.
 */
export function spawnTool(path: string, parameters: string[], options: ToolOptions, stdin: 'pipe' | 'ignore') {
  const stdio: StdioOptions = [stdin, 'pipe', 'pipe', ...(options.folder === undefined ? [] : [options.folder])];
  return spawn(path, parameters, {
    stdio,
    cwd: '/',
    env: { PATH: process.env.PATH, SystemRoot: process.env.SystemRoot, TEMP: process.env.TEMP, LC_ALL: 'C', TZ: 'UTC' },
    // The program is outside the terminal's process group: a Ctrl-C is for this server, which stops the database after
    // everything else.
    detached: true,
    windowsHide: true,
    ...(options.account ?? {}),
  }) satisfies ChildProcess;
}

/** Runs a program to completion. Never throws: a program that cannot be started returns code -1. */
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
    // A program that fails at once closes its input before reading it.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
  });
}
