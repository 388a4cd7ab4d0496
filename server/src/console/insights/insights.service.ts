import { readSnapshot, type Snapshots } from '../../billing/rollups/index.js';
import { decodeCursor, encodeCursor, readBehind } from '../../platform/db/keyset.js';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';
import { dateOf, seconds, type Clock } from '../../shared/clock.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { PageQuery, SortBy } from '../../shared/page.js';
import type { OptionValues } from '../../options/option.service.js';
import { isOpen, isUnlimited, remainingUses } from '../redemptions/index.js';
import { resolveSpan, type WantedRange } from '../usage/index.js';
import { timedSpan, type TimedQuestion } from './timed-question.js';

/** Liabilities of the site to its users, in quota. */
export interface LedgerTotals {
  /** Total balance of users who are not deleted. */
  readonly balances: number;
  /** Invite rewards that are not yet transferred to a balance. */
  readonly inviteEarnings: number;
  /** Value of all codes that can still be redeemed: each remaining use counts. */
  readonly unusedCodes: number;
  /** Number of gift codes without a limit of uses. They are not part of `unusedCodes`. */
  readonly unlimitedCodes: number;
  /** Quota that is reserved for calls in flight. It is already deducted from the balances. */
  readonly reserved: number;
  readonly liability: number;
  readonly liabilityUsd: number;
  readonly asOf: Date;
}

/** A call in flight, from its reservation. */
export interface LiveCall {
  readonly requestId: string;
  readonly userId: number;
  /** The token; null in the playground. */
  readonly tokenId: number | null;
  readonly modelName: string;
  readonly heldQuota: number;
  readonly since: Date;
  readonly seconds: number;
}

export interface LiveCallFilter {
  readonly userIds?: readonly number[];
  readonly tokenIds?: readonly number[];
  readonly models?: readonly string[];
  /** Only calls that have run for at least this many seconds. */
  readonly atLeastSeconds?: number;
}

export interface Slice<Item> {
  readonly items: readonly Item[];
  readonly totalCount: number;
  readonly endCursor: string | null;
  readonly hasNextPage: boolean;
}

export interface LiveCalls extends Slice<LiveCall> {
  readonly sums: { readonly count: number; readonly heldQuota: number };
}

/** Codes created under one name. */
export interface RedemptionBatch {
  readonly name: string;
  readonly total: number;
  readonly used: number;
  readonly disabled: number;
  /** Quota credited to users so far. */
  readonly quotaUsed: number;
  /** Value that can still be redeemed. Gift codes without a limit of uses count once. */
  readonly quotaOpen: number;
  readonly firstAt: Date;
  readonly lastUsedAt: Date | null;
}

/** Users who signed up in one bucket of time. */
export interface GrowthPoint {
  readonly time: Date;
  readonly users: number;
  /** Quota that these users spent in the seven days after they signed up. */
  readonly firstWeekQuota: number;
}

/** How often calls moved from one channel to the next. */
export interface ChannelRetries {
  readonly channelId: number;
  /** The name; null when the channel was deleted. */
  readonly channelName: string | null;
  /** Number of calls that this channel could not serve and another channel then served. */
  readonly passedOn: number;
  /** Number of calls that this channel served after another channel had failed. */
  readonly takenOver: number;
  /** Number of calls that failed at this channel, after at least one other channel. */
  readonly failedLast: number;
}

interface InsightDeps {
  readonly database: Snapshots;
  readonly options: { readonly values: Pick<OptionValues, 'QuotaPerUnit'> };
  readonly clock: Clock;
}

/** The longest calls first. Cursors hold the database's text form of the time, which has microseconds. */
const longestFirst: readonly SortBy[] = [
  { field: 'since', direction: 'ASC' },
  { field: 'requestId', direction: 'ASC' },
];
/** Maximum range in seconds. It is limited, because log rows are read individually. */
const maxRetrySeconds = 48 * 3600;
/**
 * SQL of the quota that a user spent in the seven days after the sign-up. The bounds are `bigint` like `hour`: with
 * another type, Postgres reads all usage of the user.
 */
