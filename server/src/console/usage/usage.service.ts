import {
  holds,
  mayFor,
  requireAccount,
  requireConfirmed,
  requirePermission,
  type MaybeActor,
} from '../../shared/actor.js';
import { dateOf, seconds, type Clock } from '../../shared/clock.js';
import { csvHeader, csvLines } from '../../shared/csv.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { OptionValues } from '../../options/option.service.js';
import { ownTokenIds } from '../../billing/organisations/index.js';
import { readSnapshot, recentSeconds, type Queries, type Snapshots } from '../../billing/rollups/index.js';
import { placeOrder } from './usage-cursor.js';
import { assertLogRange, isFromLog, sourceOf } from './usage-log.js';
import { allColumns, ownColumns, type UsageColumns } from './usage-csv.js';
import { readRows, toRow, type UsagePage } from './usage-page.js';
import { assertReadable, readGroups, readTotal, type Position } from './usage-query.js';
import { type GroupRow } from './usage-statements.js';
import {
  assertOwn,
  assertQuestion,
  emptyQuestion,
  isByCost,
  ownFilter,
  type UsageFilter,
  type UsageQuery,
  type UsageQuestion,
  type WantedCounters,
  type WantedUsage,
} from './usage-question.js';
import {
  usageNames,
  UsageMetrics,
  type CounterRow,
  type UsageKey,
  type UsageName,
  type UsageRow,
} from './usage-row.js';
import { zero } from './usage-statements.js';
import { isApproximate, openPeriodOf, resolveComparison, resolveSpan, type Span } from './usage-time.js';

export interface UsageDeps {
  readonly database: Snapshots;
  readonly options: { readonly values: Pick<OptionValues, 'QuotaPerUnit'> };
  readonly clock: Clock;
}

/**
 * Rows of an export in its first statement and in each further one, and rows per piece of text. The first statement is
 * small, so that the first piece comes soon.
 */
const [rowsOfFirstRead, rowsPerRead, rowsPerPiece] = [100, 5000, 250];

/** Where names are read from: the id in a row, the table, and the name there (SQL). */
const nameSources: Readonly<
  Record<UsageName, { readonly id: keyof UsageKey; readonly from: string; readonly name: string }>
> = {
  username: { id: 'userId', from: 'users source', name: 'source.username' },
  tokenName: { id: 'tokenId', from: 'tokens source', name: 'source.name' },
  channelName: { id: 'channelId', from: 'channels source', name: 'source.name' },
  // Former members too. A person whose account was removed has no name.
  memberName: {
    id: 'memberId',
    from: 'memberships source JOIN users person ON person.id = source.user_id',
    name: 'person.username',
  },
  projectName: { id: 'projectId', from: 'projects source', name: 'source.name' },
};

/**
 * The usage engine: reads usage from the rollups and, where they are not up to date, from the tables that settlements
 * write. Exact, and consistent within one snapshot.
 */
export class UsageService {
  constructor(private readonly deps: UsageDeps) {}

  /**
   * Returns the usage of the whole site.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin; INVALID_INPUT
   */
  async list(actor: MaybeActor, question: UsageQuestion, wanted: WantedUsage): Promise<UsagePage> {
    requirePermission(actor, 'usage.read');
    return this.read(question, wanted);
  }

  /**
   * Returns the caller's own usage.
   * @throws AppError INSUFFICIENT_PRIVILEGES for dimensions, filters and costs of the site; INVALID_INPUT
   */
  async listOwn(actor: MaybeActor, question: UsageQuestion, wanted: WantedUsage): Promise<UsagePage> {
    const isAdmin = holds(actor, 'usage.read');
    const { cache } = wanted;
    assertOwn(question, { cost: (wanted.cost || isByCost(question)) && !isAdmin, cache: cache && !isAdmin });
    return this.read({ ...question, filter: await this.ownFilter(actor, question.filter) }, wanted);
  }

