/** The commands of the guide to imports, checked against what they name: the Compose file, the scripts and the parameters. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Service {
  readonly volumes?: readonly string[];
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks?: { readonly default?: { readonly aliases?: readonly string[] } };
}
interface Compose {
  /** Without it, the names of networks and volumes begin with that of the folder. */
  readonly name?: string;
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}
const compose = parse(read('docker-compose.yml')) as Compose;
const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };

/** The parameters of the command, with whether each takes a value. */
const parameters = new Map(
  [...read('server/src/compose/import.main.ts').matchAll(/^ {2}'?([\w-]+)'?: \{ type: '(boolean|string)'/gm)].map(
    ([, name = '', type]) => [name, type === 'string'],
  ),
);

/** Every command of the blocks and of the texts, on one line. */
function commandsOf(page: string): string[] {
  const text = read(page);
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block.replaceAll('\\\n', ' '));
  const lines = blocks.flatMap((block) => block.split('\n')).map((line) => line.trim());
  const inline = [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/`((?:docker|npm) [^`]+)`/g)].map(
    ([, command = '']) => command,
  );
  return [...lines, ...inline].filter((line) => /^(docker|npm) /.test(line));
}

const wordsOf = (command: string): string[] => command.replace(/ > .*$/, '').split(/\s+/);

/** Takes the options of a command that are known, each with its value. @returns them, and the rest */
function optionsOf(words: string[], known: Readonly<Record<string, boolean>>): [Array<[string, string]>, string[]] {
  const found: Array<[string, string]> = [];
  let at = 0;
  while (words[at]?.startsWith('-')) {
    const option = words[at] ?? '';
    expect([option, option in known]).toEqual([option, true]);
    found.push([option, known[option] ? (words[at + 1] ?? '') : '']);
    at += known[option] ? 2 : 1;
  }
  return [found, words.slice(at)];
}

/** Checks `npm run NAME -- PARAMETERS`. @returns paths that the parameters name */
function checkNpm(words: string[]): string[] {
  const [, run, script = '', ...rest] = words;
  expect([run, script, script in scripts]).toEqual(['run', script, true]);
  if (script !== 'import') return [];
  const paths: string[] = [];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? '';
    if (word === '--') continue;
    if (!word.startsWith('--')) {
      paths.push(word);
      continue;
    }
    const name = word.slice(2);
    expect([name, parameters.has(name)]).toEqual([name, true]);
    if (parameters.get(name)) paths.push(rest[++at] ?? '');
  }
  return paths.filter((path) => path.startsWith('/'));
}

function checkCompose([verb = '', ...rest]: string[]): void {
  if (verb === 'build' || verb === 'up' || verb === 'down' || verb === 'stop') {
    const services = rest.filter((word) => !word.startsWith('-'));
    expect(services.filter((service) => !(service in compose.services))).toEqual([]);
    return;
  }
  expect(verb).toBe('run');
  const [options, [service = '', ...command]] = optionsOf(rest, { '--rm': false, '-v': true, '-e': true });
  const { volumes = [], read_only: isReadOnly, tmpfs = [] } = compose.services[service] ?? {};
  expect([service, isReadOnly]).toEqual(['app', true]);
  const mounts = options.filter(([option]) => option === '-v').map(([, value]) => value.split(':'));
  for (const [host = '', target = '', mode] of mounts) {
    expect([host.startsWith('/'), target.startsWith('/'), mode]).toEqual([true, true, 'ro']);
  }
  const targets = (list: readonly string[]): string[] => list.map((one) => one.split(':')[1] ?? '');
  const writable = [...targets(volumes), ...tmpfs];
  const within = (path: string, folders: readonly string[]): boolean =>
    folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
  if (command.includes('import')) {
    // The copy of the source must not be in memory.
    const [, folder = ''] = options.find(([, text]) => text.startsWith('TMPDIR=')) ?? [];
    expect([folder, within(folder.slice('TMPDIR='.length), targets(volumes))]).toEqual([folder, true]);
  }
  const paths = command[0] === 'npm' ? checkNpm(command) : command.filter((word) => word.startsWith('/'));
  const report = command[command.indexOf('--report') + 1] ?? '';
  for (const path of paths) {
    expect([path, within(path, [...writable, ...mounts.map(([, target = '']) => target)])]).toEqual([path, true]);
    if (path === report) expect([path, within(path, writable)]).toEqual([path, true]);
  }
}

function checkDocker([verb = '', ...rest]: string[]): void {
  if (verb === 'compose') return checkCompose(rest);
  expect([verb, ['connect', 'disconnect'].includes(rest[0] ?? '')]).toEqual(['network', true]);
  const [options, [network]] = optionsOf(rest.slice(1), { '--alias': true });
  expect(network).toBe(`${compose.name}_default`);
  // A database of an old program is often called like one of Tollgate's services.
  if (rest[0] === 'connect') expect(options.map(([, alias]) => alias in compose.services)).toEqual([false]);
}

describe.each(['docs/guide/import.md', 'docs/zh/guide/import.md'])('the commands of %s', (page) => {
  const commands = commandsOf(page);

  it('are all found', () => {
    expect(commands.filter((command) => command.startsWith('docker')).length).toBeGreaterThanOrEqual(8);
    expect(commands.filter((command) => command.startsWith('npm run import')).length).toBeGreaterThanOrEqual(4);
    expect(parameters.size).toBeGreaterThan(10);
  });

  it('have the dry run and the move itself in a container', () => {
    const runs = commands.filter((command) => /^docker compose run .* npm run import/.test(command));
    expect(runs.map((command) => command.includes('--dry-run'))).toEqual([true, false]);
  });

  it('are the steps of a table in their order, with minutes and the way back', () => {
    const steps = read(page)
      .split('\n')
      .filter((line) => /^\|.*\|.*\|.*\|$/.test(line) && !line.startsWith('| -'))
      .slice(1, 9)
      .map((line) => line.split('|').map((cell) => cell.trim()));
    const ofSteps = steps.map(([, step = '']) => /`(docker [^`]+)`/.exec(step)?.[1]);
    expect(ofSteps.filter(Boolean)).toEqual([
      'docker compose build',
      'docker compose up -d postgres redis',
      'docker compose up -d app',
      'docker compose stop app',
    ]);
    // Only the domain takes as long as its DNS.
    expect(steps.map(([, , , minutes = '']) => /\d/.test(minutes))).toEqual([
      true,
      true,
      true,
      true,
      true,
      true,
      false,
      true,
    ]);
  });

  it.each(commandsOf(page))('%s', (command) => {
    const words = wordsOf(command);
    if (words[0] === 'npm') checkNpm(words);
    else checkDocker(words.slice(1));
  });
});

