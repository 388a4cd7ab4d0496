import { hour } from './sum-blocks.js';
import type { Queries } from './sum-fold.js';

/** Adds up what providers said that calls cost, since the last time, by hour and channel. Each row is taken once. */
export async function foldUpstreamCosts(database: Queries): Promise<void> {
  await database.query(
    `WITH taken AS (DELETE FROM upstream_costs_new RETURNING *)
     INSERT INTO upstream_costs AS c (hour, channel_id, calls, quota, nano_usd)
       SELECT created_at - created_at % ${hour}, channel_id, count(*), sum(quota), sum(nano_usd)
         FROM taken GROUP BY 1, 2 ORDER BY 1, 2
       ON CONFLICT (hour, channel_id) DO UPDATE SET calls = c.calls + excluded.calls, quota = c.quota + excluded.quota,
         nano_usd = c.nano_usd + excluded.nano_usd`,
  );
}
