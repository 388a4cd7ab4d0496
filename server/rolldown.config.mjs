import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';

const root = join(import.meta.dirname, '..');
const sources = join(import.meta.dirname, 'src');

/** The server, the programs beside it, and the list that tests add a migration to. Each is built under its own path. */
const entry = /^main\.ts$|\.main\.ts$|^platform\/db\/migrations\/all\.ts$/;

/**
 * Packages that load a binary or a file of their own at run time, one that TypeORM loads by its name and that should be there
 * once, and optional ones.
 */
const unbundled = [
  /^@node-rs\/argon2$/,
  /^bcrypt$/,
  /^mysql2(\/|$)/,
  /^node-sqlite3-wasm$/,
  /^pg$/,
  /^class-validator$/,
];

/** TypeORM loads its drivers of all databases. Only the one of Postgres is ever used. */
const otherDrivers = /typeorm[\\/]driver[\\/](?!postgres[\\/]|types[\\/])[^\\/]+[\\/][^\\/]+\.js$/;
const leaveOutDrivers = {
  name: 'leave out drivers of other databases',
  load: { filter: { id: otherDrivers }, handler: () => 'module.exports = {};' },
};

/**
 * Builds the server and the packages it uses into few files: Node needs 0.9 s of CPU to load these, and 2.9 s for the 3,000
 * files they are made of.
 * @type {import('rolldown').RolldownOptions}
 */
export default {
  cwd: root,
  input: Object.fromEntries(
    readdirSync(sources, { recursive: true })
      .map((path) => path.replaceAll(sep, '/'))
      .filter((path) => entry.test(path))
      .map((path) => [path.replace(/\.ts$/, ''), join(sources, path)]),
  ),
  platform: 'node',
  plugins: [leaveOutDrivers],
  tsconfig: join(import.meta.dirname, 'tsconfig.json'),
  external: unbundled,
  // CommonJS packages that mention these become ES modules.
  transform: { define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' } },
  output: {
    dir: join(root, 'dist/server'),
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name]-[hash].js',
    sourcemap: true,
    // Node reads whole maps at the start, and needs names and lines only.
    sourcemapExcludeSources: true,
    // GraphQL types and errors are named by their class, also when two files use the same name.
    keepNames: true,
  },
};
