import { keyEnding } from '../../dialects/providers/channel-keys.js';
import type { OptionValues } from '../../options/option.service.js';
import type { Logger } from '../../platform/observability/logger.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { isAppError } from '../../shared/errors.js';
import type { FailureKind } from '../../shared/failure-kind.js';
import { ScheduledRuns } from '../../shared/scheduled-runs.js';
import { storableText } from '../../shared/json.js';
import { failureKind } from '../../dialects/errors/failure-kind.js';
import { withConnectionCause } from '../../dialects/errors/connection-cause.js';
import { maskSecrets } from '../../dialects/errors/mask-secrets.js';
import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import type { Queries } from '../../platform/db/queries.js';

export interface ChannelFailuresDeps {
  readonly database: Queries;
  readonly options: { readonly values: Pick<OptionValues, 'LogErrorEnabled'> };
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Failures {
  readonly start: number;
  readonly channelId: number;
  readonly kind: FailureKind;
  attempts: number;
  lastAt: number;
  lastModel: string;
  lastError: string;
}

/** A call whose attempt failed, and the key it used. */
interface Attempted {
  readonly requestId: string;
  readonly userId: number;
  readonly model: string;
  readonly channelId: number;
  readonly key: string;
}

/** A failed attempt. `attempts` is above 1 if it stands for further ones like it. */
interface Attempt extends Failures {
  requestId: string;
  userId: number;
  status: number | null;
  readonly keyEnding: string;
}

interface Rescues {
  readonly start: number;
  readonly channelId: number;
  attempts: number;
}

const everyMilliseconds = 2_000;
const bucketSeconds = 300;
/** Maximum number of rows that wait for the database. While it is unreachable, further rows are dropped. */
const maxWaiting = 20_000;
const maxText = 300;
/** Maximum number of single attempts that are stored at a time for one key and kind of failure. */
const maxAlike = 10;
/** Maximum number of them for refused requests, which a client can repeat at will and which say nothing about the channel. */
const maxRequests = 1;

// Rows are written in one order on all nodes, so that two nodes cannot deadlock.
const failuresSql = `INSERT INTO channel_failures AS f (start, channel_id, kind, attempts, last_at, last_model, last_error)
  SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])
    AS noted (start, channel_id, kind, attempts, last_at, last_model, last_error) ORDER BY start, channel_id, kind
  ON CONFLICT (start, channel_id, kind) DO UPDATE SET attempts = f.attempts + excluded.attempts,
    last_model = CASE WHEN excluded.last_at >= f.last_at THEN excluded.last_model ELSE f.last_model END,
    last_error = CASE WHEN excluded.last_at >= f.last_at THEN excluded.last_error ELSE f.last_error END,
    last_at = greatest(f.last_at, excluded.last_at)`;

const attemptsSql = `INSERT INTO failed_attempts (at, request_id, user_id, channel_id, key_ending, model, kind, status, error, attempts)
  SELECT to_timestamp(at), request_id, user_id, channel_id, key_ending, model, kind, status, error, attempts
    FROM unnest($1::bigint[], $2::text[], $3::int[], $4::int[], $5::text[], $6::text[], $7::text[], $8::int[], $9::text[],
      $10::int[]) AS noted (at, request_id, user_id, channel_id, key_ending, model, kind, status, error, attempts)`;

const rescuesSql = `INSERT INTO channel_rescues AS r (start, channel_id, attempts)
  SELECT * FROM unnest($1::bigint[], $2::int[], $3::bigint[]) AS noted (start, channel_id, attempts)
    ORDER BY start, channel_id
  ON CONFLICT (start, channel_id) DO UPDATE SET attempts = r.attempts + excluded.attempts`;

/**
 * Counts failed attempts by channel and kind, and failures after which another channel served the call. Single attempts
 * are stored too, with their keys, but only the first ones of each kind while many fail. Calls that
 * succeed at the first channel never come here. Counts are kept in memory for two seconds and then written together, so
 * that an outage of a provider costs one statement for all its failures.
 */
export class ChannelFailures {
  private failures = new Map<string, Failures>();
  private rescues = new Map<string, Rescues>();
  private attempts = new Map<string, Attempt[]>();
  private readonly runs = new ScheduledRuns(
    () => this.write(),
    (err) => this.deps.logger.warn({ err }, 'failed attempts could not be stored'),
  );

  constructor(private readonly deps: ChannelFailuresDeps) {}

