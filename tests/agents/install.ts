import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { checked, gql, llamaIndex, node, oneApiCli, programs, python, type Sdk, sdks, vibe } from './programs.js';

/** Where programs are kept from run to run. */
const cache = process.env['AGENTS_FOLDER'] ?? join(import.meta.dirname, '../../node_modules/.cache/agents');

/** The folder of packages that are installed together, named by their versions. */
export const folderOf = (packages: readonly string[]): string =>
  join(cache, packages.join('+').replaceAll(/[^\w.=@+-]/g, '-'));

const nodePackages = [`node-${process.platform}-${process.arch}@${node}`];
/** The folder of the Node that programs run with. */
export const nodeFolder = (): string =>
  join(folderOf(nodePackages), 'node_modules', nodePackages[0]!.split('@')[0]!, 'bin');

/** A program below `node_modules`, or in the virtual environment of packages of PyPI. */
export const binaryOf = (packages: readonly string[], binary: string): string =>
  join(folderOf(packages), isPython(packages) ? 'bin' : 'node_modules', binary);

/** The interpreter and the parameters that run features of an SDK (`python_sdks.py`, `node_sdks.cjs`). */
export const runnerOf = ({ run, packages, imports = [] }: Sdk): readonly [interpreter: string, ...args: string[]] =>
  isPython(packages)
    ? [pythonOf(packages), join(import.meta.dirname, 'python_sdks.py'), run, ...imports]
    : [join(nodeFolder(), 'node'), join(import.meta.dirname, 'node_sdks.cjs'), run];

/** The interpreter of packages of PyPI. */
export const pythonOf = (packages: readonly string[]): string => join(folderOf(packages), 'bin/python');

const isPython = (packages: readonly string[]): boolean => packages.every((each) => each.includes('=='));

/** Every group of packages that the tests need, but for Node. */
const groups = (): Array<readonly string[]> => [
  ...programs.map(({ packages }) => packages),
  ...sdks.map(({ packages }) => packages),
  ...[python, llamaIndex, oneApiCli, gql],
];

/** Returns the newest interpreter that is installed. pyenv has some that are not on the path. */
function newestPython(): string {
  const versions = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
  const ofPyenv = existsSync(versions) ? readdirSync(versions).map((each) => join(versions, each, 'bin/python3')) : [];
  const named = ['python3.13', 'python3.12', ...ofPyenv.filter((path) => /\/3\.1[23][./]/.test(path)).toReversed()];
  return [...named, 'python3'].find((each) => spawnSync(each, ['-m', 'venv', '--help']).status === 0) ?? 'python3';
}

const interpreterOf = (packages: readonly string[]): string => (packages === vibe ? newestPython() : 'python3');

/** Installs what is missing. Scripts of packages are not run: they may load programs without a pinned version. */
function install(packages: readonly string[]): void {
  const folder = folderOf(packages);
  if (existsSync(join(folder, 'installed'))) return;
  console.log(`Installing ${packages.join(' ')}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  if (isPython(packages)) {
    execFileSync(interpreterOf(packages), ['-m', 'venv', folder]);
    execFileSync(pythonOf(packages), ['-m', 'pip', 'install', '--quiet', ...packages], { stdio: 'inherit' });
  } else {
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    // npm takes the newest version whose `engines` fit the Node that runs it, so the pinned one has to be the Node of the programs.
    const path = [nodeFolder(), process.env['PATH']].join(':');
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...packages], {
      cwd: folder,
      stdio: 'inherit',
      env: { ...process.env, PATH: path },
    });
  }
  writeFileSync(join(folder, 'installed'), '');
}

/** Returns the newest version of one of the packages that its registry has. PyPI's is one for their interpreter. */
function newest(name: string, packages: readonly string[]): string {
  if (!isPython(packages)) return execFileSync('npm', ['view', name, 'version'], { encoding: 'utf8' }).trim();
  const listed = execFileSync(interpreterOf(packages), ['-m', 'pip', 'index', 'versions', name], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
  return /\(([^)]+)\)/.exec(listed)?.[1] ?? '';
}

const maxDays = 30;

/** Returns the pinned packages that have not been the newest for more than 30 days. */
export function outdated(now: number): string[] {
  if (now - Date.parse(checked) <= maxDays * 86_400_000) return [];
  const groupOf = new Map(groups().flatMap((packages) => packages.map((each) => [each, packages] as const)));
  return [...groupOf].flatMap(([each, packages]) => {
    const [, name = '', , version = ''] = /^(@?[^@=[]+)(\[[^\]]+\])?(?:@|==)(.+)$/.exec(each) ?? [];
    const found = newest(name, packages);
    return found === version ? [] : [`${name} is pinned at ${version}, and the registry has ${found}`];
  });
}

export function installAll(): void {
  for (const packages of [nodePackages, ...groups()]) install(packages);
}
