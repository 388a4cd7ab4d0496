import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { entities } from '../compose/entities.js';
import { parseConfig } from '../platform/config.js';
import { exitCode, runCommand, type ExitCode } from '../platform/db/command.js';
import { createDataSource } from '../platform/db/data-source.js';
import { joinEmbeddedPostgres } from '../platform/db/embedded/embedded-postgres.js';
import { checkEncryptionKey } from '../platform/db/encryption-key.js';
import { migrate } from '../platform/db/migrate.js';
import { createLogger, type Logger } from '../platform/observability/logger.js';
import { seconds, systemClock } from '../shared/clock.js';
import { Secrets } from '../shared/secrets.js';
import { planChoices } from '../import/map/mapped.js';
import { parseLogChoice, type ImportOptions } from '../import/options.js';
import { exitCodeOf, reportText, type ImportReport } from '../import/report.js';
import { dryRun, importSite } from '../import/run.js';
import type { ProgressState } from '../import/progress.js';
import { parseAddress } from '../import/source/address.js';
import { openTarget } from '../import/write/target.js';

const usage = `usage: npm run import -- <SQLite file | MySQL DSN or URL | Postgres URL> [--log-database <the same>]
    [--dry-run [--probe]] [--logs all|30d|none] [--report file.json] [--drop-two-factor] [--accept NAME]…
    [--accept-price-differences] [--plans move|balance|drop] [--with-content]
   npm run import -- <config.yaml of LiteLLM> [--keys-database <Postgres URL>] [the same]
Without a source, SQL_DSN, SQLITE_PATH and LOG_SQL_DSN of the old program are read.`;

/** `npm run import`: moves a site of one-api, new-api, Veloera or LiteLLM into the configured database. */
async function main(parameters: string[]): Promise<ExitCode> {
  const given = parseParameters(parameters);
  if (!given) {
    console.error(usage);
    return exitCode.usage;
  }
  const report = given.isDryRun ? await dryRun(given.options, false) : await run(given.options);
  console.log(reportText(report));
  if (given.reportPath) await writeFile(given.reportPath, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 });
  return exitCodeOf(report);
}

interface Given {
  readonly options: ImportOptions;
  readonly isDryRun: boolean;
  readonly reportPath: string | undefined;
}

const words = {
  help: { type: 'boolean', default: false },
  'log-database': { type: 'string' },
  'keys-database': { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  probe: { type: 'boolean', default: false },
  logs: { type: 'string', default: 'all' },
  report: { type: 'string' },
  'drop-two-factor': { type: 'boolean', default: false },
  accept: { type: 'string', multiple: true, default: [] as string[] },
  'accept-price-differences': { type: 'boolean', default: false },
  plans: { type: 'string', default: 'refuse' },
  'with-content': { type: 'boolean', default: false },
} as const;

/**
 * Reads the parameters.
 * @returns null for unknown parameters, which are named on standard error
 */
const readParameters = (args: string[]) => {
  try {
    return parseArgs({ args, allowPositionals: true, options: words });
  } catch (error) {
    console.error(`tollgate: ${error instanceof Error ? error.message.replace(/\. .*/s, '') : String(error)}`);
    return null;
  }
};

function parseParameters(parameters: string[]): Given | null {
  const parsed = readParameters(parameters);
  if (!parsed) return null;
  const { values, positionals } = parsed;
  const { SQL_DSN: dsn = '', SQLITE_PATH: file = '', LOG_SQL_DSN: logDsn = '' } = process.env;
  const named = dsn === '' || dsn.startsWith('local') ? file : dsn;
  const source = positionals[0] ?? named;
  const logs = parseLogChoice(values.logs);
  const plans = planChoices.find((one) => one === values.plans);
  if (values.help || positionals.length > 1 || source === '' || !logs || !plans) return null;
  const logSource = values['log-database'] ?? (positionals[0] === undefined ? logDsn : '');
  return {
    options: {
      source: parseAddress(source),
      // A site without a log database of its own has no log source. The source does not matter when no row is imported.
      logSource: logSource === '' || logs === 'none' ? null : parseAddress(logSource),
      keysSource: values['keys-database'] === undefined ? null : parseAddress(values['keys-database']),
      environment: process.env,
      logs,
      decisions: {
        dropTwoFactor: values['drop-two-factor'],
        accepted: values.accept,
        acceptPriceDifferences: values['accept-price-differences'],
        plans,
        withContent: values['with-content'],
      },
      probe: values.probe,
      startedBy: 0,
      now: seconds(systemClock),
    },
    isDryRun: values['dry-run'],
    reportPath: values.report,
  };
}

/** Opens the configured database, with or without a running server, at the newest schema. */
async function run(options: ImportOptions): Promise<ImportReport> {
  const config = parseConfig(process.env);
  const logger = createLogger('warn', { write: (line: string) => void process.stderr.write(line) });
  const embedded = config.databaseUrl ? undefined : await joinEmbeddedPostgres(config, logger);
  const url = config.databaseDirectUrl ?? config.databaseUrl ?? embedded?.url ?? '';
  const encryptionKey = config.encryptionKey ?? embedded?.secrets.encryptionKey ?? '';
  const stopped = new AbortController();
  const stop = (): void => stopped.abort(new Error('Stopped. Start the same command again to continue.'));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    await prepareSchema(url, encryptionKey, logger);
    const target = await openTarget(url);
    try {
      return await importSite(options, target, new Secrets(encryptionKey), {
        onProgress: printProgress(),
        signal: stopped.signal,
      });
    } finally {
      await target.close();
    }
  } finally {
    await embedded?.stop();
  }
}

async function prepareSchema(url: string, encryptionKey: string, logger: Logger): Promise<void> {
  const dataSource = await createDataSource(url, 2, entities, () => undefined).initialize();
  try {
    await migrate(dataSource, url, logger);
    await checkEncryptionKey(dataSource, encryptionKey);
  } finally {
    await dataSource.destroy();
  }
}

/** Prints a line per step, and one about every five seconds. */
function printProgress(): (state: ProgressState) => void {
  let [step, shownAt] = ['', 0];
  return (state) => {
    if (state.step === step && Date.now() - shownAt < 5000) return;
    [step, shownAt] = [state.step, Date.now()];
    const left = state.secondsLeft === null ? '' : `, about ${state.secondsLeft} s left`;
    console.error(`${state.step}: ${state.done} of ${state.total} rows${left}`);
  };
}

await runCommand(() => main(process.argv.slice(2)));
