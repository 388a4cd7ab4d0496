import type { Findings } from './findings.js';
import type { Family } from './family.js';
import { rowsOf } from './source-rows.js';
import type { Progress } from './progress.js';
import type { TableCounts } from './report.js';
import type { SourceDatabase } from './source/source.js';
import type { LogChoice, ImportOptions } from './options.js';
import { moveLogs, noLogCounts, type LogCounts } from './write/log-writer.js';
import { moveQuotaData } from './write/quota-data.js';
import type { StoredRun } from './write/site.js';
import type { Target } from './write/target.js';

const forever = Number.MAX_SAFE_INTEGER;

/** Returns the Unix seconds from which log rows are imported; `forever` if none are. */
const sinceOf = (choice: LogChoice, now: number): number =>
  choice === 'all' ? 0 : choice === 'none' ? forever : now - choice.days * 86_400;

/** Counts the rows that a run would import. */
export async function countLogs(
  source: SourceDatabase,
  logSource: SourceDatabase,
  choice: LogChoice,
  now: number,
): Promise<TableCounts[]> {
  const since = sinceOf(choice, now);
  const counted: TableCounts[] = [];
  if (logSource.columns.has('logs')) {
    const found = await countRows(logSource, 'logs', '');
    const moved = since === forever ? 0 : await countRows(logSource, 'logs', `created_at >= ${since}`);
    counted.push({ table: 'logs', found, moved, changed: 0, same: 0, leftOut: found - moved });
  }
  if (source.columns.has('quota_data')) {
    const until = await firstHour(logSource, since);
    const found = await countRows(source, 'quota_data', '');
    const moved = await countRows(source, 'quota_data', `created_at + 3600 <= ${until}`);
    counted.push({ table: 'quota_data', found, moved, changed: 0, same: 0, leftOut: found - moved });
  }
  return counted;
}

const countRows = async (source: SourceDatabase, table: string, where: string): Promise<number> =>
  Number((await source.one(table, 'COUNT(*) AS n', where))['n'] ?? 0);

/**
 * Returns the hour of the first log row that is imported. Usage before it is only in the hourly usage of the source.
 */
async function firstHour(logSource: SourceDatabase, since: number): Promise<number> {
  if (since === forever || !logSource.columns.has('logs')) return forever;
  const { first } = await logSource.one(
    'logs',
    'MIN(created_at) AS first',
    `type = 2 AND created_at >= ${Math.max(1, since)}`,
  );
  return first === null || first === undefined ? forever : Number(first) - (Number(first) % 3600);
}

export interface HistoryMove {
  readonly run: StoredRun;
  readonly family: Family;
  readonly options: ImportOptions;
  readonly findings: Findings;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Imports the log, and the hourly usage before the log. */
export async function moveHistory(
  target: Target,
  source: SourceDatabase,
  logSource: SourceDatabase,
  { run, family, options, findings, progress, signal }: HistoryMove,
): Promise<TableCounts[]> {
  const { since, until } = await window(target, logSource, run, options);
  const moved: TableCounts[] = [];
  progress.begin('quota_data');
  if (source.columns.has('quota_data')) {
    let [found, changed] = [0, 0];
    for await (const page of rowsOf(source, 'quota_data')) {
      signal.throwIfAborted();
      found += page.length;
      changed += await moveQuotaData(target, run.source, page, { until, findings });
      progress.advance(page.length);
    }
    const due = await countRows(source, 'quota_data', `created_at + 3600 <= ${until}`);
    moved.push({ table: 'quota_data', found, moved: changed, changed: 0, same: due - changed, leftOut: found - due });
    findings.count('usage-hour', 'quota_data', due);
  }
  progress.begin('logs');
  if (!logSource.columns.has('logs')) return moved;
  const before: LogCounts = { ...noLogCounts(), ...run.logCounts };
  const found = await countRows(logSource, 'logs', '');
  progress.skip(before.moved);
  const counts =
    since === forever
      ? before
      : await moveLogs(target, logSource, {
          run: run.source,
          family,
          withContent: options.decisions.withContent,
          since,
          cursor: run.logCursor,
          counts: before,
          findings,
          now: options.now,
          signal,
          onBatch: (rows) => progress.advance(rows),
        });
  findings.count('log-type', 'logs', counts.retyped);
  findings.count('log-content', 'logs', counts.stripped);
  findings.count('log-cut', 'logs', counts.cut);
  const same = before.moved;
  moved.push({ table: 'logs', found, moved: counts.moved - same, changed: 0, same, leftOut: found - counts.moved });
  return moved;
}

/** The first run decides which hours come from the log and which from hourly usage. Later runs keep that decision. */
async function window(
  target: Target,
  logSource: SourceDatabase,
  run: StoredRun,
  { logs, now }: ImportOptions,
): Promise<{ since: number; until: number }> {
  if (run.usageUntil > 0) return { since: run.logsSince, until: run.usageUntil };
  const since = sinceOf(logs, now);
  const until = await firstHour(logSource, since);
  await target.query('UPDATE import_runs SET logs_since = $2, usage_until = $3 WHERE source = $1', [
    run.source,
    since,
    until,
  ]);
  return { since, until };
}
