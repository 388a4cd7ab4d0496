import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const output = join(root, 'dist');

const isTest = (path) => /\.test\.tsx?$/.test(path);
const isGenerated = (path) => /\.generated\.ts$/.test(path);

/** Build targets: their source files, and how each is built into its own folder. */
const parts = {
  server: {
    folder: join(output, 'server'),
    available: () => existsSync(join(root, 'server/src/main.ts')),
    sources: () => filesUnder('server/src').filter((path) => !isTest(path)),
    settings: ['package-lock.json', 'tsconfig.base.json', 'server/tsconfig.json', 'server/rolldown.config.mjs'],
    async make(target) {
      await run('rolldown', '-c', 'server/rolldown.config.mjs', '-d', target);
      keepChunks(this.folder, target);
    },
  },
  client: {
    folder: join(output, 'client'),
    available: () => existsSync(join(root, 'client/index.html')) && existsSync(join(root, 'schema/schema.graphql')),
    sources: () =>
      [...filesUnder('client'), ...filesUnder('schema')].filter((path) => !isTest(path) && !isGenerated(path)),
    settings: ['package-lock.json', 'tsconfig.base.json', 'codegen.yml'],
    async make(target) {
      await run('graphql-codegen');
      await run('vite', 'build', 'client', '--outDir', target, '--emptyOutDir', '--logLevel', 'warn');
    },
  },
};

/**
 * Builds the named targets unless they were built from exactly these sources. Each is built in a temporary folder and
 * renamed when complete; when several processes start at once, one builds and the others wait.
 * @param names `server`, `client`
 * @param say called with one line for people when there is something to wait for
 */
export async function ensureBuilt(names, say = (line) => console.log(line)) {
  const stale = () => names.filter((name) => parts[name].available() && !isFresh(parts[name]));
  if (stale().length === 0) return;
  const release = await takeTurn();
  try {
    // At the same time: each has one thread for a good part of its build. A failure of one waits for the other.
    const builds = await Promise.allSettled(
      stale().map(async (name) => {
        const begun = Date.now();
        say(`Building the ${name} …`);
        await build(parts[name]);
        say(`Built the ${name} in ${((Date.now() - begun) / 1000).toFixed(1)} s.`);
      }),
    );
    const failed = builds.find(({ status }) => status === 'rejected');
    if (failed) throw failed.reason;
  } finally {
    release();
  }
}

/** Whether the sources of this target are present. */
export const isAvailable = (name) => parts[name].available();

async function build(part) {
  // Computed before building, so that later changes are detected the next time.
  const stamp = stampOf(part);
  const draft = `${part.folder}.${process.pid}.new`;
  const old = `${part.folder}.${process.pid}.old`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  try {
    await part.make(draft);
    writeFileSync(join(draft, '.stamp'), stamp);
    if (existsSync(part.folder)) renameSync(part.folder, old);
    renameSync(draft, part.folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

/**
 * A running server loads some of its files late, by names that change with their content. Those of the build before this one
 * stay for it.
 */
function keepChunks(before, target) {
  const chunks = join(before, 'shared');
  if (!existsSync(chunks)) return;
  const list = join(before, '.kept');
  const older = existsSync(list) ? readFileSync(list, 'utf8').split('\n') : [];
  const kept = readdirSync(chunks, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !older.includes(entry.name))
    .map(({ name }) => name)
    .filter((name) => !existsSync(join(target, 'shared', name)));
  mkdirSync(join(target, 'shared'), { recursive: true });
  for (const name of kept) copyFileSync(join(chunks, name), join(target, 'shared', name));
  writeFileSync(join(target, '.kept'), kept.join('\n'));
}

function isFresh(part) {
  const path = join(part.folder, '.stamp');
  return existsSync(path) && readFileSync(path, 'utf8') === stampOf(part);
}

/** Changes with the name or content of any source file. */
function stampOf(part) {
  const hash = createHash('sha256');
  const settings = part.settings.map((name) => join(root, name)).filter(existsSync);
  for (const path of [...part.sources(), ...settings].sort()) {
    hash.update(relative(root, path)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

function filesUnder(folder) {
  const top = join(root, folder);
  if (!existsSync(top)) return [];
  return readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes(`${sep}node_modules`))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** One builder at a time; a lock whose owner has ended is taken over. */
async function takeTurn() {
  const lock = join(output, '.building');
  mkdirSync(output, { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (isAbandoned(lock)) rmSync(lock, { force: true });
      else await wait(100);
    }
  }
}

function isAbandoned(lock) {
  try {
    const owner = Number(readFileSync(lock, 'utf8'));
    // A lock that was just created and is not written yet counts as owned for a moment.
    if (!owner) return Date.now() - statSync(lock).mtimeMs > 5000;
    process.kill(owner, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Runs a program of a package. Its output is shown only if it fails. */
async function run(name, ...parameters) {
  const program = join(root, 'node_modules/.bin', name);
  if (!existsSync(program)) {
    throw new Error(`${name} is needed for building and is not installed: run "npm ci" with development packages`);
  }
  try {
    await promisify(execFile)(process.execPath, [program, ...parameters], { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  } catch (cause) {
    throw new Error(`${name} failed:\n${cause.stdout}${cause.stderr}`, { cause });
  }
}

// `node scripts/build.mjs [server] [client]` builds the named targets, or all.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await ensureBuilt(process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts));
}
