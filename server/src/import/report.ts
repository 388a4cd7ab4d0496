import { exitCode, type ExitCode } from '../platform/db/command.js';
import type { ChannelAddress } from './channels/compare-channels.js';
import { findingLists, type Finding } from './findings.js';
import type { Replay } from './replay.js';

/** Sums of quota that must be equal in the source and here. */
export interface Sums {
  readonly userQuota: number;
  readonly userUsedQuota: number;
  readonly userRequests: number;
  readonly affiliateQuota: number;
  readonly tokenRemainQuota: number;
  readonly tokenUsedQuota: number;
  readonly channelUsedQuota: number;
  /** The rest of the open windows of running subscriptions. */
  readonly planQuota: number;
}

export const noSums = (): { -readonly [Key in keyof Sums]: Sums[Key] } => ({
  userQuota: 0,
  userUsedQuota: 0,
  userRequests: 0,
  affiliateQuota: 0,
  tokenRemainQuota: 0,
  tokenUsedQuota: 0,
  channelUsedQuota: 0,
  planQuota: 0,
});

export interface TableCounts {
  readonly table: string;
  /** Number of rows in the source. */
  readonly found: number;
  /** Number of rows that a run imports, or that this run has imported. */
  readonly moved: number;
  /** Number of rows that an earlier run has imported and that have changed in the source since. */
  readonly changed: number;
  /** Number of rows that an earlier run has imported and that are unchanged. */
  readonly same: number;
  /** Number of rows that the findings name. */
  readonly leftOut: number;
}

/** Evidence that a run is complete. */
export interface Proof {
  /** Sums of imported rows, on this site. */
  readonly sums: Sums;
  readonly sumsAreEqual: boolean;
  /** API keys of the source that are found here by their digest. */
  readonly keysFound: number;
  readonly keysExpected: number;
  /** Inconsistent accounts that `npm run reconcile` would name. */
  readonly drifts: ReadonlyArray<{
    readonly account: string;
    readonly id: string;
    readonly expected: number;
    readonly found: number;
  }>;
  readonly replay: Replay;
}

/** Everything a run has to report. The JSON form is stable. */
export interface ImportReport {
  readonly source: {
    readonly name: string;
    readonly family: string;
    readonly engine: string;
    readonly version: string;
  };
  readonly isDryRun: boolean;
  /** Findings of severity `blocking`: the run did not begin. */
  readonly isBlocked: boolean;
  readonly startedAt: string;
  readonly seconds: number;
  /** Largest id of a user of the source; 0 without users. */
  readonly lastUserId: number;
  readonly tables: readonly TableCounts[];
  /** Sums of the rows of the source that are imported. */
  readonly sums: Sums;
  readonly usersByStatus: Readonly<Record<string, number>>;
  readonly usersByRole: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
  /** The URLs to which channels send a chat call; empty after an import. */
  readonly channels: readonly ChannelAddress[];
  /** Log rows charged with the prices that the import would store. Null after an import, because its proof has them. */
  readonly replay: Replay | null;
  /** The proof of an import; null for a dry run. */
  readonly proof: Proof | null;
}

const shown = 10;

/** Returns the report as text for a terminal. */
export function reportText(report: ImportReport): string {
  const { source, tables, sums, proof, findings } = report;
  const width = Math.max(...tables.map(({ table }) => table.length), 5);
  const numbers = (row: readonly (string | number)[]): string => row.map((cell) => String(cell).padStart(11)).join('');
  const lines = [
    `${report.isDryRun ? 'Dry run: nothing was written.' : 'Imported.'} Source: ${source.family}${source.version ? ` ${source.version}` : ''}, ${source.engine}, ${source.name}`,
    '',
    `${'table'.padEnd(width)}${numbers(['found', report.isDryRun ? 'to import' : 'imported', 'changed', 'same', 'left out'])}`,
    ...tables.map(
      (row) => `${row.table.padEnd(width)}${numbers([row.found, row.moved, row.changed, row.same, row.leftOut])}`,
    ),
    '',
    `Balances of users: ${sums.userQuota}; of API keys: ${sums.tokenRemainQuota}; invite earnings: ${sums.affiliateQuota}; left of subscriptions: ${sums.planQuota}`,
    `Used by users: ${sums.userUsedQuota} in ${sums.userRequests} calls; by API keys: ${sums.tokenUsedQuota}; by channels: ${sums.channelUsedQuota}`,
    `Users by role: ${pairs(report.usersByRole)}; by status: ${pairs(report.usersByStatus)}`,
  ];
  for (const list of findingLists) {
    const some = findings.filter((finding) => finding.list === list);
    if (some.length > 0) lines.push('', `== ${listTitles[list]} ==`, ...some.flatMap(findingLines));
  }
  const rest = findings.filter(({ list }) => list === null);
  if (rest.length > 0) lines.push('', '== Everything else ==', ...rest.flatMap(findingLines));
  if (report.channels.length > 0) lines.push('', ...channelLines(report.channels));
  if (report.replay) lines.push('', ...replayLines(report.replay));
  if (proof) lines.push('', ...proofLines(proof));
  if (report.isBlocked) lines.push('', 'The import did not begin: decide on the findings marked BLOCKING.');
  return lines.join('\n');
}

