import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// `npm run lock` writes into the lock file where each package lies in a registry. Without these addresses `npm ci` reads the list
// of all versions of each package, which takes twice the CPU. The host is one that exists nowhere: `replace-registry-host=always`
// in .npmrc makes npm ask the registry that is configured. `npm install` removes the addresses, so this runs after it.

const host = 'https://registry.invalid';

/**
 * @param {string} text the lock file
 * @returns {string} the same with an address for each package from a registry
 */
export function withAddresses(text) {
  const lock = JSON.parse(text);
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!path.includes('node_modules/') || entry.link || entry.inBundle) continue;
    const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const resolved = `${host}/${name}/-/${name.split('/').pop()}-${entry.version}.tgz`;
    const first = { name: entry.name, version: entry.version, resolved };
    lock.packages[path] = { ...first, ...entry, ...first };
  }
  return `${JSON.stringify(lock, null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = join(import.meta.dirname, '../package-lock.json');
  writeFileSync(path, withAddresses(readFileSync(path, 'utf8')));
}
