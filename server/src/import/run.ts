import { GuardedFetch } from '../platform/outbound/guarded-fetch.js';
import { OutboundGuard } from '../platform/outbound/outbound-guard.js';
import type { Secrets } from '../shared/secrets.js';
import { foldedName } from '../shared/username.js';
import { compareChannels, type ChannelAddress } from './channels/compare-channels.js';
import { familyOf, type Family } from './family.js';
import { Findings } from './findings.js';
import type { MapContext, Mapped } from './map/mapped.js';
import { inspect, readContext, rowsOf } from './plan.js';
import { prove } from './proof.js';
import { replayCharges } from './replay.js';
import { Progress, type ProgressState } from './progress.js';
import { noSums, type ImportReport, type TableCounts } from './report.js';
import { BadRecord, Fields } from './source/fields.js';
import { digestOf, fingerprintOf, nameOf } from './source/address.js';
import { openSource } from './source/open-source.js';
import { openLiteLlm } from './source/litellm.js';
import { type SourceDatabase } from './source/source.js';
import { tableSpecs, type TableSpec } from './tables.js';
import { countLogs, moveHistory } from './history.js';
import type { ImportOptions } from './options.js';
import { clearRoot, finishSite, hasRootOfItsOwn, readRuns, SiteError, whyNotFresh } from './write/site.js';
import { TableWriter } from './write/table-writer.js';
import type { Target } from './write/target.js';
import { findVanished, removeVanished } from './write/vanished-rows.js';

export interface ImportHooks {
  onProgress(progress: ProgressState): void;
  readonly signal: AbortSignal;
}

/**
 * Reads the whole source and reports what a run would do. Writes nothing.
 * @param hasRoot whether this site has a root user, who stays root
 * @param target if given, the report names what the run would delete there
 * @throws SourceError, and SiteError if the source lacks the users of an earlier run
 */
export const dryRun = (
  options: ImportOptions,
  hasRoot: boolean,
  target?: Pick<Target, 'query'>,
): Promise<ImportReport> =>
  // A dry run stores no keys, so any text is sufficient.
  withSources(
    options,
    (digest) => digest.slice(0, keyLength),
    (sources) => preview(sources, options, hasRoot, target),
  );

async function preview(
  sources: Sources,
  options: ImportOptions,
  hasRoot: boolean,
  target?: Pick<Target, 'query'>,
): Promise<ImportReport> {
  const began = Date.now();
  const pass = await Pass.open(sources, options, hasRoot);
  await inspect(sources.source, pass.context);
  if (target) await findVanished(target, sources.source, runOf(options), pass.context.findings);
  for (const spec of tableSpecs)
    await pass.table(spec, async (rows) => ({ ...none, moved: rows.filter(({ isGone }) => !isGone).length }));
  const channels = await addressesOf(sources.source, pass.context, options);
  const history = await countLogs(sources.source, sources.logSource, options.logs, options.now);
  const { prices, family } = pass.context;
  const replay = prices
    ? await replayCharges(sources.source, sources.logSource, {
        family,
        settings: prices.values,
        served: prices.served,
        decisions: options.decisions,
      })
    : null;
  return pass.report(options, { isDryRun: true, began, history, channels, replay, proof: null });
}

/**
 * Imports the whole source. The run may be stopped or killed at any moment and started again. A run after a finished
 * one imports only what changed in the source since.
 * @returns the report; `isBlocked` if decisions are missing, and then nothing was written
 * @throws SourceError, SiteError
 */
export async function importSite(
  options: ImportOptions,
  target: Target,
  secrets: Secrets,
  hooks: ImportHooks,
): Promise<ImportReport> {
  const hasRoot = await hasRootOfItsOwn(target);
  const newKey = (digest: string): string => secrets.hash(`litellm:${digest}`).toString('hex').slice(0, keyLength);
  return withSources(options, newKey, async (sources) => {
    const expected = await preview(sources, options, hasRoot);
    if (expected.isBlocked) return expected;
    const progress = new Progress(expected.tables, (state) => hooks.onProgress(state));
    return move(sources, options, { target, secrets, hasRoot, progress, signal: hooks.signal });
  });
}

