/**
 * `npm start`: builds what is not built or out of date, then is the server. The server runs in this very process, so
 * signals and exit codes need no forwarding.
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

// npm puts a shell between itself and us. A signal sent to npm alone ends that shell and never reaches us: then the change
// of our parent tells.
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
