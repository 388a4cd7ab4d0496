import { GuardedFetch } from '../platform/outbound/guarded-fetch.js';
import { OutboundGuard } from '../platform/outbound/outbound-guard.js';
import type { Secrets } from '../shared/secrets.js';
import { foldedName } from '../shared/username.js';
import { compareChannels, type ChannelAddress } from './channels/compare-channels.js';
import type { Family } from './family.js';
import type { MapContext } from './map/mapped.js';
import { inspect, pricesToStore } from './plan.js';
import { prove } from './proof.js';
import { replayCharges } from './replay.js';
import { Progress, type ProgressState } from './progress.js';
import type { ImportReport } from './report.js';
import { digestOf, fingerprintOf, nameOf } from './source/address.js';
import type { SourceDatabase } from './source/source.js';
import { noCounts, SourceMapping } from './source-mapping.js';
import { withSources, type Sources } from './sources.js';
import { tableSpecs } from './tables.js';
import { countLogs, moveHistory } from './history.js';
import type { ImportOptions } from './options.js';
import { clearRoot, finishSite, hasRootOfItsOwn, readRuns, SiteError, whyNotFresh } from './write/site.js';
import { TableWriter } from './write/table-writer.js';
import type { Target } from './write/target.js';
import { findVanished, removeVanished } from './write/vanished-rows.js';

/** Length of a new API key in characters. */
const keyLength = 48;

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
  const mapping = await SourceMapping.open(sources, options, hasRoot);
  await inspect(sources.source, mapping.context);
  if (target) await findVanished(target, sources.source, runOf(options), mapping.context.findings);
  for (const spec of tableSpecs)
    await mapping.table(spec, async (rows) => ({ ...noCounts, moved: rows.filter(({ isGone }) => !isGone).length }));
  const channels = await addressesOf(sources.source, mapping.context, options);
  const history = await countLogs(sources.source, sources.logSource, options.logs, options.now);
  const replay = await replayCharges(sources.source, sources.logSource, {
    ...(await pricesToStore(sources.source, mapping.context)),
    family: mapping.context.family,
    decisions: options.decisions,
  });
  return mapping.report(options, { isDryRun: true, began, history, channels, replay, proof: null });
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
  const mapping = await SourceMapping.open(sources, options, hasRoot);
  await inspect(source, mapping.context);
  const { users, findings } = mapping.context;
  const changes = await clearRoot(target, mapping.lastUserId, {
    names: new Set([...users.names.values()].map(foldedName)),
    held: users.held,
  });
  for (const change of changes) findings.add('site-root', 'users', '', change);
  await removeVanished(target, source, run, findings);

  const writer = new TableWriter(target, secrets, run, findings);
  for (const spec of tableSpecs) {
    progress.begin(spec.source);
    await mapping.table(spec, async (rows, found) => {
      signal.throwIfAborted();
      const counts = await writer.write(spec, rows);
      progress.advance(found);
      return counts;
    });
    if (spec.needless) await writer.write(spec, spec.needless(mapping.context));
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
  const { served, aliases } = await pricesToStore(source, mapping.context);
  const proof = await prove(target, source, secrets, run, {
    sums: mapping.sums,
    keys: mapping.keys,
    logSource,
    family,
    served,
    aliases,
    decisions: options.decisions,
  });
  const report = mapping.report(options, { isDryRun: false, began, history, channels: [], replay: null, proof });
  await target.query('UPDATE import_runs SET finished_at = now(), report = $2 WHERE source = $1', [
    run,
    JSON.stringify(report),
  ]);
  return report;
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
