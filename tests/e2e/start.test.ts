import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { boot, cleanUp, connectToEmbedded, descendants, gone, projectRoot, temporaryFolder } from './boot-support.js';

/** `npm start` and `scripts/with-build.mjs` in a fresh copy of the sources: what they build, when, and how they end. */

jest.setTimeout(120_000);
afterAll(cleanUp);

/**
 * The project as cloned and installed, without its console, whose build takes a while and is part of the browser tests.
 */
function freshProject(): string {
  const project = join(temporaryFolder(), 'project');
  mkdirSync(project);
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.base.json', 'scripts', 'server']) {
    cpSync(join(projectRoot, name), join(project, name), { recursive: true });
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(project, 'node_modules'));
  return project;
}

/** The project with a server of two files, which is sufficient where it is built and never runs. */
function smallProject(): string {
  const project = join(temporaryFolder(), 'project');
  mkdirSync(join(project, 'server/src/shared'), { recursive: true });
  const settings = ['tsconfig.base.json', 'server/tsconfig.json', 'server/rolldown.config.mjs'];
  for (const name of ['package.json', 'package-lock.json', ...settings, 'scripts', 'server/src/shared/clock.ts']) {
    cpSync(join(projectRoot, name), join(project, name), { recursive: true });
  }
  writeFileSync(join(project, 'server/src/main.ts'), "import './shared/clock.js';\n");
  symlinkSync(join(projectRoot, 'node_modules'), join(project, 'node_modules'));
  return project;
}

const start = (project: string) => boot({ project, cwd: project, script: 'scripts/start.mjs' });

describe('a fresh project', () => {
  let project: string;

  it('is built, says where to open the browser, and stops when npm, and npm alone, is told to', async () => {
    project = freshProject();
    const npm = await boot({ project, cwd: project, program: ['npm', 'start'], environment: { HOME: project } });
    await npm.ready(60_000);
    expect(npm.output()).toContain('Building the server …');
    expect(npm.output()).toContain('There is no console to build: starting the server alone.');
    expect(npm.output()).toContain(`\nOpen ${npm.url}/setup?code=`);
    const administrator = { username: 'root', password: 'a-password', confirmPassword: 'a-password' };
    const setUp = await fetch(`${npm.url}/api/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(administrator),
    });
    expect(await setUp.json()).toMatchObject({ success: true });
    const processes = descendants(npm.process.pid ?? 0);
    npm.process.kill('SIGTERM');
    await npm.ended();
    for (const pid of processes) expect(await gone(pid)).toBe(true);
    expect(npm.output()).toContain('"msg":"stopped"');
  });

  it('then starts under npm without building, and says where to sign in', async () => {
    const npm = await boot({ project, cwd: project, program: ['npm', 'start'], environment: { HOME: project } });
    await npm.ready(60_000);
    expect(npm.output()).not.toContain('Building');
    expect(npm.output()).toContain(`\nOpen ${npm.url} to sign in\n`);
    npm.process.kill('SIGTERM');
    await npm.ended();
  });

  it('then starts without npm, and stops like the server', async () => {
    const server = await start(project);
    await server.ready(60_000);
    expect(server.output()).not.toContain('Building');
    expect(await server.end('SIGINT')).toBe(0);
    expect(server.errors()).toBe('');
  });

  it('names sources in the errors of workers', async () => {
    const server = await boot({ project, cwd: project, script: 'scripts/start.mjs', environment: { WORKERS: '2' } });
    await server.ready(60_000);
    const database = await connectToEmbedded(server.dataDir);
    await database.query('ALTER TABLE users RENAME TO others');
    const signIn = await fetch(`${server.url}/api/user/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'root', password: 'a-password' }),
    });
    expect(await signIn.json()).toMatchObject({ code: 'INTERNAL_ERROR' });
    await database.query('ALTER TABLE others RENAME TO users');
    await database.end();
    expect(await server.end()).toBe(0);
    expect(server.output()).toContain('server/src/console/sign-in/auth.service.ts:');
  });
});

