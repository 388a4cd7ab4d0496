import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { binaryOf, nodeFolder } from './install.js';
import { notes, picture, pictureBytes, secret } from './model.js';

export type Dialect = 'Chat completions' | 'Responses' | 'Messages' | 'Gemini';

export interface Gateway {
  readonly url: string;
  readonly key: string;
}

/** One step of a session. */
export interface Step {
  readonly prompt: string;
  /** The session goes on from the last step. */
  readonly resume?: boolean;
  readonly image?: boolean;
}

/** The features that a session shows, in its order. */
export const features = ['tool', 'again', 'stop', 'image'] as const;
export type Feature = (typeof features)[number];

/** A program as the table of `programs.ts` describes it. */
export interface Program {
  readonly name: string;
  /** `name@version` on npm, or `name==version` on PyPI. */
  readonly packages: readonly string[];
  /** Below `node_modules`, or in `bin` of a virtual environment. The packages of a platform are named, because scripts of installations are not run. */
  readonly binary: string;
  readonly speaks: Dialect;
  /** The model that the program is set to use. */
  readonly model: string;
  /** Speaks over a WebSocket. */
  readonly overSocket?: true;
  /** A refusal that the program's own requests meet once for each channel and model. */
  readonly learned?: RegExp;
  /** The program shows an image to its model as the result of a tool. */
  readonly looksBy?: 'tool';
  /** The program sends a request again without its images when the first is refused, and shows the response to that. */
  readonly dropsRefusedImages?: true;
  /** Files below the home folder, by path. */
  files?(gateway: Gateway): Readonly<Record<string, string>>;
  /** The parameters of a run before the session, for programs that have no file for them. */
  before?(gateway: Gateway): readonly string[];
  args(step: Step): readonly string[];
  env(gateway: Gateway): Readonly<Record<string, string>>;
  /** Features that the program itself does not have, with the reason. */
  readonly leavesOut?: Partial<Readonly<Record<Feature, string>>>;
}

/** A home and a project of its own for one session. */
export interface Workplace {
  readonly home: string;
  readonly project: string;
  remove(): void;
}

export function openWorkplace(): Workplace {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-agent-'));
  const project = join(home, 'project');
  mkdirSync(project);
  writeFileSync(join(project, notes), `The word is ${secret}\n`);
  writeFileSync(join(project, picture), Buffer.from(pictureBytes, 'base64'));
  // A program that is killed may still write for a moment.
  return {
    home,
    project,
    remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  };
}

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** Writes the settings of a program into the home of its sessions. */
export async function setUp(program: Program, place: Workplace, gateway: Gateway): Promise<void> {
  for (const [path, text] of Object.entries(program.files?.(gateway) ?? {})) {
    mkdirSync(dirname(join(place.home, path)), { recursive: true });
    writeFileSync(join(place.home, path), text);
  }
  const before = program.before?.(gateway);
  if (before) await execute(program, before, place, gateway);
}

/** @param interrupt interrupts the program as soon as it resolves */
export const run = (
  program: Program,
  place: Workplace,
  gateway: Gateway,
  step: Step,
  interrupt?: Promise<unknown>,
): Promise<Ran> => execute(program, program.args(step), place, gateway, interrupt);

function execute(
  program: Program,
  args: readonly string[],
  place: Workplace,
  gateway: Gateway,
  interrupt?: Promise<unknown>,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(binaryOf(program.packages, program.binary), args, {
      cwd: place.project,
      // Nothing else of the user's shell, which might change where programs connect.
      env: {
        PATH: [nodeFolder(), process.env['PATH']].join(delimiter),
        LANG: process.env['LANG'],
        TMPDIR: process.env['TMPDIR'],
        HOME: place.home,
        CI: '1',
        NO_COLOR: '1',
        ...program.env(gateway),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A terminal interrupts the whole group: some programs do their work in a second process.
      detached: true,
    });
    const signal = (name: NodeJS.Signals): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, name);
      } catch {
        // The group has ended.
      }
    };
    let output = '';
    child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
    child.stderr.on('data', (bytes: Buffer) => (output += bytes.toString()));
    const timers = [setTimeout(() => signal('SIGKILL'), 120_000)];
    child.once('error', reject);
    child.once('close', (code) => {
      for (const timer of timers) clearTimeout(timer);
      resolve({ code, output });
    });
    void interrupt?.then(() => {
      signal('SIGINT');
      timers.push(setTimeout(() => signal('SIGKILL'), 5000));
    });
  });
}
