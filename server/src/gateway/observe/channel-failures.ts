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

// Rows are written in one order on all nodes, so that two nodes cannot deadlock.
const failuresSql = `INSERT INTO channel_failures AS f (start, channel_id, kind, attempts, last_at, last_model, last_error)
  SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])
    AS noted (start, channel_id, kind, attempts, last_at, last_model, last_error) ORDER BY start, channel_id, kind
  ON CONFLICT (start, channel_id, kind) DO UPDATE SET attempts = f.attempts + excluded.attempts,
    last_model = CASE WHEN excluded.last_at >= f.last_at THEN excluded.last_model ELSE f.last_model END,
    last_error = CASE WHEN excluded.last_at >= f.last_at THEN excluded.last_error ELSE f.last_error END,
    last_at = greatest(f.last_at, excluded.last_at)`;

const rescuesSql = `INSERT INTO channel_rescues AS r (start, channel_id, attempts)
  SELECT * FROM unnest($1::bigint[], $2::int[], $3::bigint[]) AS noted (start, channel_id, attempts)
    ORDER BY start, channel_id
  ON CONFLICT (start, channel_id) DO UPDATE SET attempts = r.attempts + excluded.attempts`;

/**
 * Counts failed attempts by channel and kind, and failures after which another channel served the call. Calls that
 * succeed at the first channel never come here. Counts are kept in memory for two seconds and then written together, so
 * that an outage of a provider costs one statement for all its failures.
 */
export class ChannelFailures {
  private failures = new Map<string, Failures>();
  private rescues = new Map<string, Rescues>();
  private readonly runs = new ScheduledRuns(
    () => this.write(),
    (err) => this.deps.logger.warn({ err }, 'failed attempts could not be stored'),
  );

  constructor(private readonly deps: ChannelFailuresDeps) {}

  /** Counts a failed attempt. */
  note(channelId: number, model: string, error: unknown): void {
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
    failures.lastModel = storableText(model).slice(0, maxText);
    failures.lastError = this.textOf(error, kind);
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
    this.failures = new Map();
    this.rescues = new Map();
    const { database } = this.deps;
    if (failures.length > 0) {
      await database.query(failuresSql, [
        ...[failures.map(({ start }) => start), failures.map(({ channelId }) => channelId)],
        ...[failures.map(({ kind }) => kind), failures.map(({ attempts }) => attempts)],
        ...[failures.map(({ lastAt }) => lastAt), failures.map(({ lastModel }) => lastModel)],
        failures.map(({ lastError }) => lastError),
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
