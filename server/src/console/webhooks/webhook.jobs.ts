import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { Retention, type RetentionDeps } from '../../platform/db/retention.js';
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import { dateOf, seconds, type Clock } from '../../shared/clock.js';
import { isAppError, type ErrorCode } from '../../shared/errors.js';
import { ScheduledJob } from '../../shared/scheduled-runs.js';
import type { Secrets } from '../../shared/secrets.js';
import { bodyOf, headersOf } from './webhook-message.js';
import type { DeliveryFailure, WebhookDelivery } from './webhook.entity.js';

export interface WebhookSenderDeps {
  readonly database: Pick<DataSource, 'query'>;
  readonly state: Pick<SharedState, 'lease'>;
  readonly fetch: Pick<GuardedFetch, 'fetch'>;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

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
const maxFailing = '3 days';
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
  /** The newest first. */
  readonly secretsSealed: readonly string[];
}

/** Without a failure, the endpoint accepted the event. */
type Outcome = Pick<WebhookDelivery, 'status' | 'response' | 'failure'>;

/**
 * The two deliveries of an endpoint that can be next: the first of those that keep their order, and of the others the one
 * that is due first. An index has each, however many wait.
 */
const headsOf = (endpointId: string): string => `
  (SELECT id, due_at FROM webhook_deliveries
    WHERE endpoint_id = ${endpointId} AND state = 'pending' AND tries < ${triesInOrder} ORDER BY id LIMIT 1)
  UNION ALL
  (SELECT id, due_at FROM webhook_deliveries
    WHERE endpoint_id = ${endpointId} AND state = 'pending' AND tries >= ${triesInOrder} ORDER BY due_at LIMIT 1)`;
export const endpointsSql = `
  SELECT e.id FROM webhook_endpoints e
   WHERE e.enabled AND EXISTS (SELECT 1 FROM (${headsOf('e.id')}) head WHERE head.due_at <= now())`;
export const claimSql = `
  WITH next AS (SELECT head.id FROM (${headsOf('$1')}) head WHERE head.due_at <= now() ORDER BY head.id LIMIT 1),
  claimed AS (
    UPDATE webhook_deliveries d SET running = true, due_at = now() + interval '${claimSeconds} seconds'
      FROM next WHERE d.id = next.id AND d.state = 'pending' AND d.due_at <= now()
    RETURNING d.id, d.tries, d.event_id, d.endpoint_id)
  SELECT c.id, c.tries, event.name, event.kind, event.data, event.created_at AS "createdAt", e.url,
         array_remove(ARRAY[e.secret_sealed, CASE WHEN e.previous_secret_until > now() THEN e.previous_secret_sealed END],
                      NULL) AS "secretsSealed"
    FROM claimed c JOIN site_events event ON event.id = c.event_id
    JOIN webhook_endpoints e ON e.id = c.endpoint_id AND e.enabled`;
/** A delivery that failed because its endpoint was switched off meanwhile does not wait for another attempt. */
const settleSql = `
  UPDATE webhook_deliveries
     SET state = CASE WHEN state = 'failed' AND $2 = 'pending' THEN state ELSE $2 END, tries = tries + 1, running = false,
         due_at = now() + make_interval(secs => $3), tried_at = now(), duration_ms = $4, status = $5, response = $6, failure = $7
   WHERE id = $1`;
const failures: Partial<Record<ErrorCode, DeliveryFailure>> = {
  INVALID_INPUT: 'refused',
  UPSTREAM_TIMEOUT: 'timeout',
  UPSTREAM_UNREACHABLE: 'unreachable',
  UPSTREAM_INVALID_RESPONSE: 'too_large',
};

/**
 * Sends events to endpoints: one node at a time, one delivery of an endpoint after the other, endpoints beside each other. An
 * event may arrive twice, if its node died before it stored the outcome; its id is the same.
 */
export class WebhookSender extends ScheduledJob<WebhookSenderDeps> {
  protected readonly interval = 1000;
  protected readonly failure = 'webhooks could not be sent';
  protected override readonly runsAtStart = false;
  private readonly ending = new AbortController();
  private readonly busy = new Map<number, Promise<void>>();

  /** Aborts running attempts, which are repeated by another node or after the next start. */
  override async stop(): Promise<void> {
    this.ending.abort();
    await super.stop();
    await Promise.all(this.busy.values());
  }

  protected async work(): Promise<void> {
    const { state, nodeId, database } = this.deps;
    if (!(await state.lease('webhooks', nodeId, leaseSeconds))) return;
    for (const { id } of await database.query<Array<{ id: number }>>(endpointsSql)) {
      if (this.busy.has(id) || this.ending.signal.aborted) continue;
      const work = this.sendAll(id)
        .catch((error: unknown) => this.deps.logger.warn({ err: error, endpoint: id }, this.failure))
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

  private async send(endpointId: number, { id, tries, url, secretsSealed, ...event }: Claimed): Promise<void> {
    const { database, secrets, clock } = this.deps;
    const body = bodyOf(event);
    const begun = performance.now();
    const outcome = await this.attempt(url, body, () =>
      headersOf(
        event.name,
        body,
        secretsSealed.map((sealed) => secrets.open(sealed)),
        seconds(clock),
      ),
    );
    if (outcome === null) {
      await database.query('UPDATE webhook_deliveries SET running = false, due_at = now() WHERE id = $1', [id]);
      return;
    }
    const { status, response, failure } = outcome;
    const pause = failure === null ? undefined : pauses[tries];
    const state = failure === null ? 'delivered' : pause === undefined ? 'failed' : 'pending';
    const duration = Math.round(performance.now() - begun);
    await database.query(settleSql, [id, state, pause ?? 0, duration, status, response, failure]);
    await this.recordOutcome(endpointId, failure === null, status === 410);
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
      return { status, response: response(), failure: status >= 200 && status < 300 ? null : 'status' };
    } catch (error) {
      if (signal.aborted) return null;
      const failure = isAppError(error) ? failures[error.code] : undefined;
      if (!failure) this.deps.logger.warn({ err: error }, 'a webhook could not be sent');
      return { status: null, response: response(), failure: failure ?? 'internal' };
    }
  }

  /** Notes whether the endpoint works. An endpoint that failed for long, or reports that it is gone, is switched off. */
  private async recordOutcome(endpointId: number, isAccepted: boolean, isGone: boolean): Promise<void> {
    const { database } = this.deps;
    if (isAccepted) {
      await database.query(
        'UPDATE webhook_endpoints SET failing_since = NULL WHERE id = $1 AND failing_since IS NOT NULL',
        [endpointId],
      );
      return;
    }
    await database.query(
      `WITH failing AS (
         UPDATE webhook_endpoints e
            SET failing_since = coalesce(e.failing_since, now()), enabled = NOT off.now,
                switched_off_at = CASE WHEN off.now THEN now() ELSE e.switched_off_at END
           FROM (SELECT $2 OR coalesce(failing_since < now() - interval '${maxFailing}', false) AS now
                   FROM webhook_endpoints WHERE id = $1) off
          WHERE e.id = $1 AND e.enabled RETURNING e.enabled)
       UPDATE webhook_deliveries SET state = 'failed', failure = coalesce(failure, 'switched_off')
        WHERE endpoint_id = $1 AND state = 'pending' AND EXISTS (SELECT 1 FROM failing WHERE NOT enabled)`,
      [endpointId, isGone],
    );
  }
}

/** Seconds. */
const retention = 30 * 86_400;

/** Deletes old events and their deliveries, except events with a delivery that is still to be sent. */
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
