import { hour, lengthOf, slotSpan } from './sum-blocks.js';
import { measuresOf, quoted, sourceTime, tablesInOrder, type SumTable } from './sum-tables.js';

/**
 * Statements that find blocks whose sums are not those of the rows they were made of, for `npm run reconcile`. Hours that
 * are not folded, changed since, or lost log rows on purpose, are left out: nobody reads their sums. `found` counts the rows
 * of a block that differ, in any of their columns.
 */
export const sumChecks: readonly string[] = tablesInOrder.flatMap((table) => [
  ...(table.hasSlots ? [check(table, slotSpan, null)] : []),
  ...table.spans.map((span, index) => check(table, span, table.spans[index - 1] ?? null)),
]);

function check(table: SumTable, span: number, shorter: number | null): string {
  const length = lengthOf(span);
  const source = shorter === null ? table.madeFrom : table.name;
  const time = sourceTime(source) ?? 'start';
  const keys = table.keys.map(quoted);
  const measures = measuresOf(table, source);
  const columns = measures.map(({ column }) => column);
  const ofSpan = time === 'start' ? `span = ${shorter ?? span} AND ` : '';
  const kept = (column: string): string =>
    table.family === 'log' ? `${column} - ${column} % ${length} >= (SELECT kept_from FROM state) AND ` : '';
  const isSlot = span === slotSpan;
  const until = isSlot ? 'slots_until' : 'folded_until';
  const behind = (column: string): string => (isSlot ? `AND ${column} >= (SELECT folded_until FROM state)` : '');
  const trusted = (column: string): string =>
    `${kept(column)}${column} - ${column} % ${length} + ${length} <= (SELECT ${until} FROM state) ${behind(column)}
       AND ${column} - ${column} % ${length} NOT IN (SELECT hour - hour % ${length} FROM sums_late)`;
  const same = [...columns.map((column) => `made.${column} = found.${column}`)].join(' AND ');
  return `WITH state AS (SELECT folded_until, slots_until, (trimmed_before + ${hour - 1}) / ${hour} * ${hour} AS kept_from FROM sums_state, log_state),
    made AS (SELECT ${time} - ${time} % ${length} AS start, ${keys.join(', ')},
                    ${measures.map(({ column, sum }) => `${sum} AS ${column}`).join(', ')}
               FROM ${source} WHERE ${ofSpan}${trusted(time)} GROUP BY 1, ${keys.join(', ')}),
    found AS (SELECT start, ${keys.join(', ')}, ${columns.join(', ')} FROM ${table.name}
               WHERE span = ${span} AND ${trusted('start')})
    SELECT 'sums ${table.name}' AS account, coalesce(made.start, found.start)::text AS id, 'block of ${isSlot ? 'a slot' : `${span} h`}' AS name,
           '0' AS expected, count(*)::text AS found
      FROM made FULL JOIN found ON ${['start', ...keys].map((key) => `found.${key} = made.${key}`).join(' AND ')}
     WHERE (${same}) IS NOT TRUE GROUP BY 2`;
}