  /** Counts a failed attempt. */
  note(attempted: Attempted, error: unknown): void {
    const { channelId } = attempted;
    const now = seconds(this.deps.clock);
    const kind = failureKind(error);
    const start = now - (now % bucketSeconds);
    const key = `${start} ${channelId} ${kind}`;
    const known = this.failures.get(key);
    if (!known && this.failures.size >= maxWaiting) return;
    const failures = known ?? { start, channelId, kind, attempts: 0, lastAt: 0, lastModel: '', lastError: '' };
    if (!known) this.failures.set(key, failures);
    failures.attempts++;
    failures.lastAt = now;
    failures.lastModel = storableText(attempted.model).slice(0, maxText);
    failures.lastError = this.textOf(error, kind);
    this.keep(attempted, failures, error instanceof UpstreamError ? error.status : null);
  }

  /** Keeps a single attempt. If there are many like it, the last one counts the others too. */
  private keep({ requestId, userId, key }: Attempted, failure: Failures, status: number | null): void {
    const ending = keyEnding(key);
    const name = `${failure.channelId} ${failure.kind} ${ending}`;
    const alike = this.attempts.get(name);
    if (!alike && this.attempts.size >= maxWaiting / maxAlike) return;
    const attempts = alike ?? [];
    if (!alike) this.attempts.set(name, attempts);
    const more = attempts.length < (failure.kind === 'REQUEST' ? maxRequests : maxAlike) ? undefined : attempts.pop();
    attempts.push({ ...failure, requestId, userId, status, keyEnding: ending, attempts: (more?.attempts ?? 0) + 1 });
  }

  /** Counts that another channel served the call of a failed attempt of this channel. */
  rescued(channelId: number): void {
    const now = seconds(this.deps.clock);
    const start = now - (now % bucketSeconds);
    const key = `${start} ${channelId}`;
    const known = this.rescues.get(key);
    if (known) known.attempts++;
    else if (this.rescues.size < maxWaiting) this.rescues.set(key, { start, channelId, attempts: 1 });
  }

  start(): void {
    this.runs.every(everyMilliseconds);
  }

  /** Stores the waiting counts. */
  async stop(): Promise<void> {
    await this.store();
    await this.runs.stop();
  }

  /** Stores the waiting counts. Never throws: counts that cannot be stored are lost. */
  store(): Promise<void> {
    return this.runs.run();
  }

  private async write(): Promise<void> {
    if (this.failures.size === 0 && this.rescues.size === 0) return;
    const [failures, rescues] = [[...this.failures.values()], [...this.rescues.values()]];
    const attempts = [...this.attempts.values()].flat();
    this.failures = new Map();
    this.rescues = new Map();
    this.attempts = new Map();
    const { database } = this.deps;
    if (failures.length > 0) {
      await database.query(failuresSql, [
        ...[failures.map(({ start }) => start), failures.map(({ channelId }) => channelId)],
        ...[failures.map(({ kind }) => kind), failures.map(({ attempts }) => attempts)],
        ...[failures.map(({ lastAt }) => lastAt), failures.map(({ lastModel }) => lastModel)],
        failures.map(({ lastError }) => lastError),
      ]);
    }
    if (attempts.length > 0) {
      await database.query(attemptsSql, [
        ...[attempts.map(({ lastAt }) => lastAt), attempts.map(({ requestId }) => requestId)],
        ...[attempts.map(({ userId }) => userId), attempts.map(({ channelId }) => channelId)],
        ...[attempts.map(({ keyEnding }) => keyEnding), attempts.map(({ lastModel }) => lastModel)],
        ...[attempts.map(({ kind }) => kind), attempts.map(({ status }) => status)],
        ...[attempts.map(({ lastError }) => lastError), attempts.map(({ attempts: count }) => count)],
      ]);
    }
    if (rescues.length > 0) {
      await database.query(rescuesSql, [
        rescues.map(({ start }) => start),
        rescues.map(({ channelId }) => channelId),
        rescues.map(({ attempts }) => attempts),
      ]);
    }
  }

  /**
   * Returns the error text to store. A provider that refuses a request may repeat the prompt in its message. That
   * message is kept only if errors are logged anyway.
   */
  private textOf(error: unknown, kind: FailureKind): string {
    if (error instanceof UpstreamError) {
      const { type, code } = error.detail;
      const isKept = kind !== 'REQUEST' || this.deps.options.values.LogErrorEnabled;
      const message = isKept ? error.message : String(code ?? type ?? '');
      return short(message === '' ? `status ${error.status}` : `status ${error.status}: ${message}`);
    }
    if (!isAppError(error)) return '';
    return short(withConnectionCause(error));
  }
}

const short = (text: string): string => storableText(maskSecrets(text)).slice(0, maxText);