function proofLines({ sumsAreEqual, keysFound, keysExpected, drifts, replay }: Proof): string[] {
  return [
    sumsAreEqual ? 'Balances and counters are equal to the unit.' : 'BALANCES OR COUNTERS DIFFER from the source.',
    `${keysFound} of ${keysExpected} API keys are found by their digest.`,
    ...replayLines(replay),
    drifts.length === 0 ? 'The ledger is consistent.' : `${drifts.length} accounts are inconsistent.`,
    ...drifts
      .slice(0, shown)
      .map(({ account, id, expected, found }) => `  ${account} ${id}: expected ${expected}, found ${found}`),
  ];
}

function findingLines({ severity, text, count, examples }: Finding): string[] {
  return [
    '',
    `${severity.toUpperCase()}: ${text} (${count})`,
    ...examples.slice(0, shown).map(({ table, id, detail }) => `  ${table} ${id}${detail ? `: ${detail}` : ''}`),
    ...(examples.length > shown ? [`  … and ${count - shown} more; --report writes all`] : []),
  ];
}

/** Returns both URLs of each channel, one below the other. */
function channelLines(channels: readonly ChannelAddress[]): string[] {
  return [
    'Chat calls of each channel, there and here:',
    ...channels.flatMap(({ id, name, model, there, here, probe }) => [
      `  channel ${id} ${name} (${model})${probe === null ? '' : `, test call: ${probe}`}`,
      `    there ${there ?? 'not in this form'}`,
      `    here  ${here ?? 'not in this form'}`,
    ]),
  ];
}

function replayLines({ rows, equal, unknown, older, different }: Replay): string[] {
  const compared = rows - unknown - older;
  const cells = (row: readonly (string | number)[]): string => row.map((cell) => String(cell).padStart(13)).join('');
  return [
    `${equal} of ${compared} charges of the newest log rows come out the same at the prices of this site, to one unit; ${older} rows are from before a change of prices, ${unknown} cannot be compared.`,
    ...(different.length > 0 ? [`  ${cells(['there', 'here', 'calls', 'USD a month'])}  model (group)`] : []),
    ...different.map(
      ({ model, group, there, here, calls, perMonth, isAccepted }) =>
        `  ${cells([there, here ?? 'refused', calls, perMonth])}  ${model} (${group})${isAccepted ? ', accepted' : ''}`,
    ),
  ];
}

const listTitles = {
  'refused here': 'Will be refused here',
  'costs differently': 'Will cost differently',
  'left out': 'Left out',
} as const;

const pairs = (table: Readonly<Record<string, number>>): string =>
  Object.entries(table)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ');

/**
 * Whether a finished run is proven: the sums are equal, every key is found, the ledger is consistent, and no charge
 * differs unless it was accepted.
 */
export const isProven = ({ proof }: ImportReport): boolean =>
  proof !== null &&
  proof.sumsAreEqual &&
  proof.keysFound === proof.keysExpected &&
  proof.drifts.length === 0 &&
  proof.replay.different.every(({ isAccepted }) => isAccepted);

/** The code with which the command ends: decisions are missing, the proof has failed, or neither. */
export function exitCodeOf(report: ImportReport): ExitCode {
  if (report.isBlocked) return exitCode.attention;
  return report.isDryRun || isProven(report) ? exitCode.ok : exitCode.differs;
}
