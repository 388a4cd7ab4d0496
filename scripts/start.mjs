/**
 * `npm start`: builds what is missing or outdated, then runs the server in this process, so that signals and exit codes
 * need no forwarding.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, isAvailable, root } from './build.mjs';

try {
  await ensureBuilt(['server', 'client']);
} catch (error) {
  console.error(`tollgate: ${error.message}`);
  process.exit(1);
}
if (!isAvailable('client')) console.log('There is no console to build: starting the server alone.');

// npm runs a shell in between. A signal sent to npm alone ends that shell and never reaches this process, whose parent
// then changes.
if (process.env.npm_lifecycle_event === 'start') {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  watch.unref();
}

process.setSourceMapsEnabled(true);
await import(pathToFileURL(join(root, 'dist/server/main.js')).href);
