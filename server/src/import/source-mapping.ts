import { Findings } from './findings.js';
import type { MapContext, Mapped } from './map/mapped.js';
import type { ImportOptions } from './options.js';
import { readContext } from './plan.js';
import { rowsOf } from './source-rows.js';
import { noSums, type ImportReport, type TableCounts } from './report.js';
import { nameOf } from './source/address.js';
import { BadRecord, Fields } from './source/fields.js';
import type { SourceDatabase } from './source/source.js';
import type { Sources } from './sources.js';
import type { TableSpec } from './tables.js';

interface Counts {
  readonly moved: number;
  readonly changed: number;
  readonly same: number;
}

export const noCounts: Counts = { moved: 0, changed: 0, same: 0 };

/** Maps every row of the source once, and collects the counts and sums of the report. */
export class SourceMapping {
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

  static async open(
    { source, logSource, family }: Sources,
    options: ImportOptions,
    hasRoot: boolean,
  ): Promise<SourceMapping> {
    const findings = new Findings();
    const logNotes = logSource === source ? [] : (logSource.notes ?? []);
    for (const { code, table, id, detail } of logNotes) findings.add(code, table, id, detail);
    if (!logSource.columns.has('logs') && family !== 'litellm') findings.add('table-missing', 'logs', '');
    const context = await readContext(source, family, findings, options.decisions, { hasRoot, now: options.now });
    let version = '';
    for await (const page of rowsOf(source, 'setups')) version = page[0]?.text('version') ?? version;
    return new SourceMapping(source, context, version);
  }

  /** The last id of a user; 0 without users. The ids are read in their order. */
  get lastUserId(): number {
    return Math.max(0, [...this.context.users.ids].at(-1) ?? 0);
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
      const rows = page.flatMap((fields) => {
        const row = fields.tracked(read);
        const mapped = this.map(spec, () => mapper(row, this.context), row);
        // A row that is left out whole is a finding of its own.
        if (mapped.length > 0) for (const name of row.unread()) unread.set(name, (unread.get(name) ?? 0) + 1);
        return mapped;
      });
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

  private add({ source }: TableSpec, { values, amounts = {}, alongside }: Mapped): void {
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
    else if (source === 'user_subscriptions' && alongside) {
      sums.planQuota += Math.max(0, Number(alongside['amount']) - Number(alongside['used']));
    }
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
      lastUserId: this.lastUserId,
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

async function* withFirst(first: Fields[], pages: AsyncIterable<Fields[]>): AsyncGenerator<Fields[]> {
  if (first.length > 0) yield first;
  yield* pages;
}

const increment = (counts: Record<string, number>, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};
