import { day, hour, readSnapshot, usageFrom, type Snapshots } from '../../billing/rollups/index.js';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';
import { dateOf, seconds, type Clock } from '../../shared/clock.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { PageQuery } from '../../shared/page.js';
import type { OptionValues } from '../../options/option.service.js';
import { isUnlimited } from '../redemptions/index.js';
import { resolveSpan } from '../usage/index.js';
import { timedSpan, type TimedQuestion } from './timed-question.js';
import type { Slice } from './insights.service.js';

export const creditSources = [
  'PAYMENT',
  'CODE',
  'GIFT_CODE',
  'CHECK_IN',
  'INVITE',
  'GRANT',
  'NEW_USER',
  'REFUND',
  'PLAN',
  'IMPORT',
] as const;
/** Where the quota of a balance came from. */
export type CreditSource = (typeof creditSources)[number];

/** Quota that entered balances in one bucket of time from one source. */
export interface Credit {
  readonly time: Date;
  readonly source: CreditSource;
  readonly credited: number;
  readonly deducted: number;
  readonly entries: number;
  readonly users: number;
}

/** Liabilities of the site to its users at the end of a bucket, in quota. */
export interface LiabilityPoint {
  readonly asOf: Date;
  /** Balances, and the quota reserved for calls in flight. */
  readonly balances: number;
  readonly inviteEarnings: number;
  readonly unusedCodes: number;
  readonly liability: number;
  readonly liabilityUsd: number;
}

/** An hour in which the balance of a user fell below an amount. */
export interface LowBalance {
  readonly at: Date;
  readonly userId: number;
  readonly username: string;
  /** The balance after that hour. */
  readonly quota: number;
  readonly quotaNow: number;
}

/** Seconds for which the hours of all users are read back. */
const maxHoursBack = 31 * day;

const kinds = `CASE WHEN e.source LIKE 'plan:%' THEN 'PLAN' WHEN e.kind = 'redemption' THEN
    CASE WHEN (SELECT r.is_gift FROM redemptions r WHERE r.id = substring(e.source FROM '^redemption:(\\d{1,9}):')::integer)
      THEN 'GIFT_CODE' ELSE 'CODE' END
  WHEN e.kind = 'opening' THEN CASE WHEN e.note = 'imported' THEN 'IMPORT' ELSE 'NEW_USER' END
  WHEN e.kind IN ('invite', 'transfer', 'rebate') THEN 'INVITE'
  WHEN e.kind = 'top_up' THEN 'PAYMENT' WHEN e.kind = 'admin_grant' THEN 'GRANT' ELSE upper(e.kind) END`;

/**
 * Movements of codes that are not disabled and have a limit of uses: their value when they are created, and its loss with
 * each use and at the end.
 */
const codeMovements = `
  SELECT created_at AS at, quota::numeric * CASE WHEN is_gift THEN max_uses - used_count + used ELSE 1 END AS amount FROM codes
  UNION ALL SELECT redeemed_at, -quota::numeric FROM codes WHERE NOT is_gift AND redeemed_at IS NOT NULL
  UNION ALL SELECT u.used_at, -codes.quota::numeric FROM codes JOIN redemption_uses u ON u.redemption_id = codes.id WHERE is_gift
  UNION ALL SELECT least(valid_until, deleted_at), -quota::numeric * CASE WHEN is_gift THEN max_uses - used_count ELSE 1 END FROM codes
    WHERE least(valid_until, deleted_at) IS NOT NULL AND (is_gift OR redeemed_at IS NULL)`;
const codes = `codes AS (
  SELECT *, (SELECT count(*) FROM redemption_uses u WHERE u.redemption_id = redemptions.id) AS used FROM redemptions
   WHERE status <> 'disabled' AND NOT (${isUnlimited}) AND (status <> 'used' OR redeemed_at IS NOT NULL))`;

/**
 * The history of balances. It is computed backwards from the balances of today, the entries of the ledger and the usage by the
 * hour, so no history is stored.
 */
export class LedgerHistoryService {
  constructor(
    private readonly deps: {
      readonly database: Snapshots;
      readonly options: { readonly values: Pick<OptionValues, 'QuotaPerUnit'> };
      readonly clock: Clock;
    },
  ) {}

