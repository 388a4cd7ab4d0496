import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { Retention, type RetentionDeps } from '../../platform/db/retention.js';
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import { dateOf, seconds, type Clock } from '../../shared/clock.js';
import { isAppError } from '../../shared/errors.js';
import { ScheduledRuns } from '../../shared/scheduled-runs.js';
import type { Secrets } from '../../shared/secrets.js';
import { bodyOf, headersOf } from './webhook-message.js';

export interface WebhookSenderDeps {
  readonly database: Pick<DataSource, 'query'>;
  readonly state: Pick<SharedState, 'lease'>;
  readonly fetch: Pick<GuardedFetch, 'fetch'>;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

const everyMilliseconds = 1000;
/** Seconds. A node that sends renews the lease at every tick. */
const leaseSeconds = 15;
const timeoutMs = 10_000;
/** Seconds. It is longer than an attempt takes: a delivery that was claimed for longer belongs to a dead node. */
const claimSeconds = 60;
/** Seconds before the second and each later attempt: about three days. */
const pauses = [5, 30, 120, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600, 24 * 3600];
/** Attempts for which later events of the endpoint wait. After that they may overtake the one that fails. */
const triesInOrder = 3;
/** The endpoint is switched off if every attempt failed for so long. */
const longestFailing = '3 days';
const maxResponse = 2048;
/** Responses that are longer are not read to their end. */
const maxBytes = 256 * 1024;

interface Claimed {
  readonly id: string;
  readonly tries: number;
  readonly name: string;
  readonly kind: string;
  readonly data: Record<string, unknown>;
  readonly createdAt: Date;
  readonly url: string;
  readonly secretSealed: string;
}

interface Outcome {
  readonly status: number | null;
  readonly response: string;
  /** Empty: the endpoint accepted the event. */
  readonly error: string;
}

const endpointsSql = `
  SELECT e.id FROM webhook_endpoints e
   WHERE e.enabled AND EXISTS (SELECT 1 FROM webhook_deliveries d
                                WHERE d.endpoint_id = e.id AND d.state = 'pending' AND d.due_at <= now())`;
/** The oldest due delivery of an endpoint, unless an earlier one waits for one of its first attempts. */
const claimSql = `
  WITH next AS (
    SELECT d.id FROM webhook_deliveries d
     WHERE d.endpoint_id = $1 AND d.state = 'pending' AND d.due_at <= now()
       AND NOT EXISTS (SELECT 1 FROM webhook_deliveries before
                        WHERE before.endpoint_id = $1 AND before.state = 'pending' AND before.id < d.id
                          AND before.tries BETWEEN 1 AND ${triesInOrder - 1} AND before.due_at > now())
     ORDER BY d.id LIMIT 1 FOR UPDATE SKIP LOCKED),
  claimed AS (
    UPDATE webhook_deliveries d SET tries = tries + 1, due_at = now() + interval '${claimSeconds} seconds'
      FROM next WHERE d.id = next.id RETURNING d.id, d.tries, d.event_id, d.endpoint_id)
  SELECT c.id, c.tries, event.name, event.kind, event.data, event.created_at AS "createdAt", e.url,
         e.secret_sealed AS "secretSealed"
    FROM claimed c JOIN site_events event ON event.id = c.event_id
    JOIN webhook_endpoints e ON e.id = c.endpoint_id AND e.enabled`;
const settleSql = `
  UPDATE webhook_deliveries SET state = $2, due_at = now() + make_interval(secs => $3), tried_at = now(), duration_ms = $4,
         status = $5, response = $6, error = $7 WHERE id = $1`;

/**
 * Sends events to endpoints: one node at a time, one delivery of an endpoint after the other, endpoints beside each other. An
 * event may arrive twice, if its node died before it stored the outcome; its id is the same.
 */
export class WebhookSender {
  private readonly ending = new AbortController();
  private readonly busy = new Map<number, Promise<void>>();
  private readonly runs = new ScheduledRuns(
    () => this.tick(),
    (error) => this.deps.logger.warn({ err: error }, 'webhooks could not be sent'),
  );

  constructor(private readonly deps: WebhookSenderDeps) {}

  start(): void {
    this.runs.every(everyMilliseconds);
  }

  /** Aborts running attempts, which are repeated by another node or after the next start. */
  async stop(): Promise<void> {
    this.ending.abort();
    await this.runs.stop();
    await Promise.all(this.busy.values());
  }

