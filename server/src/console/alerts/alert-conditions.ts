import type { DataSource } from 'typeorm';
import type { Actor } from '../../shared/actor.js';
import { seconds, type Clock } from '../../shared/clock.js';
import type { OptionValues } from '../../options/option.service.js';
import type { BelowCostService } from '../prices/index.js';
import { reconcile } from '../../billing/ledger/index.js';
import type { AlertFacts } from './alert.entity.js';

/** The subjects for which a condition holds: ids of channels, 0 for the site. */
export type Found = ReadonlyMap<number | null, AlertFacts>;

export interface AlertConditionsDeps {
  readonly database: Pick<DataSource, 'query' | 'transaction'>;
  readonly belowCost: Pick<BelowCostService, 'list'>;
  readonly options: { readonly values: OptionValues };
  readonly clock: Clock;
}

/** Calls of the last 10 to 15 minutes, from rollups of five minutes. */
const windowSeconds = 600;
/** Number of calls below which a failure rate is not reliable. */
export const minCalls = 20;
const maxModels = 10;
const maxReason = 500;

/**
 * Reads which conditions hold now. A condition finds nothing while its setting is off. `endpointsOff` has no setting, and
 * `alert.jobs.ts` decides when `drifts` runs.
 */
export class AlertConditions {
  constructor(private readonly deps: AlertConditionsDeps) {}

  /** Channels that the gateway disabled. */
  async disabledChannels(): Promise<Found> {
    if (!this.deps.options.values['alerts.channel_disabled']) return new Map();
    const rows = await this.deps.database.query<Array<{ id: number; name: string; reason: string }>>(
      "SELECT id, name, left(status_reason, $1) AS reason FROM channels WHERE status = 'autoDisabled'",
      [maxReason],
    );
    return new Map(rows.map(({ id, name, reason }) => [id, { channelName: name, reason }]));
  }

  /** Enabled channels whose last known balance is below the threshold. Channels without a known balance are left out. */
  async lowBalances(): Promise<Found> {
    const threshold = this.deps.options.values['alerts.channel_balance_below'];
    if (threshold === 0) return new Map();
    const rows = await this.deps.database.query<Array<{ id: number; name: string; balance: number }>>(
      "SELECT id, name, balance FROM channels WHERE status = 'enabled' AND balance_at IS NOT NULL AND balance < $1",
      [threshold],
    );
    return new Map(rows.map(({ id, name, balance }) => [id, { channelName: name, balance, threshold }]));
  }

  /**
   * Channels at which too large a part of the recent calls failed, although another channel may have served them then. A
   * failed attempt is counted in `channel_failures`, and once more in the usage when no other channel served its call.
   */
  async errorRates(): Promise<Found> {
    const { options, clock, database } = this.deps;
    const threshold = options.values['alerts.error_rate_percent'];
    if (threshold === 0) return new Map();
    const now = seconds(clock);
    const rows = await database.query<Array<{ id: number; name: string; calls: string; failed: string }>>(
      `SELECT c.id, c.name, r.calls::text, r.failed::text
         FROM (SELECT channel_id, served + failed AS calls, failed
                 FROM (SELECT channel_id, sum(calls) AS served, greatest(sum(failed_calls), sum(attempts)) AS failed
                         FROM (SELECT channel_id, calls, failed_calls, 0 AS attempts FROM usage_five_minutes WHERE start >= $1
                               UNION ALL
                               SELECT channel_id, 0, 0, attempts FROM channel_failures WHERE start >= $1) counts
                        GROUP BY channel_id) sums) r
         JOIN channels c ON c.id = r.channel_id
        WHERE r.calls >= $2 AND r.failed * 100 >= r.calls * $3`,
      [now - (now % 300) - windowSeconds, minCalls, threshold],
    );
    return new Map(
      rows.map(({ id, name, calls, failed }) => [
        id,
        { channelName: name, calls: Number(calls), failedCalls: Number(failed), threshold },
      ]),
    );
  }

  /**
   * Models that are sold below cost, in one alert of the site with the number of channels of each: a price that loses does so
   * at all channels with the model. @param root who may read costs
   */
  async salesBelowCost(root: Actor): Promise<Found> {
    if (!this.deps.options.values['alerts.below_cost']) return new Map();
    const channels = new Map<string, number>();
    for (const { modelName } of await this.deps.belowCost.list(root, [], null)) {
      channels.set(modelName, (channels.get(modelName) ?? 0) + 1);
    }
    if (channels.size === 0) return new Map();
    const most = [...channels].sort(([, one], [, other]) => other - one).slice(0, maxModels);
    const models = most.map(([name, count]) => (count === 1 ? name : `${name} (${count})`));
    return new Map([[null, { models, count: channels.size }]]);
  }

  /** Endpoints of webhooks that the server switched off because they failed, until an admin switches them on or deletes them. */
  async endpointsOff(): Promise<Found> {
    const rows = await this.deps.database.query<Array<{ name: string }>>(
      'SELECT name FROM webhook_endpoints WHERE NOT enabled AND switched_off_at IS NOT NULL ORDER BY id',
    );
    const endpoints = rows.slice(0, maxModels).map(({ name }) => name);
    return rows.length === 0 ? new Map() : new Map([[null, { endpoints, count: rows.length }]]);
  }

  /** Verifies the ledger like `npm run reconcile`. The time depends on the size of the ledger. */
  async drifts(): Promise<Found> {
    const found = await this.deps.database.transaction('REPEATABLE READ', async (transaction) => {
      await transaction.query('SET TRANSACTION READ ONLY');
      await transaction.query('SET LOCAL statement_timeout = 0');
      return reconcile({ query: async (text, values) => ({ rows: await transaction.query(text, values) }) });
    });
    return found.length === 0 ? new Map() : new Map([[null, { count: found.length }]]);
  }
}