interface Destination {
  readonly target: Target;
  readonly secrets: Secrets;
  readonly hasRoot: boolean;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

async function move(
  sources: Sources,
  options: ImportOptions,
  { target, secrets, hasRoot, progress, signal }: Destination,
): Promise<ImportReport> {
  const began = Date.now();
  const { source, logSource, family } = sources;
  const run = runOf(options);
  await begin(target, run, family, options);
  const pass = await Pass.open(sources, options, hasRoot);
  await inspect(source, pass.context);
  const { users, findings } = pass.context;
  const changes = await clearRoot(target, lastOf(users.ids), {
    names: new Set([...users.names.values()].map(foldedName)),
    held: users.held,
  });
  for (const change of changes) findings.add('site-root', 'users', '', change);
  await removeVanished(target, source, run, findings);

  const writer = new TableWriter(target, secrets, run, findings);
  for (const spec of tableSpecs) {
    progress.begin(spec.source);
    await pass.table(spec, async (rows, found) => {
      signal.throwIfAborted();
      const counts = await writer.write(spec, rows);
      progress.advance(found);
      return counts;
    });
  }
  await finishSite(target, options.now);
  const stored = (await readRuns(target)).find((one) => one.source === run);
  if (!stored) throw new Error('The row of this run has disappeared.');
  const history = await moveHistory(target, source, logSource, {
    run: stored,
    family,
    options,
    findings,
    progress,
    signal,
  });
  progress.begin('proof');
  const proof = await prove(target, source, secrets, run, {
    sums: pass.sums,
    keys: pass.keys,
    logSource,
    family,
    served: pass.context.prices?.served ?? new Set(),
    decisions: options.decisions,
  });
  const report = pass.report(options, { isDryRun: false, began, history, channels: [], replay: null, proof });
  await target.query('UPDATE import_runs SET finished_at = now(), report = $2 WHERE source = $1', [
    run,
    JSON.stringify(report),
  ]);
  return report;
}

interface Sources {
  readonly source: SourceDatabase;
  /** The source of the log. It is the main source unless the log has a database of its own. */
  readonly logSource: SourceDatabase;
  readonly family: Family;
}

/** Length of a new API key in characters. */
const keyLength = 48;

async function withSources<Result>(
  options: ImportOptions,
  newKey: (digest: string) => string,
  use: (sources: Sources) => Promise<Result>,
): Promise<Result> {
  const source = await open(options, newKey);
  try {
    const family = familyOf(source);
    const logSource = options.logSource ? await openSource(options.logSource, guardOf(options)) : source;
    try {
      return await use({ source, logSource, family });
    } finally {
      if (logSource !== source) await logSource.close();
    }
  } finally {
    await source.close();
  }
}

async function addressesOf(
  source: SourceDatabase,
  context: MapContext,
  { probe, outboundAllow }: ImportOptions,
): Promise<ChannelAddress[]> {
  const http = probe ? new GuardedFetch(new OutboundGuard(outboundAllow)) : null;
  try {
    return await compareChannels(source, context, http);
  } finally {
    await http?.close();
  }
}

const guardOf = ({ outboundAllow }: ImportOptions): OutboundGuard | null =>
  outboundAllow ? new OutboundGuard(outboundAllow) : null;

async function open(options: ImportOptions, newKey: (digest: string) => string): Promise<SourceDatabase> {
  const { source, keysSource, environment = {} } = options;
  const guard = guardOf(options);
  if (source.engine !== 'sqlite' || !/\.ya?ml$/i.test(source.path)) return openSource(source, guard);
  const keys = keysSource ? await openSource(keysSource, guard) : null;
  try {
    return await openLiteLlm({ path: source.path, environment, keys, newKey });
  } catch (error) {
    await keys?.close();
    throw error;
  }
}

/** Returns the id of a run. Runs of the same source continue each other. */
const runOf = ({ name, source }: ImportOptions): string =>
  name === undefined ? fingerprintOf(source) : digestOf(name);

/** Begins a run, which needs a fresh site, or continues one. */
async function begin(target: Target, run: string, family: Family, options: ImportOptions): Promise<void> {
  const runs = await readRuns(target);
  const other = runs.find(({ source }) => source !== run);
  if (other) throw new SiteError(`This site was imported from ${other.name}. A second source cannot be added.`);
  if (runs.length === 0) {
    const reason = await whyNotFresh(target);
    if (reason !== null) throw new SiteError(reason);
  }
  await target.query(
    `INSERT INTO import_runs (source, name, family, started_by) VALUES ($1, $2, $3, $4)
     ON CONFLICT (source) DO UPDATE SET finished_at = NULL, started_by = excluded.started_by`,
    [run, options.name ?? nameOf(options.source), family, options.startedBy],
  );
}

interface Counts {
  readonly moved: number;
  readonly changed: number;
  readonly same: number;
}

const none: Counts = { moved: 0, changed: 0, same: 0 };

/** One pass over the source: maps every row, and collects the counts and sums of the report. */
class Pass {
  readonly sums = noSums();
  /** API keys that are imported. */
  keys = 0;
  private readonly tables: TableCounts[] = [];
  private readonly byStatus: Record<string, number> = {};
  private readonly byRole: Record<string, number> = {};

  private constructor(
    private readonly source: SourceDatabase,
    readonly context: MapContext,
    private readonly version: string,
  ) {}

