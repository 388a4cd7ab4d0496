import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const configFile = fileURLToPath(new URL('../../.swcrc', import.meta.url));
/** Kept between runs, as Jest's cache is. */
const cache = fileURLToPath(new URL('../../.cache/typescript', import.meta.url));
const config = readFile(configFile, 'utf8');
const { version } = createRequire(import.meta.url)('@swc/core/package.json');

/** Imports end in `.js` although the files end in `.ts`. */
export async function resolve(specifier, context, nextResolve) {
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.startsWith('file:')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return nextResolve(specifier, context);
}

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  const filename = fileURLToPath(url);
  const text = await readFile(filename, 'utf8');
  const digest = createHash('sha256').update([version, await config, filename, text].join('\0'));
  const path = join(cache, `${digest.digest('hex')}.mjs`);
  const source = (await readFile(path, 'utf8').catch(() => null)) ?? (await translate(filename, text, path));
  return { format: 'module', source, shortCircuit: true };
}

async function translate(filename, text, path) {
  // Loaded where it is needed: that takes longer than reading all files of a program.
  const { transform } = await import('@swc/core');
  const { code } = await transform(text, { filename, configFile, sourceMaps: 'inline' });
  // Written under another name first, because several processes may do so at once.
  const draft = `${path}.${randomUUID()}`;
  await mkdir(cache, { recursive: true });
  await writeFile(draft, code);
  await rename(draft, path);
  return code;
}
