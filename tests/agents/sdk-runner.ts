import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { folderOf, runnerOf } from './install.js';
import type { Workplace } from './program.js';
import type { Sdk } from './programs.js';

/** One feature of a package, and the gateway and the folders that it works with. */
export interface Asked extends Pick<Workplace, 'home' | 'project'> {
  readonly feature: string;
  readonly url: string;
  readonly key: string;
  readonly model: string;
}

const maxMilliseconds = 60_000;

/** Runs features of one package, one after the other, in a process that has loaded it already. */
export class SdkRunner {
  private runner: { readonly child: ChildProcess; readonly lines: AsyncIterator<string> } | undefined;

  constructor(private readonly sdk: Sdk) {}

  /** Returns what the package printed, or why it did not end. */
  async ask(asked: Asked): Promise<string> {
    const { child, lines } = (this.runner ??= this.start());
    child.stdin?.write(`${JSON.stringify(asked)}\n`);
    const timer = setTimeout(() => this.stop(), maxMilliseconds);
    const { done, value } = await lines.next();
    clearTimeout(timer);
    return done ? 'the program did not end in time' : (JSON.parse(value) as string);
  }

  /** Ends the process with what it has started. */
  stop(): void {
    const pid = this.runner?.child.pid;
    this.runner = undefined;
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  }

  private start(): NonNullable<typeof this.runner> {
    const [interpreter, ...args] = runnerOf(this.sdk);
    const child = spawn(interpreter, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], SDK_FOLDER: folderOf(this.sdk.packages) },
      detached: true,
    });
    return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
  }
}