  static async open({ source, logSource, family }: Sources, options: ImportOptions, hasRoot: boolean): Promise<Pass> {
    const findings = new Findings();
    const logNotes = logSource === source ? [] : (logSource.notes ?? []);
    for (const { code, table, id, detail } of logNotes) findings.add(code, table, id, detail);
    if (!logSource.columns.has('logs') && family !== 'litellm') findings.add('table-missing', 'logs', '');
    const context = await readContext(source, family, findings, options.decisions, { hasRoot, now: options.now });
    let version = '';
    for await (const page of rowsOf(source, 'setups')) version = page[0]?.text('version') ?? version;
    return new Pass(source, context, version);
  }

  /**
   * Maps a table.
   * @param write stores the rows of one page; `found` is the number of source rows
   */
  async table(spec: TableSpec, write: (rows: Mapped[], found: number) => Promise<Counts>): Promise<void> {
    if (!this.source.columns.has(spec.source)) return;
    const mapper = spec.mapper();
    const total = { table: spec.source, found: 0, moved: 0, changed: 0, same: 0, leftOut: 0 };
    const added = (spec.added?.(this.context) ?? []).map((row) => new Fields(row));
    const read = new Set(spec.ignored);
    const unread = new Map<string, number>();
    for await (const page of withFirst(added, rowsOf(this.source, spec.source))) {
      const tracked = page.map((row) => row.tracked(read));
      const rows = tracked.flatMap((row) => this.map(spec, () => mapper(row, this.context), row));
      for (const name of tracked.flatMap((row) => row.unread())) unread.set(name, (unread.get(name) ?? 0) + 1);
      const { moved, changed, same } = await write(rows, page.length);
      total.found += page.length;
      total.moved += moved;
      total.changed += changed;
      total.same += same;
      total.leftOut += Math.max(0, page.length - moved - changed - same);
      for (const row of rows) this.add(spec, row);
    }
    for (const [name, count] of unread) {
      if (!read.has(name)) this.context.findings.add('column-left-out', spec.source, name, `${count} rows`);
    }
    this.tables.push(total);
  }

  private map(spec: TableSpec, mapper: () => Mapped[], row: Fields): Mapped[] {
    try {
      return mapper();
    } catch (error) {
      if (!(error instanceof BadRecord)) throw error;
      this.context.findings.add('record-refused', spec.source, row.text('id') || row.text('key'), error.message);
      return [];
    }
  }

  private add({ source }: TableSpec, { values, amounts = {} }: Mapped): void {
    const { sums } = this;
    if (source === 'users') {
      sums.userQuota += amounts['quota'] ?? 0;
      sums.userUsedQuota += amounts['used_quota'] ?? 0;
      sums.userRequests += amounts['request_count'] ?? 0;
      sums.affiliateQuota += amounts['aff_quota'] ?? 0;
      increment(this.byStatus, values['deleted_at'] === null ? String(values['status']) : 'deleted');
      increment(this.byRole, String(values['role']));
    } else if (source === 'tokens') {
      this.keys++;
      sums.tokenRemainQuota += amounts['remain_quota'] ?? 0;
      sums.tokenUsedQuota += amounts['used_quota'] ?? 0;
    } else if (source === 'channels') sums.channelUsedQuota += amounts['used_quota'] ?? 0;
  }

  report(
    options: ImportOptions,
    end: Pick<ImportReport, 'isDryRun' | 'proof' | 'replay' | 'channels'> & {
      readonly began: number;
      readonly history: readonly TableCounts[];
    },
  ): ImportReport {
    const findings = this.context.findings.list();
    return {
      source: {
        name: options.name ?? nameOf(options.source),
        family: this.context.family,
        engine: this.source.engine,
        version: this.version,
      },
      isDryRun: end.isDryRun,
      isBlocked: findings.some(({ severity }) => severity === 'blocking'),
      startedAt: new Date(end.began).toISOString(),
      seconds: Math.round((Date.now() - end.began) / 100) / 10,
      lastUserId: lastOf(this.context.users.ids),
      tables: [...this.tables, ...end.history],
      sums: this.sums,
      usersByStatus: this.byStatus,
      usersByRole: this.byRole,
      findings,
      channels: end.channels,
      replay: end.replay,
      proof: end.proof,
    };
  }
}

/** Returns the last id. The ids are read in their order. */
const lastOf = (ids: ReadonlySet<number>): number => Math.max(0, [...ids].at(-1) ?? 0);

async function* withFirst(first: Fields[], pages: AsyncIterable<Fields[]>): AsyncGenerator<Fields[]> {
  if (first.length > 0) yield first;
  yield* pages;
}

const increment = (counts: Record<string, number>, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};