it('builds again when a source changed, and only then', async () => {
  const project = smallProject();
  const run = () => tool(project, 'process.stdout.write("it ran")');
  expect((await run()).errors).toContain('Building the server …');
  expect((await run()).errors).toBe('');
  const source = join(project, 'server/src/shared/clock.ts');
  writeFileSync(source, `${readFileSync(source, 'utf8')}\nprocess.title = 'changed';\n`);
  expect((await run()).errors).toContain('Building the server …');
  expect(readFileSync(join(project, 'dist/server/main.js'), 'utf8')).toMatch(/process.title = .changed./);
  expect((await run()).errors).toBe('');
  expect(readdirSync(join(project, 'dist'))).toEqual(['server']);
});

it('leaves a running server the files that it has not loaded yet', async () => {
  const project = smallProject();
  const source = join(project, 'server/src/shared/clock.ts');
  const late =
    "process.stdin.once('data', async () => console.log(typeof (await import('./shared/clock.js')).systemClock));";
  writeFileSync(join(project, 'server/src/main.ts'), late);
  await tool(project, '');
  const server = spawn(process.execPath, [join(project, 'dist/server/main.js')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  writeFileSync(source, `${readFileSync(source, 'utf8')}\nprocess.title = 'changed';\n`);
  expect((await tool(project, '')).errors).toContain('Building the server …');
  server.stdin.end('now\n');
  const said: Buffer[] = [];
  for await (const text of server.stdout) said.push(text as Buffer);
  expect(Buffer.concat(said).toString()).toBe('function\n');

  // The chunks are those of the previous build, and not of older builds.
  const chunks = (): number =>
    readdirSync(join(project, 'dist/server/shared')).filter((name) => name.endsWith('.js')).length;
  const before = chunks();
  writeFileSync(source, `${readFileSync(source, 'utf8')}\nprocess.title = 'changed again';\n`);
  await tool(project, '');
  expect(chunks()).toBe(before);
});

it('of several at once one builds and all run', async () => {
  const project = smallProject();
  const results = await Promise.all([1, 2, 3].map(() => tool(project, 'process.stdout.write("it ran")')));
  expect(results.map(({ output }) => output)).toEqual(['it ran', 'it ran', 'it ran']);
  expect(results.filter(({ errors }) => errors.includes('Building'))).toHaveLength(1);
});

it('takes over from a build that was killed', async () => {
  const project = smallProject();
  const gone = spawn(process.execPath, ['-e', '']);
  await once(gone, 'exit');
  mkdirSync(join(project, 'dist'));
  writeFileSync(join(project, 'dist/.building'), String(gone.pid));
  expect((await tool(project, 'process.stdout.write("it ran")')).output).toBe('it ran');
});

it('hands on parameters and keeps the exit code', async () => {
  const project = smallProject();
  const result = await tool(
    project,
    'process.stdout.write(process.argv.slice(2).join()); process.exit(7)',
    'one',
    'two',
  );
  expect(result).toMatchObject({ output: 'one,two', code: 7 });
});

it('says what is wrong with sources that do not compile, and starts nothing', async () => {
  const project = smallProject();
  writeFileSync(join(project, 'server/src/shared/clock.ts'), 'export const = ;');
  const server = await start(project);
  expect(await server.ended()).toBe(1);
  expect(server.errors()).toContain('clock.ts');
  // An incomplete build does not count as built.
  expect((await tool(project, 'process.stdout.write("it ran")')).output).toBe('');
});

async function tool(project: string, program: string, ...parameters: string[]) {
  const file = join(project, 'tool.mjs');
  writeFileSync(file, program);
  const child: ChildProcess = spawn(process.execPath, ['scripts/with-build.mjs', 'tool.mjs', ...parameters], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  await once(child, 'close');
  return { output, errors, code: child.exitCode };
}