  private async tick(): Promise<void> {
    const { state, nodeId, database } = this.deps;
    if (!(await state.lease('webhooks', nodeId, leaseSeconds))) return;
    for (const { id } of await database.query<Array<{ id: number }>>(endpointsSql)) {
      if (this.busy.has(id) || this.ending.signal.aborted) continue;
      const work = this.sendAll(id)
        .catch((error: unknown) => this.deps.logger.warn({ err: error, endpoint: id }, 'webhooks could not be sent'))
        .finally(() => this.busy.delete(id));
      this.busy.set(id, work);
    }
  }

  private async sendAll(endpointId: number): Promise<void> {
    while (!this.ending.signal.aborted) {
      const [claimed] = await this.deps.database.query<Claimed[]>(claimSql, [endpointId]);
      if (!claimed) return;
      await this.send(endpointId, claimed);
    }
  }

  private async send(endpointId: number, { id, tries, url, secretSealed, ...event }: Claimed): Promise<void> {
    const { database, secrets, clock } = this.deps;
    const body = bodyOf(event);
    const begun = performance.now();
    const outcome = await this.attempt(url, body, () =>
      headersOf(event.name, body, secrets.open(secretSealed), seconds(clock)),
    );
    if (outcome === null) {
      await database.query('UPDATE webhook_deliveries SET tries = tries - 1, due_at = now() WHERE id = $1', [id]);
      return;
    }
    const { status, response, error } = outcome;
    const pause = error === '' ? undefined : pauses[tries - 1];
    const state = error === '' ? 'delivered' : pause === undefined ? 'failed' : 'pending';
    const duration = Math.round(performance.now() - begun);
    await database.query(settleSql, [id, state, pause ?? 0, duration, status, response, error]);
    await this.judge(endpointId, error === '', status === 410);
  }

  /** @returns null when it was aborted by `stop` */
  private async attempt(url: string, body: string, headers: () => Record<string, string>): Promise<Outcome | null> {
    const { signal } = this.ending;
    const start: Buffer[] = [];
    let size = 0;
    const take = (bytes: Buffer): void => {
      if (size < maxResponse) start.push(bytes.subarray(0, maxResponse - size));
      size += bytes.length;
    };
    const response = (): string => Buffer.concat(start).toString('utf8').replaceAll('\0', '');
    try {
      const call = { url, body, timeoutMs, maxBytes, signal, take, headers: headers(), followRedirects: false };
      const { status } = await this.deps.fetch.fetch({ ...call, method: 'POST', policy: 'public-only' });
      const error = status >= 200 && status < 300 ? '' : `The endpoint responded with status ${status}`;
      return { status, response: response(), error };
    } catch (error) {
      if (signal.aborted) return null;
      // The message of another error may contain an address of the network.
      return { status: null, response: response(), error: isAppError(error) ? error.message : 'It could not be sent' };
    }
  }

  /** Notes whether the endpoint works. One that failed for long, or says that it is gone, is switched off. */
  private async judge(endpointId: number, isAccepted: boolean, isGone: boolean): Promise<void> {
    const { database } = this.deps;
    if (isAccepted) {
      await database.query(
        'UPDATE webhook_endpoints SET failing_since = NULL WHERE id = $1 AND failing_since IS NOT NULL',
        [endpointId],
      );
      return;
    }
    await database.query(
      `WITH judged AS (
         UPDATE webhook_endpoints e
            SET failing_since = coalesce(e.failing_since, now()), enabled = NOT off.now,
                switched_off_at = CASE WHEN off.now THEN now() ELSE e.switched_off_at END
           FROM (SELECT $2 OR coalesce(failing_since < now() - interval '${longestFailing}', false) AS now
                   FROM webhook_endpoints WHERE id = $1) off
          WHERE e.id = $1 AND e.enabled RETURNING e.enabled)
       UPDATE webhook_deliveries SET state = 'failed', error = CASE WHEN error = '' THEN 'The endpoint was switched off' ELSE error END
        WHERE endpoint_id = $1 AND state = 'pending' AND EXISTS (SELECT 1 FROM judged WHERE NOT enabled)`,
      [endpointId, isGone],
    );
  }
}

/** Seconds. */
const retention = 30 * 86_400;

/** Deletes old events with their deliveries, but those that are still to be sent. */
export class SiteEventRetention extends Retention<RetentionDeps & { readonly database: Pick<DataSource, 'query'> }> {
  protected readonly lease = 'site-event-retention';
  protected readonly rows = 'events of the site beyond their retention';

  protected async delete(now: number): Promise<number> {
    const [, count] = await this.deps.database.query<[unknown, number]>(
      `DELETE FROM site_events event WHERE created_at < $1
          AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
                           WHERE d.event_id = event.id AND d.state = 'pending' AND e.enabled)`,
      [dateOf(now - retention)],
    );
    return count;
  }
}
