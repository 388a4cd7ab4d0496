import { day, fiveMinutes, hour, lengthOf, minute, type Granularity } from './read-plan.js';
import {
  logMeasures,
  measuresOf,
  partColumns,
  quoted,
  rowsOf,
  sourceTime,
  tablesInOrder,
  type RollupTable,
} from './rollup-tables.js';

const state = `state AS (
  SELECT hours_until, five_minutes_until, minutes_until, (trimmed_before + ${hour - 1}) / ${hour} * ${hour} AS kept_from FROM rollup_state, log_state)`;

const names: Readonly<Record<Granularity, string>> = {
  MINUTE: 'a minute',
  FIVE_MINUTES: 'five minutes',
  HOUR: 'an hour',
  DAY: 'a day',
};

/**
 * The watermarks between which buckets of a granularity are valid, and the length of the periods by which they are
 * invalidated.
 */
const trust: Readonly<Record<Granularity, { after: string | null; until: string; invalidated: number }>> = {
  MINUTE: { after: 'greatest(hours_until, five_minutes_until)', until: 'minutes_until', invalidated: fiveMinutes },
  FIVE_MINUTES: { after: 'hours_until', until: 'five_minutes_until', invalidated: fiveMinutes },
  HOUR: { after: null, until: 'hours_until', invalidated: hour },
  DAY: { after: null, until: 'hours_until', invalidated: day },
};

/**
 * SQL statements of `npm run reconcile` that find buckets which differ from their source rows. Buckets that are not
 * aggregated, invalidated or trimmed are skipped, because no query reads them. `found` counts the rows of a bucket that
 * differ in any column.
 */
export const rollupChecks: readonly string[] = tablesInOrder.flatMap((table) => [
  ...table.granularities.map((granularity) =>
    check(table, granularity, granularity === 'DAY' && table.granularities.includes('HOUR') ? 'HOUR' : null),
  ),
  ...(table.hasParts ? [checkParts(table)] : []),
]);

function check(table: RollupTable, granularity: Granularity, shorter: Granularity | null): string {
  const length = lengthOf[granularity];
  const { after, until, invalidated } = trust[granularity];
  const source = shorter === null ? table.madeFrom : table.name;
  const time = sourceTime(source) ?? 'start';
  const keys = table.keys.map(quoted);
  const measures = measuresOf(table, source);
  const columns = measures.map(({ column }) => column);
  const ofGranularity = time === 'start' ? `granularity = '${shorter ?? granularity}' AND ` : '';
  const kept = (column: string): string =>
    table.family === 'usage' ? '' : `${column} - ${column} % ${length} >= (SELECT kept_from FROM state) AND `;
  const trusted = (column: string): string =>
    `${kept(column)}${column} - ${column} % ${length} + ${length} <= (SELECT ${until} FROM state)
       ${after ? `AND ${column} >= (SELECT ${after} FROM state)` : ''}
       AND ${column} - ${column} % ${invalidated} NOT IN (SELECT start - start % ${invalidated} FROM rollup_invalidated)`;
  return differing(table, `bucket of ${names[granularity]}`, columns, {
    made: `SELECT ${time} - ${time} % ${length} AS start, ${keys.join(', ')},
                    ${measures.map(({ column, sum }) => `${sum} AS ${column}`).join(', ')}
               FROM ${rowsOf(source, ofGranularity + trusted(time))} GROUP BY 1, ${keys.join(', ')}`,
    found: `SELECT start, ${keys.join(', ')}, ${columns.join(', ')} FROM ${table.name}
               WHERE granularity = '${granularity}' AND ${trusted('start')}`,
  });
}

/** SQL that compares the minutes in the rows of hours with the log rows. */
function checkParts(table: RollupTable): string {
  const { name, keys } = table;
  const list = keys.map(quoted).join(', ');
  const measures = measuresOf(table, 'logs');
  const trusted = (column: string): string =>
    `${column} >= (SELECT kept_from FROM state) AND ${column} < (SELECT hours_until FROM state)
       AND ${column} - ${column} % ${hour} NOT IN (SELECT start - start % ${hour} FROM rollup_invalidated)
       AND ${column} - ${column} % ${hour} NOT IN (SELECT start FROM ${name} WHERE granularity = 'HOUR' AND parts IS NULL)`;
  return differing(table, 'minute of an hour', logMeasures, {
    made: `SELECT created_at - created_at % ${minute} AS start, ${list},
                    ${measures.map(({ column, sum }) => `${sum} AS ${column}`).join(', ')}
               FROM logs WHERE ${trusted('created_at')} GROUP BY 1, ${list}`,
    found: `SELECT start + part.place * ${minute} AS start, ${list}, ${logMeasures.map((column) => `part.${column}`).join(', ')}
                FROM ${name} CROSS JOIN LATERAL unnest(${partColumns.join(', ')}) AS part (place, ${logMeasures.join(', ')})
               WHERE granularity = 'HOUR' AND ${trusted('start')}`,
  });
}

/**
 * SQL that compares a table with the totals of its source.
 * @param of queries with the columns `start`, the keys of the table, and `columns`
 */
function differing(
  { name: table, keys }: RollupTable,
  name: string,
  columns: readonly string[],
  of: { readonly made: string; readonly found: string },
): string {
  const same = columns.map((column) => `made.${column} = found.${column}`).join(' AND ');
  const place = ['start', ...keys.map(quoted)].map((key) => `found.${key} = made.${key}`).join(' AND ');
  return `WITH ${state}, made AS (${of.made}), found AS (${of.found})
    SELECT 'rollup ${table}' AS account, coalesce(made.start, found.start)::text AS id, '${name}' AS name,
           '0' AS expected, count(*)::text AS found
      FROM made FULL JOIN found ON ${place} WHERE (${same}) IS NOT TRUE GROUP BY 2`;
}
