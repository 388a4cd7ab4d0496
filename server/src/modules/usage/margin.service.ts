import { requireRole, type MaybeActor } from '../../shared/actor.js';
import { seconds, type Clock } from '../../shared/clock.js';
import type { OptionValues } from '../options/option.service.js';
import { hour, type Queries } from '../sums/sums.service.js';
import type { UsageFilter } from './usage-query.js';

/** What a channel earned with the calls of which its provider says what it charged. */
export interface ChannelMargin {
  readonly channelId: number;
  /** Calls whose cost is known. */
  readonly calls: number;
  /** What users were charged for them. */
  readonly usd: number;
  /** What the provider charged for them. */
  readonly upstreamUsd: number;
  /** Less than nothing where more was paid than earned. */
  readonly marginUsd: number;
}

interface Row {
  readonly channelId: number;
  readonly calls: number;
  readonly quota: number;
  readonly upstreamUsd: number;
}

const month = 30 * 24 * hour;

/** Margins: only of calls whose provider says what they cost it (OpenRouter, Perplexity, xAI and who follows them). */
export class MarginService {
  constructor(
    private readonly parts: {
      readonly database: Queries;
      readonly options: { readonly values: Pick<OptionValues, 'QuotaPerUnit'> };
      readonly clock: Clock;
    },
  ) {}

  /**
   * Channels with such calls, who earned most first; the last 30 days unless the filter says when, whole hours like usage.
   * @throws AppError INSUFFICIENT_PRIVILEGES below admin
   */
  async list(actor: MaybeActor, range: Pick<UsageFilter, 'from' | 'to'>): Promise<ChannelMargin[]> {
    requireRole(actor, 'admin');
    const { database, options, clock } = this.parts;
    const to = range.to ?? seconds(clock);
    const from = range.from ?? to - month;
    const rows = await database.query<Row[]>(
      `SELECT channel_id AS "channelId", sum(calls)::float8 AS calls, sum(quota)::float8 AS quota,
              (sum(nano_usd) / 1000000000.0)::float8 AS "upstreamUsd"
         FROM (SELECT channel_id, calls, quota, nano_usd FROM upstream_costs WHERE hour >= $1 AND hour < $2
               UNION ALL
               SELECT channel_id, 1, quota, nano_usd FROM upstream_costs_new WHERE created_at >= $1 AND created_at < $2) known
        GROUP BY channel_id`,
      [from - (from % hour), to - (to % hour) + hour],
    );
    const { QuotaPerUnit } = options.values;
    return rows
      .map(({ quota, ...row }) => ({
        ...row,
        usd: quota / QuotaPerUnit,
        marginUsd: quota / QuotaPerUnit - row.upstreamUsd,
      }))
      .sort((one, two) => two.marginUsd - one.marginUsd || one.channelId - two.channelId);
  }
}