it('the image has what the commands need', () => {
  const dockerfile = read('Dockerfile');
  const [, entry = ''] = /with-build\.mjs (\S+)/.exec(scripts['import'] ?? '') ?? [];
  expect(entry).toBe('dist/server/compose/import.main.js');
  for (const part of ['COPY --from=build /app/dist dist', 'scripts/with-build.mjs', 'COPY package.json']) {
    expect(dockerfile).toContain(part);
  }
  // The import runs the program for files that are written all the time.
  const [, program] = /run\('(\w+)'/.exec(read('server/src/import/source/sqlite-copy.ts')) ?? [];
  const [, packages = ''] = /apt-get install -y --no-install-recommends (.*?) *\\$/m.exec(dockerfile) ?? [];
  expect(packages.split(' ')).toContain(program);
  // Packages for SQLite and MySQL are optional, and optional packages are installed.
  expect(dockerfile).not.toContain('--omit=optional');
  expect(existsSync(join(root, 'scripts/with-build.mjs'))).toBe(true);
});

it('the server finds its own database when the one of an old program joins its network', () => {
  const { app, postgres } = compose.services;
  const host = /@([\w-]+):5432/.exec(app?.environment?.['DATABASE_URL'] ?? '')?.[1];
  expect(postgres?.networks?.default?.aliases).toContain(host);
  // new-api's own docker-compose.yml (02e2ada1, 2026) calls its container `postgres`, and the name of a container is one of its
  // names in each network.
  expect(['postgres', 'mysql']).not.toContain(host);
});
