/**
 * `node scripts/with-build.mjs <file> [parameters]`: builds the server if necessary, then runs the file in this
 * process.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, root } from './build.mjs';

const [file, ...parameters] = process.argv.slice(2);
if (!file) {
  console.error('usage: node scripts/with-build.mjs <file> [parameters]');
  process.exit(2);
}
try {
  await ensureBuilt(['server'], (line) => console.error(line));
} catch (error) {
  console.error(`tollgate: ${error.message}`);
  process.exit(1);
}

const path = resolve(root, file);
process.argv = [process.execPath, path, ...parameters];
process.setSourceMapsEnabled(true);
await import(pathToFileURL(path).href);
