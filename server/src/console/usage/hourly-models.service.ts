import { requireActor, requirePermission, type MaybeActor } from '../../shared/actor.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { OptionValues } from '../../options/option.service.js';
import {
  hour,
  type Range,
  readSnapshot,
  type Snapshots,
  usageFrom,
  type Watermarks,
} from '../../billing/rollups/index.js';

/** The usage of one model in an hour (docs/reference/rest/entities.md#other-entities). */
export interface HourlyModelUsage {
  /** Start of the hour, Unix seconds. */
  readonly hour: number;
  readonly modelName: string;
  readonly calls: number;
  readonly tokens: number;
  readonly quota: number;
}

export interface HourlyModelsDeps {
  readonly database: Snapshots;
  readonly options: { readonly values: Pick<OptionValues, 'DataExportEnabled'> };
  readonly clock: Clock;
}

const month = 30 * 24 * hour;
const maxHourlyModels = 100_000;

/** Usage by hour and model, for the old dashboards (docs/reference/rest/logs-and-usage.md#usage-data). */
export class HourlyModelsService {
  constructor(private readonly deps: HourlyModelsDeps) {}

  /**
   * Returns the data of `/api/data`: logged calls. Empty while the option DataExportEnabled is off.
   * @param username only this user
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  async list(
    actor: MaybeActor,
    range: { readonly from?: number; readonly to?: number },
    username?: string,
  ): Promise<{ userId: number; rows: HourlyModelUsage[] }> {
    requirePermission(actor, 'usage.read');
    if (username === undefined) return { userId: 0, rows: await this.readModels(range, null) };
    const [user] = await this.deps.database.query<Array<{ id: number }>>('SELECT id FROM users WHERE username = $1', [
      username.replaceAll('\0', ''),
    ]);
    return user ? { userId: user.id, rows: await this.readModels(range, user.id) } : { userId: 0, rows: [] };
  }

  /** @throws AppError INVALID_INPUT for more than a month */
  async listOwn(
    actor: MaybeActor,
    range: { readonly from?: number; readonly to?: number },
  ): Promise<HourlyModelUsage[]> {
    const { id } = requireActor(actor);
    const to = range.to ?? seconds(this.deps.clock);
    const from = range.from ?? to - month;
    if (to - from > month) throw new InvalidInputError('Time span must not exceed 1 month', 'end_timestamp');
    return this.readModels({ from, to }, id);
  }

  private async readModels(
    range: { readonly from?: number; readonly to?: number },
    userId: number | null,
  ): Promise<HourlyModelUsage[]> {
    if (!this.deps.options.values.DataExportEnabled) return [];
    const whole = wholeHours(range.from ?? 0, range.to ?? seconds(this.deps.clock));
    const [answer] = await readSnapshot(this.deps.database, (transaction, state) => {
      const { sql, values } = hourlyModelStatement(whole, userId, maxHourlyModels, state);
      return transaction.query<Array<{ rows: string }>>(sql, values);
    });
    const rows = JSON.parse(answer?.rows ?? '[]') as Array<[number, string, number, number, number]>;
    // The rows are sorted here, because sorting nearly sorted rows is cheap.
    rows.sort(([hourA, modelA], [hourB, modelB]) => hourA - hourB || (modelA < modelB ? -1 : modelA > modelB ? 1 : 0));
    return rows.map(([start, modelName, calls, tokens, quota]) => ({ hour: start, modelName, calls, tokens, quota }));
  }
}

/** Returns the legacy time range of full hours, both ends included. Unix seconds. */
export const wholeHours = (from: number, to: number): Range => ({
  from: Math.floor(from / hour) * hour,
  end: (Math.floor(to / hour) + 1) * hour,
});

/**
 * Logged calls by hour and model, in the order of hours: `rows` is a JSON list of `[hour, model, calls, tokens,
 * quota]`. A month has thousands of such rows, and the driver takes longer to read rows than the database to find them.
 * When the limit cuts the list, some models of its last hour may be missing.
 */
function hourlyModelStatement(
  range: Range,
  userId: number | null,
  limit: number,
  state: Watermarks,
): { sql: string; values: unknown[] } {
  const from = usageFrom(
    {
      ranges: [range],
      columns: ['model_name', ...(userId === null ? [] : ['user_id'])],
      condition: userId === null ? 'TRUE' : 'user_id = $1',
      longest: 'HOUR',
      fields: ['hour', 'model_name', 'logged_calls', 'prompt_tokens', 'completion_tokens', 'logged_quota'],
    },
    state,
  );
  const sql = `SELECT '[' || coalesce(string_agg(
      concat('[', hour, ',', to_json(model_name), ',', calls, ',', tokens, ',', quota, ']'), ','), '') || ']' AS rows
    FROM (SELECT hour, model_name, sum(logged_calls) AS calls, sum(prompt_tokens + completion_tokens) AS tokens,
                 sum(logged_quota) AS quota
            FROM ${from} WHERE logged_calls > 0 GROUP BY hour, model_name ORDER BY hour LIMIT ${limit}) models`;
  return { sql, values: userId === null ? [] : [userId] };
}
