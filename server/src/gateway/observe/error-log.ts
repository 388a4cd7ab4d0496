import { familyOf } from '../../dialects/makers/charging.js';
import type { OptionValues } from '../../options/option.service.js';
import { LogType } from '../../shared/log-type.js';
import type { Logger } from '../../platform/observability/logger.js';
import { seconds, secondsIn, type Clock } from '../../shared/clock.js';
import { cutToBytes, maxIndexedBytes } from '../../shared/indexed-text.js';
import { storableJson, storableText } from '../../shared/json.js';
import type { FailureKind } from '../../shared/failure-kind.js';
import type { CallFailure } from '../../dialects/errors/failure.js';
import { failureKind } from '../../dialects/errors/failure-kind.js';
import type { Call } from '../call.js';
import { recordedAddress } from '../admit/authentication.js';
import type { Queries } from '../../platform/db/queries.js';

export interface ErrorLogDeps {
  readonly database: Queries;
  readonly options: { readonly values: Pick<OptionValues, 'LogErrorEnabled'> };
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A call that no channel could serve. */
export interface LoggedFailure {
  readonly call: Pick<Call, 'requestId' | 'path' | 'address' | 'caller' | 'startedAt'> & {
    readonly route: Pick<Call['route'], 'group' | 'model'>;
    readonly request: { readonly stream: boolean };
    readonly guard?: Call['guard'];
  };
  /** The error as it was thrown. */
  readonly error: unknown;
  /** The failure as shown to the client: masked and mapped. */
  readonly failure: CallFailure;
  /** Ids of the channels that were tried, in order. */
  readonly usedChannels: readonly number[];
}

/** Rows an hour of one server, so that a flood of failures neither fills the disk nor hides others. */
interface Limits {
  readonly total: number;
  readonly ofUser: number;
  /** Rows of each user that are written beyond the total: a few users cannot use up the rows of all others. */
  readonly always: number;
}

const failureLimits: Limits = { total: 2000, ofUser: 500, always: 20 };
/** A refused call costs its user nothing, so such calls have fewer rows, and rows of their own. */
const refusalLimits: Limits = { total: 500, ofUser: 50, always: 5 };
const hourMs = 3_600_000;

/** Counts the rows of an hour. */
class HourlyRows {
  private hour = 0;
  private total = 0;
  private readonly ofUser = new Map<number, number>();

  constructor(
    private readonly limits: Limits,
    private readonly deps: Pick<ErrorLogDeps, 'clock' | 'logger'>,
  ) {}

  /** Counts a row. @returns whether there is room for it */
  add(userId: number): boolean {
    const { total, ofUser, always } = this.limits;
    const hour = Math.floor(this.deps.clock.now() / hourMs);
    if (hour !== this.hour) {
      this.hour = hour;
      this.total = 0;
      this.ofUser.clear();
    }
    const rows = this.ofUser.get(userId) ?? 0;
    if (rows >= (this.total < total ? ofUser : always)) return false;
    this.ofUser.set(userId, rows + 1);
    this.total += 1;
    if (this.total === total) {
      this.deps.logger.warn({ maxRows: total }, 'too many failed calls: the rest of this hour is only counted');
    }
    return true;
  }
}

/** Maximum characters of a model name. Names of providers are shorter. */
const maxModelLength = 200;

const sql = `INSERT INTO logs (created_at, request_id, type, user_id, username, token_id, token_name, channel_id, model_name,
    "group", use_time, is_stream, content, other)
  SELECT $1, $2, ${LogType.error}, $3, $4, $5, $6, $7::integer, $8, $9, $10, $11, $12,
    ($13::jsonb || jsonb_build_object('channel_name', coalesce(c.name, ''), 'channel_type', coalesce(c.type, 0)))::text
  FROM (SELECT 1) AS one LEFT JOIN channels c ON c.id = $7::integer`;

/** Fills each table from the rows of the one before, so that rows are locked in the same order as by settlements. */
const countSql = `WITH hourly AS (
    INSERT INTO usage_hourly AS h (hour, user_id, token_id, channel_id, model_name, "group", failed_calls)
      VALUES ($1::bigint - $1::bigint % 3600, $2, $3, $4, $5, $6, 1)
      ON CONFLICT (hour, user_id, token_id, channel_id, model_name, "group") DO UPDATE SET failed_calls = h.failed_calls + 1
      RETURNING hour, channel_id, model_name, "group"), recent AS (
    INSERT INTO usage_five_minutes AS h (start, channel_id, model_name, failed_calls)
      SELECT $1::bigint - $1::bigint % 300, channel_id, model_name, 1 FROM hourly
      ON CONFLICT (start, channel_id, model_name) DO UPDATE SET failed_calls = h.failed_calls + 1
      RETURNING model_name)
  INSERT INTO model_failures AS f (hour, model_name, "group", kind, calls, last_at)
    SELECT hourly.hour, hourly.model_name, hourly."group", $7, 1, $1::bigint FROM hourly, recent
    ON CONFLICT (hour, model_name, "group", kind)
      DO UPDATE SET calls = f.calls + 1, last_at = greatest(f.last_at, excluded.last_at)`;

/**
 * Writes log rows of calls that no channel could serve (option LogErrorEnabled, docs/reference/relay/usage-log.md).
 * Writing is never awaited. Beyond the limits of an hour, failures are counted without a row.
 */
export class ErrorLog {
  private readonly failures: HourlyRows;
  private readonly refusals: HourlyRows;

