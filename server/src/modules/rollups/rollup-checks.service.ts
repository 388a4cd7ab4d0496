import { hour, lengthOf, type Granularity } from './read-plan.js';
import { measuresOf, quoted, sourceTime, tablesInOrder, type RollupTable } from './rollup-tables.js';

const state = `state AS (
  SELECT hours_until, five_minutes_until, (trimmed_before + ${hour - 1}) / ${hour} * ${hour} AS kept_from FROM rollup_state, log_state)`;

const names: Readonly<Record<Granularity, string>> = { FIVE_MINUTES: 'five minutes', HOUR: 'an hour', DAY: 'a day' };

/**
 * SQL statements of `npm run reconcile` that find buckets which differ from their source rows. Buckets that are not
 * aggregated, invalidated or trimmed are skipped, because no query reads them. `found` counts the rows of a bucket that
 * differ in any column.
 */
export const rollupChecks: readonly string[] = tablesInOrder.flatMap((table) =>
  table.granularities.map((granularity, index) => {
    const shorter = table.granularities[index - 1];
    return check(table, granularity, shorter === undefined || shorter === 'FIVE_MINUTES' ? null : shorter);
  }),
);

function check(table: RollupTable, granularity: Granularity, shorter: Granularity | null): string {
  const length = lengthOf[granularity];
  const isShort = granularity === 'FIVE_MINUTES';
  const source = shorter === null ? table.madeFrom : table.name;
  const time = sourceTime(source) ?? 'start';
  const keys = table.keys.map(quoted);
  const measures = measuresOf(table, source);
  const columns = measures.map(({ column }) => column);
  const ofGranularity = time === 'start' ? `granularity = '${shorter ?? granularity}' AND ` : '';
  const kept = (column: string): string =>
    table.family === 'log' ? `${column} - ${column} % ${length} >= (SELECT kept_from FROM state) AND ` : '';
  const trusted = (column: string): string =>
    `${kept(column)}${column} - ${column} % ${length} + ${length} <= (SELECT ${isShort ? 'five_minutes_until' : 'hours_until'} FROM state)
       ${isShort ? `AND ${column} >= (SELECT hours_until FROM state)` : ''}
       AND ${column} - ${column} % ${length} NOT IN (SELECT start - start % ${length} FROM rollup_invalidated)`;
  const same = columns.map((column) => `made.${column} = found.${column}`).join(' AND ');
  return `WITH ${state},
    made AS (SELECT ${time} - ${time} % ${length} AS start, ${keys.join(', ')},
                    ${measures.map(({ column, sum }) => `${sum} AS ${column}`).join(', ')}
               FROM ${source} WHERE ${ofGranularity}${trusted(time)} GROUP BY 1, ${keys.join(', ')}),
    found AS (SELECT start, ${keys.join(', ')}, ${columns.join(', ')} FROM ${table.name}
               WHERE granularity = '${granularity}' AND ${trusted('start')})
    SELECT 'rollup ${table.name}' AS account, coalesce(made.start, found.start)::text AS id, 'bucket of ${names[granularity]}' AS name,
           '0' AS expected, count(*)::text AS found
      FROM made FULL JOIN found ON ${['start', ...keys].map((key) => `found.${key} = made.${key}`).join(' AND ')}
     WHERE (${same}) IS NOT TRUE GROUP BY 2`;
}