  /**
   * Quota that entered balances, by source. Buckets without a movement are absent.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin; INVALID_INPUT
   */
  async credits(actor: MaybeActor, question: TimedQuestion): Promise<Credit[]> {
    requirePermission(actor, 'usage.read');
    const { range, starts } = timedSpan(question, seconds(this.deps.clock), 1);
    const rows = await this.deps.database.query<
      Array<{ bucket: number } & Pick<Credit, 'source' | 'entries' | 'users'> & Record<'credited' | 'deducted', string>>
    >(
      `SELECT width_bucket(floor(extract(epoch FROM e.created_at))::bigint, $3::bigint[]) - 1 AS bucket, ${kinds} AS source,
              coalesce(sum(amount) FILTER (WHERE amount > 0), 0)::text AS credited,
              coalesce(-sum(amount) FILTER (WHERE amount < 0), 0)::text AS deducted,
              count(*)::integer AS entries, count(DISTINCT user_id)::integer AS users
         FROM ledger_entries e
        WHERE account = 'user' AND amount <> 0 AND created_at >= to_timestamp($1) AND created_at < to_timestamp($2)
        GROUP BY 1, 2 ORDER BY 1, 2`,
      [range.from, range.end, starts],
    );
    return rows.map(({ bucket, credited, deducted, ...row }) => ({
      ...row,
      time: dateOf(starts[bucket] ?? range.from),
      credited: Number(credited),
      deducted: Number(deducted),
    }));
  }

  /**
   * Liabilities at the end of each bucket, and now in the last one.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin; INVALID_INPUT
   */
  async liabilities(actor: MaybeActor, question: TimedQuestion): Promise<LiabilityPoint[]> {
    requirePermission(actor, 'usage.read');
    const now = seconds(this.deps.clock);
    const { range, starts } = timedSpan(question, now);
    const moments = [...starts.slice(1), range.end].map((end) => Math.min(end, now + 1));
    const [first] = moments;
    if (starts.length === 0 || first === undefined) return [];
    const past = moments.filter((moment) => moment <= now);
    return readSnapshot(this.deps.database, async (transaction, state) => {
      const read = <Row>(sql: string, values: unknown[] = []) => transaction.query<Row[]>(sql, values);
      const [today] = await read<Record<'balances' | 'earnings', string>>(
        `SELECT (coalesce(sum(quota), 0) + (SELECT coalesce(sum(amount), 0) FROM reservations WHERE swept_at IS NULL)
                - (SELECT coalesce(sum(held), 0) FROM subscription_use))::text AS balances,
                coalesce(sum(aff_quota), 0)::text AS earnings FROM users WHERE deleted_at IS NULL`,
      );
      const ofUsers = 'user_id IN (SELECT id FROM users WHERE deleted_at IS NULL)';
      const used = usageFrom(
        {
          ranges: past.length === 0 ? [] : [{ from: first, end: Math.ceil((now + 1) / hour) * hour }],
          columns: ['user_id'],
          condition: ofUsers,
          longest: past.every((moment) => moment % day === 0) ? 'DAY' : 'HOUR',
          fields: ['hour', 'quota'],
        },
        state,
      );
      const place = (at: string): string => `width_bucket(${at}, $1::bigint[])`;
      const spent = await read<Moved>(
        `SELECT ${place('hour')} AS place, sum(quota)::text AS amount FROM ${used} GROUP BY 1`,
        [past],
      );
      const paidByPlans = await read<Moved>(
        `SELECT ${place('hour')} AS place, sum(quota)::text AS amount FROM plan_usage_hourly
          WHERE hour >= ${first} AND account_id IN (SELECT id FROM users WHERE deleted_at IS NULL) GROUP BY 1`,
        [past],
      );
      const posted = (account: string) =>
        read<Moved>(
          `SELECT ${place('floor(extract(epoch FROM created_at))::bigint')} AS place, sum(amount)::text AS amount FROM ledger_entries
            WHERE account = '${account}' AND created_at >= to_timestamp(${first}) AND ${ofUsers} GROUP BY 1`,
          [past],
        );
      const [credited, earned] = [await posted('user'), await posted('affiliate')];
      const coded = await read<Moved>(
        `WITH ${codes} SELECT ${place('ceil(extract(epoch FROM at))::bigint')} AS place, sum(amount)::text AS amount
           FROM (${codeMovements}) moved GROUP BY 1`,
        [moments],
      );
      return moments.map((moment, index) => {
        const balances =
          Number(today?.balances) + after(spent, index) - after(paidByPlans, index) - after(credited, index);
        const inviteEarnings = Number(today?.earnings) - after(earned, index);
        const unusedCodes = sum(coded.filter(({ place: at }) => at <= index));
        // An import begins the history: it posts the balances of that moment, but brings usage from before.
        const parts = { balances: Math.max(0, balances), inviteEarnings: Math.max(0, inviteEarnings), unusedCodes };
        const liability = parts.balances + parts.inviteEarnings + parts.unusedCodes;
        const liabilityUsd = liability / this.deps.options.values.QuotaPerUnit;
        return { ...parts, asOf: dateOf(Math.min(moment, now)), liability, liabilityUsd };
      });
    });
  }

