import { copyFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { transformFile } from '@swc/core';
import { swcOptions } from './swc-options.mjs';

const root = join(import.meta.dirname, '../..');
const sources = join(root, 'server/src');
const output = join(root, 'node_modules/.cache/tollgate');
/**
 * Packages that tests and the server have to share: objects of one are compared with classes of the other, and Google's SDK
 * looks for the agent of `fetch`, which the server's HTTP client has set.
 */
const sharedPackages = ['@google/genai', 'graphql', 'pg', 'typeorm'];

/**
 * Compiles the changed sources of the server to CommonJS modules. Each test file would otherwise load the server and its packages
 * anew, which takes five seconds of CPU.
 */
export async function compileServer() {
  for (const name of sharedPackages) {
    const target = join(output, 'packages', `${name}.js`);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, `module.exports = require('${name}');`);
  }
  const names = await readdir(sources, { recursive: true });
  await Promise.all(names.filter((name) => /(?<!\.test)\.(ts|json)$/.test(name)).map(compile));
}

async function compile(name) {
  const source = join(sources, name);
  const target = join(output, 'server', name.replace(/\.ts$/, '.js'));
  if ((await changedAt(target)) > (await changedAt(source))) return;
  await mkdir(dirname(target), { recursive: true });
  if (name.endsWith('.json')) return copyFile(source, target);
  const { code } = await transformFile(source, { ...swcOptions({ tsx: false }), sourceMaps: 'inline' });
  await writeFile(target, code);
}

const changedAt = async (path) => (await stat(path).catch(() => null))?.mtimeMs ?? 0;
