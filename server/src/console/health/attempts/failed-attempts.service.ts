import { requirePermission, type MaybeActor } from '../../../shared/actor.js';
import { failureKinds, type FailureKind } from '../../../shared/failure-kind.js';
import type { Queries } from '../../../billing/rollups/index.js';

/** Conditions on failed attempts. All must match; an empty list matches nothing. */
export interface FailedAttemptFilter {
  readonly channelIds?: readonly number[];
  readonly models?: readonly string[];
  readonly userIds?: readonly number[];
  readonly requestId?: string;
  /** The last characters of keys. Channels may have keys with the same ones. */
  readonly keyEndings?: readonly string[];
}

/** A failed attempt to serve a call. */
export interface FailedAttempt {
  readonly id: string;
  readonly at: Date;
  readonly requestId: string;
  readonly channelId: number;
  /** The name of the channel now; null when it was deleted. */
  readonly channelName: string | null;
  readonly keyEnding: string;
  readonly model: string;
  readonly kind: FailureKind;
  readonly status: number | null;
  readonly error: string;
  /** Number of attempts that the row stands for. */
  readonly attempts: number;
}

/** The failed attempts with one key that failed in one way. */
export interface KeyFailure {
  readonly attempts: number;
  readonly last: FailedAttempt;
}

const columns = `attempt.id, attempt.at, attempt.request_id AS "requestId", attempt.channel_id AS "channelId",
  channel.name AS "channelName", attempt.key_ending AS "keyEnding", attempt.model, attempt.kind, attempt.status, attempt.error`;
const condition = `($1::int[] IS NULL OR attempt.channel_id = ANY ($1)) AND ($2::text[] IS NULL OR attempt.model = ANY ($2))
  AND ($3::int[] IS NULL OR attempt.user_id = ANY ($3)) AND ($4::text IS NULL OR attempt.request_id = $4)
  AND ($5::text[] IS NULL OR attempt.key_ending = ANY ($5))`;

type Row = FailedAttempt & { readonly kind: string };

/** The last failed attempts of calls (docs/reference/relay/health.md#failed-attempts). For admins. */
export class FailedAttemptService {
  constructor(private readonly database: Queries) {}

  /**
   * Returns attempts, the newest first.
   * @throws AppError INSUFFICIENT_PRIVILEGES
   */
  async list(actor: MaybeActor, filter: FailedAttemptFilter, most: number): Promise<FailedAttempt[]> {
    this.authorize(actor, filter);
    const rows = await this.database.query<Row[]>(
      `SELECT ${columns}, attempt.attempts FROM failed_attempts attempt
         LEFT JOIN channels channel ON channel.id = attempt.channel_id
        WHERE ${condition} ORDER BY attempt.id DESC LIMIT $6`,
      [...parametersOf(filter), most],
    );
    return rows.map(toAttempt);
  }

  /**
   * Returns the attempts of the last 24 hours by channel, key and kind of failure, the latest first.
   * @throws AppError INSUFFICIENT_PRIVILEGES
   */
  async byKey(actor: MaybeActor, filter: FailedAttemptFilter, most: number): Promise<KeyFailure[]> {
    this.authorize(actor, filter);
    const rows = await this.database.query<Array<Row & { readonly sum: string }>>(
      `SELECT ${columns}, attempt.attempts, counted.sum
         FROM (SELECT max(attempt.id) AS id, sum(attempt.attempts)::text AS sum FROM failed_attempts attempt
                WHERE ${condition} AND attempt.at >= now() - interval '24 hours'
                GROUP BY attempt.channel_id, attempt.key_ending, attempt.kind ORDER BY 1 DESC LIMIT $6) counted
         JOIN failed_attempts attempt ON attempt.id = counted.id
         LEFT JOIN channels channel ON channel.id = attempt.channel_id
        ORDER BY attempt.id DESC`,
      [...parametersOf(filter), most],
    );
    return rows.map(({ sum, ...last }) => ({ attempts: Number(sum), last: toAttempt(last) }));
  }

  /** The users of calls are known from the log, so a filter by user needs its permission. */
  private authorize(actor: MaybeActor, { userIds }: FailedAttemptFilter): void {
    requirePermission(actor, 'channels.read');
    if (userIds) requirePermission(actor, 'logs.read');
  }
}

const parametersOf = ({ channelIds, models, userIds, requestId, keyEndings }: FailedAttemptFilter): unknown[] => [
  ...[channelIds ?? null, models ?? null, userIds ?? null, requestId?.replaceAll('\0', '') ?? null],
  keyEndings ?? null,
];

const toAttempt = (row: Row): FailedAttempt => ({
  ...row,
  kind: failureKinds.find((kind) => kind === row.kind) ?? 'OTHER',
});