  /**
   * Users whose balance fell below an amount, and the hour in which it did; the newest first.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin; INVALID_INPUT
   */
  async lowBalances(
    actor: MaybeActor,
    below: number,
    question: Omit<TimedQuestion, 'bucket'>,
    { page, pageSize }: PageQuery,
  ): Promise<Slice<LowBalance>> {
    requirePermission(actor, 'users.read');
    const now = seconds(this.deps.clock);
    const { range } = resolveSpan({ ...question, bucket: null, now });
    if (range.from < now - maxHoursBack - hour) {
      throw new InvalidInputError('lowBalances reaches back 31 days', 'range');
    }
    const rows = await readSnapshot(this.deps.database, (transaction, state) => {
      const end = Math.ceil((now + 1) / hour) * hour;
      const used = usageFrom(
        {
          ranges: [{ from: range.from, end: Math.max(range.from, end) }],
          columns: ['user_id'],
          condition: 'user_id IN (SELECT id FROM near)',
          longest: 'HOUR',
          fields: ['hour', 'user_id', 'quota'],
        },
        state,
      );
      return transaction.query<
        Array<
          Pick<LowBalance, 'userId' | 'username'> &
            Record<'quota' | 'quotaNow' | 'total', string> & { readonly hour: string | null }
        >
      >(
        `WITH entered AS (
           SELECT account_id AS user_id, hour, quota AS amount FROM plan_usage_hourly WHERE hour >= ${range.from} / ${hour} * ${hour}
           UNION ALL
           SELECT user_id, floor(extract(epoch FROM created_at))::bigint / ${hour} * ${hour}, amount
             FROM ledger_entries WHERE account = 'user' AND created_at >= to_timestamp(${range.from})
         ), near AS MATERIALIZED (
           -- Before what was credited, a balance was that much lower; usage alone only lowers it. The usage of all others is not read.
           SELECT u.id, u.username, u.quota, u.quota + coalesce(held.amount, 0) AS balance FROM users u
             LEFT JOIN (SELECT user_id, sum(amount) AS amount FROM (
                          SELECT user_id, amount FROM reservations WHERE swept_at IS NULL
                          UNION ALL SELECT account_id, -held FROM subscription_use) both_ways GROUP BY user_id) held
               ON held.user_id = u.id
             LEFT JOIN (SELECT user_id, sum(amount) AS amount FROM entered WHERE amount > 0 GROUP BY user_id) credited
               ON credited.user_id = u.id
            WHERE u.deleted_at IS NULL AND u.quota + coalesce(held.amount, 0) - coalesce(credited.amount, 0) < $1
         ), moved AS (
           SELECT user_id, hour, sum(amount) AS amount
             FROM (SELECT user_id, hour, -quota AS amount FROM ${used} UNION ALL SELECT user_id, hour, amount FROM entered) movements
            GROUP BY user_id, hour
         ), hourly AS (
           SELECT n.id, n.username, n.quota AS now, m.hour, m.amount, n.balance - coalesce(sum(m.amount) OVER later, 0) AS "left"
             FROM moved m JOIN near n ON n.id = m.user_id
           WINDOW later AS (PARTITION BY m.user_id ORDER BY m.hour DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
         ), fallen AS (SELECT * FROM hourly WHERE hour < ${range.end} AND "left" < $1 AND "left" - amount >= $1)
         SELECT id AS "userId", username, hour::text, "left"::text AS quota, now::text AS "quotaNow", total
           FROM (SELECT count(*)::text AS total FROM fallen) counted
           LEFT JOIN (SELECT * FROM fallen ORDER BY hour DESC, id LIMIT $2 OFFSET $3) listed ON TRUE
          ORDER BY listed.hour DESC, id`,
        [below, pageSize, page * pageSize],
      );
    });
    const totalCount = Number(rows[0]?.total ?? 0);
    return {
      // Behind the last page, the query returns one row that has only the total.
      items: rows
        .filter((row) => row.hour !== null)
        .map(({ userId, username, ...row }) => ({
          userId,
          username,
          at: dateOf(Number(row.hour)),
          quota: Number(row.quota),
          quotaNow: Number(row.quotaNow),
        })),
      totalCount,
      endCursor: null,
      hasNextPage: (page + 1) * pageSize < totalCount,
    };
  }
}

/** The amount that moved at or after the first `place` of the moments. */
interface Moved {
  readonly place: number;
  readonly amount: string;
}

const sum = (rows: readonly Moved[]): number => rows.reduce((all, { amount }) => all + Number(amount), 0);
/** Sums the amounts that moved at or after a moment. */
const after = (rows: readonly Moved[], index: number): number => sum(rows.filter(({ place }) => place > index));
