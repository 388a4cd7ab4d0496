import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checked, llamaIndex, node, oneApiCli, programs, python, pythonSdks } from './programs.js';

/** Where programs are kept from run to run. */
const cache = process.env['AGENTS_FOLDER'] ?? join(import.meta.dirname, '../../node_modules/.cache/agents');

/** The folder of packages that are installed together, named by their versions. */
export const folderOf = (packages: readonly string[]): string =>
  join(cache, packages.join('+').replaceAll(/[^\w.=@+-]/g, '-'));

const nodePackages = [`node-${process.platform}-${process.arch}@${node}`];
/** The folder of the Node that programs run with. */
export const nodeFolder = (): string =>
  join(folderOf(nodePackages), 'node_modules', nodePackages[0]!.split('@')[0]!, 'bin');

/** The interpreter of packages of PyPI. */
export const pythonOf = (packages: readonly string[]): string => join(folderOf(packages), 'bin/python');

const isPython = (packages: readonly string[]): boolean => packages.every((each) => each.includes('=='));

/** Every group of packages that the tests need, but for Node. */
const groups = (): Array<readonly string[]> => [
  ...programs.map(({ packages }) => packages),
  ...pythonSdks.map(({ packages }) => packages),
  ...[python, llamaIndex, oneApiCli],
];

/** Installs what is missing. Scripts of packages are not run: they may load programs without a pinned version. */
function install(packages: readonly string[]): void {
  const folder = folderOf(packages);
  if (existsSync(join(folder, 'installed'))) return;
  console.log(`Installing ${packages.join(' ')}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  if (isPython(packages)) {
    execFileSync('python3', ['-m', 'venv', folder]);
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

/** Returns the newest version of a package that its registry has. */
function newest(name: string, python: boolean): string {
  if (!python) return execFileSync('npm', ['view', name, 'version'], { encoding: 'utf8' }).trim();
  const listed = execFileSync('python3', ['-m', 'pip', 'index', 'versions', name], { encoding: 'utf8', stdio: 'pipe' });
  return /\(([^)]+)\)/.exec(listed)?.[1] ?? '';
}

const maxDays = 30;

/** Returns the pinned packages that have not been the newest for more than 30 days. */
export function outdated(now: number): string[] {
  if (now - Date.parse(checked) <= maxDays * 86_400_000) return [];
  return [...new Set(groups().flat())].flatMap((each) => {
    const [, name = '', , version = ''] = /^(@?[^@=[]+)(\[[^\]]+\])?(?:@|==)(.+)$/.exec(each) ?? [];
    const found = newest(name, each.includes('=='));
    return found === version ? [] : [`${name} is pinned at ${version}, and the registry has ${found}`];
  });
}

export function installAll(): void {
  for (const packages of [nodePackages, ...groups()]) install(packages);
}