  /**
   * Reads totals over a range for several users, tokens or channels, in one statement, for relations.
   * @returns totals by id; ids without usage are absent
   */
  async sumsOf(
    actor: MaybeActor,
    dimension: 'USER' | 'TOKEN' | 'CHANNEL',
    ids: readonly number[],
    question: Pick<UsageQuestion, 'range' | 'timeZone'>,
    counters: WantedCounters,
  ): Promise<Map<number, UsageMetrics>> {
    const list = dimension === 'USER' ? 'userIds' : dimension === 'TOKEN' ? 'tokenIds' : 'channelIds';
    // Users and keys are read with their usage.
    const isAdmin = holds(actor, 'usage.read', 'users.read');
    if (dimension === 'CHANNEL' || counters.cost || counters.cache) requirePermission(actor, 'usage.read');
    const filter: UsageFilter = { [list]: ids };
    const asked = this.queryOf(
      {
        ...emptyQuestion,
        ...question,
        groupBy: [dimension],
        filter: isAdmin ? filter : await this.ownFilter(actor, filter),
      },
      counters,
    );
    const { rows } = await readSnapshot(this.deps.database, async (transaction, state) => {
      const query = isAdmin && dimension === 'TOKEN' && isFromLog(asked) ? await ofOwners(transaction, asked) : asked;
      await assertReadable(transaction, query, state);
      return readGroups(transaction, query, { order: [], limit: ids.length, offset: 0 }, state);
    });
    return new Map(rows.map((row) => [Number(row.keys[0]), this.metricsOf(row.current)]));
  }

  /** Unix seconds. */
  get now(): number {
    return seconds(this.deps.clock);
  }

  /** Metrics of zero usage. */
  get nothing(): UsageMetrics {
    return this.metricsOf(zero);
  }

  /**
   * Exports groups as CSV, in pieces.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin, CONFIRMATION_NEEDED, before the first piece
   */
  exportAll(actor: MaybeActor, question: UsageQuestion): AsyncIterable<string> {
    requireConfirmed(requirePermission(actor, 'usage.read'));
    return this.pieces(question, allColumns);
  }

  /** Exports the caller's own groups as CSV. */
  async exportOwn(actor: MaybeActor, question: UsageQuestion): Promise<AsyncIterable<string>> {
    assertOwn(question, { cost: false, cache: false });
    return this.pieces({ ...question, filter: await this.ownFilter(actor, question.filter) }, ownColumns);
  }

  /**
   * Restricts to the usage that the caller may read as that of the account. A member of an organisation who may not
   * read the usage of others reads that of the own keys.
   * @throws AppError NOT_SIGNED_IN
   */
  private async ownFilter(actor: MaybeActor, filter: UsageFilter): Promise<UsageFilter> {
    const caller = requireAccount(actor, 'keys.own');
    const seesAll = mayFor(caller, 'usage.all');
    const tokenIds = await ownTokenIds(this.deps.database, caller, filter.tokenIds, seesAll);
    return ownFilter(caller.id, { ...filter, ...(tokenIds ? { tokenIds } : {}) });
  }

  private async read(question: UsageQuestion, wanted: WantedUsage): Promise<UsagePage> {
    const now = seconds(this.deps.clock);
    const query = this.queryOf(question, wanted);
    const found = await readSnapshot(this.deps.database, async (transaction, state) => {
      await assertReadable(transaction, query, state);
      const page = await readRows({ question, query, wanted, transaction, state });
      const total =
        wanted.total || wanted.compared || wanted.projected ? await readTotal(transaction, query, state) : null;
      return {
        ...page,
        range: query.current.range,
        comparedRange: query.compared?.range ?? null,
        timeZone: question.timeZone,
        isApproximate: isApproximate(query.current, { ...question, now }),
        asOf: now,
        open: openPeriodOf(query.current, { ...question, now }),
        total: total && this.metricsOf(total.current),
        comparedTotal: total?.compared ? this.metricsOf(total.compared) : null,
      };
    });
    return { ...found, items: await this.named(found.items, wanted.names ?? []) };
  }

