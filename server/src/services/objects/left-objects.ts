import type { Queries } from '../../platform/db/queries.js';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { ScheduledRuns } from '../../shared/scheduled-runs.js';
import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import type { ObjectApi } from '../../dialects/contract.js';
import type { ObjectAccounts } from './object-accounts.js';
import type { ObjectExchange } from './object-exchange.js';
import type { KeptObjects } from './kept-objects.js';
import { kindOf, resources } from './resources.js';

interface LeftObjectsDeps {
  readonly database: Queries;
  readonly state: SharedState;
  readonly nodeId: string;
  readonly accounts: ObjectAccounts;
  readonly exchange: ObjectExchange;
  readonly objects: KeptObjects;
  readonly logger: { warn(details: object, message: string): void };
}

interface LeftRow {
  readonly id: string;
  readonly kind: string;
  readonly channelId: number;
  readonly keyMark: string;
}

const minute = 60_000;
const leaseSeconds = 300;
const maxBatch = 100;

/** Objects whose creation did not end: the node stopped, or the provider never responded. */
const abandonedSql = `DELETE FROM provider_objects WHERE object_id IS NULL AND created_at < now() - interval '2 days'`;
const expiredSql = 'DELETE FROM provider_objects WHERE expires_at < now()';
/** Objects of deleted users. Deletions that failed are repeated, at most once a day. */
const leftSql = `UPDATE provider_objects SET tries = tries + 1,
    next_try_at = now() + least(interval '1 day', interval '1 minute' * power(2, least(tries, 12)))
  WHERE id IN (
    SELECT object.id FROM provider_objects object LEFT JOIN users ON users.id = object.user_id AND users.deleted_at IS NULL
     WHERE users.id IS NULL AND object.object_id IS NOT NULL
       AND (object.next_try_at IS NULL OR object.next_try_at <= now())
     ORDER BY object.id LIMIT ${maxBatch})
  RETURNING object_id AS id, kind, channel_id AS "channelId", key_mark AS "keyMark"`;

/** Deletes objects of deleted users at their makers, and rows of objects that no longer exist. */
export class LeftObjects {
  private readonly runs = new ScheduledRuns(
    () => this.run(),
    (err) => this.deps.logger.warn({ err }, 'objects of deleted users could not be deleted'),
  );

  constructor(private readonly deps: LeftObjectsDeps) {}

  start(): void {
    this.runs.every(minute);
  }

  stop(): Promise<void> {
    return this.runs.stop();
  }

  /** Does the work once, unless another node does it. */
  async run(): Promise<void> {
    const { database, state, nodeId } = this.deps;
    if (!(await state.lease('provider-objects', nodeId, leaseSeconds))) return;
    await database.query(abandonedSql);
    await database.query(expiredSql);
    for (const object of rowsOf(await database.query(leftSql))) await this.delete(object);
  }

  private async delete(object: LeftRow): Promise<void> {
    const { accounts, exchange, objects, logger } = this.deps;
    const [api = '', name = ''] = object.kind.split('/', 2);
    const resource = resources.find(
      (one) => kindOf(api as ObjectApi, one) === object.kind && one.apis.includes(api as ObjectApi),
    );
    const account = accounts.usable(object, api as ObjectApi, null);
    try {
      // Without its key or channel, the site cannot reach the object any more.
      if (account && resource?.removes) {
        const id = api === 'gemini' ? object.id.slice(name.length + 1) : object.id;
        const path = `${resource.path}/${encodeURIComponent(id)}`;
        await exchange.ask(account, { method: 'DELETE', path, headers: betaHeaders(api) }, (answer) =>
          exchange.collect(answer),
        );
      }
    } catch (err) {
      if (!(err instanceof UpstreamError) || err.status !== 404) {
        logger.warn(
          { err, kind: object.kind, channelId: object.channelId },
          'an object of a deleted user could not be deleted',
        );
        return;
      }
    }
    await objects.remove(object.id, object);
  }
}

/** The versions of Anthropic's API that have files and skills (docs.anthropic.com, November 2026). */
const betaHeaders = (api: string): Record<string, string> =>
  api === 'anthropic' ? { 'anthropic-beta': 'files-api-2025-04-14,skills-2025-10-02' } : {};

/** TypeORM returns the rows of an update with their number. */
const rowsOf = (result: unknown): readonly LeftRow[] => {
  const list = result as readonly unknown[];
  return (Array.isArray(list[0]) ? list[0] : list) as readonly LeftRow[];
};