const firstWeekQuota = `(SELECT sum(h.quota) FROM usage_hourly h WHERE h.user_id = u.id
  AND h.hour > floor(extract(epoch FROM u.created_at))::bigint - 3600
  AND h.hour < ceil(extract(epoch FROM u.created_at))::bigint + 7 * 86400)`;

/** Statistics about the whole site that are not part of any list. All require the admin role. */
export class InsightService {
  constructor(private readonly deps: InsightDeps) {}

  /**
   * Returns the liabilities of the site.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  async ledgerTotals(actor: MaybeActor): Promise<LedgerTotals> {
    requirePermission(actor, 'usage.read');
    const [row] = await this.deps.database.query<
      Array<
        Record<'balances' | 'inviteEarnings' | 'unusedCodes' | 'unlimitedCodes' | 'reserved', string> & { asOf: Date }
      >
    >(
      `SELECT u.balances::text, u."inviteEarnings"::text, c."unusedCodes"::text, c."unlimitedCodes"::text, now() AS "asOf",
              ((SELECT coalesce(sum(amount), 0) FROM reservations WHERE swept_at IS NULL)
                - (SELECT coalesce(sum(held), 0) FROM subscription_use))::text AS reserved
         FROM (SELECT coalesce(sum(quota), 0) AS balances, coalesce(sum(aff_quota), 0) AS "inviteEarnings"
                 FROM users WHERE deleted_at IS NULL) u,
              (SELECT coalesce(sum(quota::numeric * ${remainingUses}) FILTER (WHERE NOT (${isUnlimited})), 0) AS "unusedCodes",
                      count(*) FILTER (WHERE ${isUnlimited}) AS "unlimitedCodes"
                 FROM redemptions WHERE ${isOpen('$1')}) c`,
      [new Date(this.deps.clock.now())],
    );
    if (!row) throw new Error('an aggregate returned no row');
    const { asOf, ...texts } = row;
    const amounts = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Number(text)])) as Record<
      keyof typeof texts,
      number
    >;
    const liability = amounts.balances + amounts.inviteEarnings + amounts.unusedCodes + amounts.reserved;
    return { ...amounts, asOf, liability, liabilityUsd: liability / this.deps.options.values.QuotaPerUnit };
  }

  /**
   * Calls in flight, the longest running first.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin; INVALID_INPUT
   */
  async liveCalls(
    actor: MaybeActor,
    filter: LiveCallFilter,
    { pageSize, after }: { readonly pageSize: number; readonly after: string | null },
  ): Promise<LiveCalls> {
    requirePermission(actor, 'logs.read');
    const values: unknown[] = [];
    const add = (value: unknown): string => `$${values.push(value)}`;
    const conditions = [
      'swept_at IS NULL',
      ...(filter.userIds ? [`user_id = ANY (${add(filter.userIds)}::integer[])`] : []),
      ...(filter.tokenIds ? [`token_id = ANY (${add(filter.tokenIds)}::integer[])`] : []),
      ...(filter.models ? [`model_name = ANY (${add(filter.models)}::text[])`] : []),
      ...(filter.atLeastSeconds === undefined
        ? []
        : [`created_at <= now() - make_interval(secs => ${add(filter.atLeastSeconds)})`]),
    ].join(' AND ');
    const [sums] = await this.deps.database.query<Array<{ count: number; heldQuota: string }>>(
      `SELECT count(*)::int AS count, coalesce(sum(amount), 0)::text AS "heldQuota" FROM reservations WHERE ${conditions}`,
      values,
    );
    const place = after === null ? null : decodeCursor(after, longestFirst);
    const behind = place ? `AND (created_at, request_id) > (${add(place[0])}::timestamptz, ${add(place[1])})` : '';
    const read = () =>
      this.deps.database.query<
        Array<Omit<LiveCall, 'heldQuota' | 'tokenId'> & { heldQuota: string; tokenId: number; at: string }>
      >(
        `SELECT request_id AS "requestId", user_id AS "userId", token_id AS "tokenId", model_name AS "modelName",
              amount::text AS "heldQuota", created_at AS since, created_at::text AS at,
              extract(epoch FROM now() - created_at)::float8 AS seconds
         FROM reservations WHERE ${conditions} ${behind} ORDER BY reservations.created_at, request_id LIMIT ${add(pageSize + 1)}`,
        values,
      );
    const rows = await readBehind(after, read);
    const shown = rows.slice(0, pageSize);
    const last = shown.at(-1);
    return {
      items: shown.map(({ at: _, ...row }) => ({
        ...row,
        tokenId: row.tokenId === 0 ? null : row.tokenId,
        heldQuota: Number(row.heldQuota),
        seconds: Math.max(0, Math.round(row.seconds)),
      })),
      totalCount: sums?.count ?? 0,
      endCursor: last ? encodeCursor(longestFirst, [last.at, last.requestId]) : null,
      hasNextPage: rows.length > pageSize,
      sums: { count: sums?.count ?? 0, heldQuota: Number(sums?.heldQuota ?? 0) },
    };
  }