  /** @throws AppError INVALID_INPUT */
  private queryOf(question: UsageQuestion, counters: WantedCounters): UsageQuery {
    const { groupBy, bucket, timeZone, rangeTimeZone, filter, compareTo } = question;
    assertQuestion(question);
    const now = seconds(this.deps.clock);
    const timed = { range: question.range, timeZone, rangeTimeZone, bucket, now };
    const current = resolveSpan(timed);
    const compared = compareTo && resolveComparison(current, compareTo, timed);
    const source = sourceOf({ dimensions: groupBy, counters, filter });
    if (isFromLog({ source })) assertLogRange({ current, compared });
    const isTooOld = (span: Span | null): boolean => span !== null && span.range.from < now - recentSeconds - 300;
    if (bucket === 'MINUTE_5' && (isTooOld(current) || isTooOld(compared))) {
      throw new InvalidInputError(
        `MINUTE_5 reaches back 48 hours, to ${dateOf(now - recentSeconds).toISOString()}`,
        isTooOld(current) ? 'range' : 'compareTo',
      );
    }
    return {
      source,
      dimensions: groupBy,
      current,
      compared,
      bucket,
      timeZone,
      filter,
      counters,
      quotaPerUnit: this.deps.options.values.QuotaPerUnit,
    };
  }

  private metricsOf(row: CounterRow): UsageMetrics {
    return new UsageMetrics(row, this.deps.options.values.QuotaPerUnit);
  }

  /** Reads all groups in the order of time and key, each once: concurrent settlements do not change this order. */
  private async *pieces(question: UsageQuestion, columns: UsageColumns): AsyncGenerator<string> {
    const fixed = { ...question, range: { until: seconds(this.deps.clock) + 1, ...question.range } };
    if ((fixed.range.from ?? 0) >= fixed.range.until) {
      yield csvHeader(columns);
      return;
    }
    const counters = {
      latency: true,
      firstToken: false,
      cost: columns === allColumns,
      activeUsers: false,
      cache: false,
    };
    const query = this.queryOf(fixed, counters);
    let header = csvHeader(columns);
    let after: Position | undefined;
    let rows: GroupRow[];
    for (let limit = rowsOfFirstRead; ; limit = rowsPerRead) {
      // No snapshot stays open while the client reads.
      const found = await readSnapshot(this.deps.database, async (transaction, state) => {
        await assertReadable(transaction, query, state);
        return readGroups(transaction, query, { order: placeOrder(query), limit, offset: 0, after }, state);
      });
      ({ rows } = found);
      after = rows.at(-1);
      for (let begin = 0; begin < rows.length; begin += rowsPerPiece) {
        const piece = rows.slice(begin, begin + rowsPerPiece).map((row) => toRow(row, query));
        yield header + csvLines(columns, await this.named(piece, usageNames));
        header = '';
      }
      if (rows.length < limit) break;
    }
    if (header !== '') yield header;
  }

  /** Adds current names to the ids in rows, also of what was deleted, with one statement for each kind of name. */
  private async named(rows: readonly UsageRow[], names: readonly UsageName[]): Promise<readonly UsageRow[]> {
    let named = rows;
    for (const name of names) {
      const found = await this.readNames(name, rows);
      const { id } = nameSources[name];
      named = named.map((row) => ({ ...row, key: { ...row.key, [name]: found.get(row.key[id]) ?? null } }));
    }
    return named;
  }

  private async readNames(kind: UsageName, rows: readonly UsageRow[]): Promise<Map<unknown, string>> {
    const { id, from, name } = nameSources[kind];
    const ids = [...new Set(rows.flatMap(({ key }) => key[id] || []))];
    if (ids.length === 0) return new Map();
    const found = await this.deps.database.query<Array<{ id: number; name: string }>>(
      `SELECT source.id, ${name} AS name FROM ${from} WHERE source.id = ANY ($1)`,
      [ids],
    );
    return new Map(found.map((row) => [row.id, row.name]));
  }
}

/** Adds the owners of the API keys to the filter, because the log has an index of users and none of keys. */
async function ofOwners(transaction: Queries, query: UsageQuery): Promise<UsageQuery> {
  const rows = await transaction.query<Array<{ id: number }>>(
    'SELECT DISTINCT user_id AS id FROM tokens WHERE id = ANY ($1)',
    [query.filter.tokenIds],
  );
  return { ...query, filter: { ...query.filter, userIds: rows.map(({ id }) => id) } };
}
