import { createInterface } from 'node:readline';
import { Secrets } from '../shared/secrets.js';
import type { JobMessage, JobOrder } from './job-protocol.js';
import type { ProgressState } from './progress.js';
import type { ImportReport } from './report.js';
import { dryRun, importSite } from './run.js';
import { SourceError } from './source/source.js';
import { SiteError } from './write/site.js';
import { BusyError, openTarget } from './write/target.js';

const progressMilliseconds = 500;

/**
 * Runs an import that the console has started, in a process of its own, because reading SQLite blocks. A signal stops
 * it, and so does the end of its input, which is closed when the server dies.
 */
async function main(): Promise<void> {
  const stopped = new AbortController();
  const lines = createInterface({ input: process.stdin });
  const first = new Promise<string>((resolve) => lines.once('line', resolve));
  lines.once('close', () => stopped.abort());
  process.once('SIGTERM', () => stopped.abort());
  // Ctrl-C reaches the whole process group. The server decides whether this process stops.
  process.on('SIGINT', () => undefined);
  const order = JSON.parse(await first) as JobOrder;
  try {
    await send({ kind: 'report', report: await work(order, stopped.signal) });
  } catch (error) {
    await send(stopped.signal.aborted ? { kind: 'stopped' } : failureOf(error, order));
  }
  process.exit(0);
}

async function work(
  { databaseUrl, encryptionKey, isDryRun, options }: JobOrder,
  signal: AbortSignal,
): Promise<ImportReport> {
  const target = await openTarget(databaseUrl);
  try {
    // Only root starts an import in the console, so this site has a root user.
    if (isDryRun) return await dryRun(options, true, target);
    return await importSite(options, target, new Secrets(encryptionKey), { onProgress: sendSometimes(), signal });
  } finally {
    await target.close();
  }
}

/** Sends progress at every new step, and about twice a second. */
function sendSometimes(): (progress: ProgressState) => void {
  let [step, sentAt] = ['', 0];
  return (progress) => {
    if (progress.step === step && Date.now() - sentAt < progressMilliseconds) return;
    [step, sentAt] = [progress.step, Date.now()];
    void send({ kind: 'progress', progress });
  };
}

function failureOf(error: unknown, { options }: JobOrder): JobMessage {
  const text = error instanceof Error ? error.message : String(error);
  const { source, name } = options;
  // The user knows an uploaded file by its name. The path on the server is replaced by it.
  const message = source.engine === 'sqlite' && name !== undefined ? text.replaceAll(source.path, name) : text;
  const code =
    error instanceof SourceError
      ? 'SOURCE_REFUSED'
      : error instanceof SiteError
        ? 'SITE_REFUSED'
        : error instanceof BusyError
          ? 'BUSY'
          : 'FAILED';
  return { kind: 'failure', code, message };
}

/** Resolves when the line has left this process. */
const send = (message: JobMessage): Promise<void> =>
  new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify(message)}\n`, () => resolve());
  });

await main();