  /**
   * Batches of codes, newest first.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  async redemptionBatches(
    actor: MaybeActor,
    { page, pageSize }: PageQuery,
    names?: readonly string[],
  ): Promise<Slice<RedemptionBatch>> {
    requirePermission(actor, 'codes');
    const rows = await this.deps.database.query<
      Array<Record<'quotaUsed' | 'quotaOpen' | 'batches', string> & Omit<RedemptionBatch, 'quotaUsed' | 'quotaOpen'>>
    >(
      `SELECT name, count(*)::int AS total, count(*) FILTER (WHERE used_count > 0 OR status = 'used')::int AS used,
              count(*) FILTER (WHERE status = 'disabled')::int AS disabled,
              (coalesce(sum(quota) FILTER (WHERE NOT is_gift AND status = 'used'), 0) + coalesce(sum(gifts.quota_used), 0))::text AS "quotaUsed",
              coalesce(sum(quota::numeric * ${remainingUses}) FILTER (WHERE ${isOpen('$1')}), 0)::text AS "quotaOpen",
              min(created_at) AS "firstAt", greatest(max(redeemed_at), max(gifts.last_used)) AS "lastUsedAt",
              count(*) OVER ()::text AS batches
         FROM redemptions LEFT JOIN LATERAL (
                SELECT sum(u.quota) AS quota_used, max(u.used_at) AS last_used FROM redemption_uses u
                 WHERE u.redemption_id = redemptions.id AND redemptions.is_gift) gifts ON TRUE
        WHERE deleted_at IS NULL AND ($4::text[] IS NULL OR name = ANY ($4))
        GROUP BY name ORDER BY max(created_at) DESC, name COLLATE "C" LIMIT $2 OFFSET $3`,
      [new Date(this.deps.clock.now()), pageSize, page * pageSize, names ?? null],
    );
    const totalCount = Number(rows[0]?.batches ?? (page === 0 ? 0 : await this.countBatches(names)));
    return {
      items: rows.map(({ batches: _, quotaUsed, quotaOpen, ...row }) => ({
        ...row,
        quotaUsed: Number(quotaUsed),
        quotaOpen: Number(quotaOpen),
      })),
      totalCount,
      endCursor: null,
      hasNextPage: (page + 1) * pageSize < totalCount,
    };
  }

  /** Counts the batches of all pages, for a page after the last. */
  private async countBatches(names?: readonly string[]): Promise<number> {
    const [row] = await this.deps.database.query<Array<{ batches: string }>>(
      `SELECT count(DISTINCT name)::text AS batches FROM redemptions
        WHERE deleted_at IS NULL AND ($1::text[] IS NULL OR name = ANY ($1))`,
      [names ?? null],
    );
    return Number(row?.batches ?? 0);
  }