  constructor(private readonly deps: ErrorLogDeps) {
    this.failures = new HourlyRows(failureLimits, deps);
    this.refusals = new HourlyRows(refusalLimits, deps);
  }

  /** Writes the log row in the background. Never throws. */
  note(failed: LoggedFailure): void {
    const { call, error, usedChannels } = failed;
    this.count(call, usedChannels.at(-1) ?? 0, failureKind(error));
    if (this.isOn && this.failures.add(call.caller.user.id)) this.write(failed);
  }

  /** Writes a row for a call that a guardrail refused, even with LogErrorEnabled off: it names the rule. Never throws. */
  guarded(refused: LoggedFailure): void {
    if (this.failures.add(refused.call.caller.user.id)) this.write(refused);
  }

  /**
   * Writes a row for a call to a model that has no price, or that no channel of the group serves. It is not counted,
   * because the client chose the name of the model. Never throws.
   */
  refused(refused: LoggedFailure): void {
    const { route, caller } = refused.call;
    if (!this.isOn || !this.refusals.add(caller.user.id)) return;
    const model = storableText(route.model).slice(0, maxModelLength);
    this.write({ ...refused, call: { ...refused.call, route: { ...route, model } } });
  }

  private get isOn(): boolean {
    return this.deps.options.values.LogErrorEnabled;
  }

  private write({ call, failure, usedChannels }: LoggedFailure): void {
    const { database, clock, logger } = this.deps;
    const { user, token } = call.caller;
    const channelId = usedChannels.at(-1) ?? 0;
    const durationMs = Math.max(0, Math.round(performance.now() - call.startedAt));
    const other = {
      error_type: failure.type,
      error_code: failure.code,
      status_code: failure.status,
      channel_id: channelId,
      request_path: call.path,
      ip: recordedAddress(call.caller, call.address),
      duration_ms: durationMs,
      admin_info: { use_channel: usedChannels.map(String), guardrails: call.guard?.notes },
    };
    const useTime = Math.round(secondsIn(durationMs));
    database
      .query(sql, [
        ...[seconds(clock), call.requestId, user.id, user.username, token.id, token.name, channelId],
        ...[call.route.model, call.route.group, useTime, call.request.stream],
        ...[cutToBytes(storableText(failure.message), maxIndexedBytes), storableJson(other)],
      ])
      .catch((error: unknown) =>
        logger.error({ err: error, requestId: call.requestId }, 'error log row could not be written'),
      );
  }

  /** Counts the failure for the error rate of dashboards, even while failures are not logged. */
  private count({ caller, route, requestId }: LoggedFailure['call'], channelId: number, kind: FailureKind): void {
    const { database, clock, logger } = this.deps;
    const model = familyOf(route.model);
    database
      .query(countSql, [seconds(clock), caller.user.id, caller.token.id, channelId, model, route.group, kind])
      .catch((error: unknown) => logger.error({ err: error, requestId }, 'failed call could not be counted'));
  }
}
