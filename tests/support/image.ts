import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { appendFile, copyFile, cp, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const base = join(root, '.cache/image-base');
/** An image to build on. If it is not given, one is made of Debian and the Node that runs the tests. */
const givenBase = process.env.TEST_NODE_IMAGE;
const standIn = 'localhost/node-of-the-tests';
const certificates = '/etc/ssl/certs/ca-certificates.crt';

/** Returns the reason why the image cannot be built here; null if it can. */
export function reasonAgainstImage(): string | null {
  if (process.getuid?.() !== 0) return 'needs root';
  const missing = ['buildah', ...(givenBase ? [] : ['debootstrap'])].filter((command) => !isInstalled(command));
  return missing.length === 0 ? null : `needs ${missing.join(' and ')}`;
}

/** The result of a command in the image. */
export interface Ran {
  readonly code: number;
  readonly output: string;
}

/** The image's own configuration. */
export interface ImageConfig {
  readonly User: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Healthcheck: { readonly Test: readonly string[] };
  readonly Volumes: Readonly<Record<string, unknown>>;
}

/**
 * The image of this repository, built by buildah without an engine, and commands that run in a container of it: with
 * the image's files, user and folder, and this machine's network.
 */
export class Image {
  private readonly started: ChildProcess[] = [];

  private constructor(
    private readonly folder: string,
    private readonly container: string,
    readonly config: ImageConfig,
  ) {}

  /** Takes minutes, and fetches packages from their registries. */
  static async build(): Promise<Image> {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-image-'));
    try {
      if (!givenBase) await Image.addStandIn(folder);
      const from = givenBase ?? standIn;
      await buildah(
        folder,
        'bud',
        '--format=docker',
        `--build-arg=NODE_IMAGE=${from}`,
        '--tag=localhost/tollgate',
        root,
      );
      const { Docker } = JSON.parse(await buildah(folder, 'inspect', '--type=image', 'localhost/tollgate')) as {
        Docker: { config: ImageConfig };
      };
      const container = (await buildah(folder, 'from', 'localhost/tollgate')).trim();
      return new Image(folder, container, Docker.config);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Runs a command to its end. */
  async run(command: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ran> {
    const child = this.spawn(command, environment);
    const output = textOf(child);
    const code = await exitOf(child);
    return { code, output: output() };
  }

  /** Starts the command of the image. */
  start(environment: Readonly<Record<string, string>>): { output: () => string; stop: () => Promise<void> } {
    const { Entrypoint, Cmd } = this.config;
    // The process has no process namespace of its own, so that the server gets signals as from an engine.
    const child = this.spawn(['sh', '-c', 'echo "pid $$"; exec "$0" "$@"', ...Entrypoint, ...Cmd], environment);
    const output = textOf(child);
    const ended = exitOf(child);
    return {
      output,
      stop: async () => {
        process.kill(Number(/^pid (\d+)$/m.exec(output())?.[1]), 'SIGTERM');
        await ended;
      },
    };
  }

  async remove(): Promise<void> {
    for (const child of this.started) child.kill('SIGKILL');
    await buildah(this.folder, 'rm', this.container).catch(() => undefined);
    await rm(this.folder, { recursive: true, force: true });
  }

  private spawn(command: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
    const given = Object.entries(environment).map(([name, value]) => `--env=${name}=${value}`);
    const child = spawn('buildah', [...storeIn(this.folder), 'run', ...given, this.container, '--', ...command], {
      env: buildahEnvironment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.started.push(child);
    return child;
  }

  /** Creates Debian in the version of the pinned image, with the Node of this process. */
  private static async addStandIn(folder: string): Promise<void> {
    if (!existsSync(base)) {
      const making = `${base}.${process.pid}`;
      await mkdir(dirname(base), { recursive: true });
      await promisify(execFile)('debootstrap', ['--variant=minbase', 'bookworm', making], { maxBuffer: 2 ** 26 });
      const node = realpathSync(process.execPath);
      await copyFile(node, join(making, 'usr/local/bin/node'));
      await cp(join(dirname(node), '../lib/node_modules/npm'), join(making, 'usr/local/lib/node_modules/npm'), {
        recursive: true,
      });
      for (const name of ['npm', 'npx'])
        await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(making, 'usr/local/bin', name));
      await appendFile(join(making, 'etc/passwd'), 'node:x:1000:1000::/home/node:/bin/sh\n');
      await appendFile(join(making, 'etc/group'), 'node:x:1000:\n');
      await mkdir(join(making, 'home/node'));
      await mkdir(join(making, 'usr/local/etc'), { recursive: true });
      // Registries may be reached over a proxy whose certificate only this machine knows.
      if (existsSync(certificates)) {
        await mkdir(join(making, dirname(certificates)), { recursive: true });
        await copyFile(certificates, join(making, certificates));
        await writeFile(join(making, 'usr/local/etc/npmrc'), `cafile=${certificates}\n`);
      }
      await rename(making, base);
    }
    const empty = (await buildah(folder, 'from', 'scratch')).trim();
    await buildah(folder, 'add', '--quiet', empty, base, '/');
    await buildah(folder, 'commit', '--quiet', '--rm', empty, standIn);
  }
}

/** The variables let buildah work without a daemon and mounts, so that it also works in a container. */
const buildahEnvironment = { ...process.env, STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot' };

const storeIn = (folder: string): string[] => ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')];

/** @returns standard output */
async function buildah(folder: string, ...parameters: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('buildah', [...storeIn(folder), ...parameters], {
    env: buildahEnvironment,
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

function textOf(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => (text += part));
  return () => text;
}

const exitOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => child.once('close', (code) => resolve(code ?? -1)));

function isInstalled(command: string): boolean {
  try {
    execFileSync('which', [command], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