  /**
   * Returns channels between which calls moved, most frequent first. A call counts once for a channel, however many of
   * its keys were tried, and not for the slower of two attempts at the same time. The figures are read from the log, so
   * only logged calls count.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin; INVALID_INPUT for more than 48 hours
   */
  async channelRetries(
    actor: MaybeActor,
    question: { readonly range: WantedRange; readonly timeZone: string },
  ): Promise<ChannelRetries[]> {
    requirePermission(actor, 'channels.read');
    const now = seconds(this.deps.clock);
    const wanted = Object.values(question.range).some((bound) => bound !== undefined)
      ? question.range
      : { from: now - 24 * 3600 };
    const { range } = resolveSpan({ range: wanted, timeZone: question.timeZone, bucket: 'MINUTE_5', now });
    if (range.end - range.from > maxRetrySeconds + 600) {
      throw new InvalidInputError('The range is 48 hours at most', 'range');
    }
    return readSnapshot(this.deps.database, (transaction) =>
      transaction.query<ChannelRetries[]>(
        `WITH attempts AS (
           -- The details of attempts are the end of a row's text, which is much shorter. OFFSET 0 reads it once for each row.
           SELECT type, channel_id AS last, split_part(other, '"use_channel":', 2) AS details
             FROM logs WHERE created_at >= $1 AND created_at < $2 AND type IN (2, 6)
              -- As the index on these rows says it.
              AND split_part(split_part(other, '"use_channel":', 2), ']', 1) LIKE '%,%'
           OFFSET 0
         ), moved AS (
           -- Few lists of channels differ, so each is read as numbers once.
           SELECT type, last, split_part(details, ']', 1) AS tried,
                  CASE WHEN strpos(details, '"aborted_attempt":') > 0
                    THEN substring(details FROM '"aborted_attempt": ?{"channel": ?"(\\d{1,9})"')::integer END AS aborted, count(*) AS calls
             FROM attempts GROUP BY 1, 2, 3, 4
         ), listed AS (
           SELECT *, CASE WHEN tried ~ '^ ?\\["\\d{1,9}"(, ?"\\d{1,9}")+$'
                       THEN string_to_array(translate(tried, '[" ', ''), ',')::integer[] END AS ids FROM moved
         )
         SELECT channel.id AS "channelId", max(c.name) AS "channelName",
                coalesce(sum(calls) FILTER (WHERE channel.id <> last), 0)::int AS "passedOn",
                coalesce(sum(calls) FILTER (WHERE channel.id = last AND listed.type = 2), 0)::int AS "takenOver",
                coalesce(sum(calls) FILTER (WHERE channel.id = last AND listed.type = 6), 0)::int AS "failedLast"
           FROM listed
                CROSS JOIN LATERAL (SELECT last AS id UNION SELECT id FROM unnest(ids) AS id WHERE id IS DISTINCT FROM aborted) channel
                LEFT JOIN channels c ON c.id = channel.id
          WHERE last <> ANY (array_remove(ids, aborted))
          GROUP BY channel.id ORDER BY "passedOn" DESC, channel.id`,
        [range.from, range.end],
      ),
    );
  }

  /**
   * New users by sign-up time, including empty buckets.
   * @param withFirstWeek whether to read what they spent; otherwise it is 0
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin; INVALID_INPUT
   */
  async userGrowth(actor: MaybeActor, question: TimedQuestion, withFirstWeek = true): Promise<GrowthPoint[]> {
    requirePermission(actor, 'usage.read');
    const { range, starts: buckets } = timedSpan(question, seconds(this.deps.clock), 1);
    const rows = await this.deps.database.query<Array<{ bucket: number; users: number; quota: string }>>(
      `SELECT width_bucket(floor(extract(epoch FROM u.created_at))::bigint, $3::bigint[]) - 1 AS bucket, count(*)::int AS users,
              coalesce(sum(${withFirstWeek ? firstWeekQuota : 'NULL::bigint'}), 0)::text AS quota
         FROM users u
        WHERE u.created_at >= to_timestamp($1) AND u.created_at < to_timestamp($2)
        GROUP BY 1`,
      [range.from, range.end, buckets],
    );
    const found = new Map(rows.map((row) => [row.bucket, row]));
    return buckets.map((start, index) => ({
      time: dateOf(start),
      users: found.get(index)?.users ?? 0,
      firstWeekQuota: Number(found.get(index)?.quota ?? 0),
    }));
  }
}
