import { hour, lengthOf, minuteSpan, slot, slotSpan } from './sum-blocks.js';
import { measuresOf, quoted, sourceTime, tablesInOrder, type SumTable } from './sum-tables.js';

const state = `state AS (
  SELECT folded_until, slots_until, greatest(folded_until, slots_until) AS in_slots_until, minutes_until, (trimmed_before + ${hour - 1}) / ${hour} * ${hour} AS kept_from FROM sums_state, log_state)`;

/** What is not counted in hours: what it is called, and the columns of the state that it lies between. */
const kinds = new Map([
  [slotSpan, { name: 'a slot', until: 'slots_until', since: 'folded_until' }],
  [minuteSpan, { name: 'a minute', until: 'minutes_until', since: 'in_slots_until' }],
]);

/**
 * Statements that find blocks whose sums are not those of the rows they were made of, for `npm run reconcile`. Hours that
 * are not folded, changed since, or lost log rows on purpose, are left out: nobody reads their sums. `found` counts the rows
 * of a block that differ, in any of their columns.
 */
export const sumChecks: readonly string[] = tablesInOrder.flatMap((table) => [
  ...(table.hasSlots ? [minuteSpan, slotSpan].map((span) => check(table, span, null)) : []),
  ...(table.keepsSlots ? [checkKept(table)] : []),
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
  const { name, until, since } = kinds.get(span) ?? { name: `${span} h`, until: 'folded_until', since: null };
  const behind = (column: string): string => (since === null ? '' : `AND ${column} >= (SELECT ${since} FROM state)`);
  const trusted = (column: string): string =>
    `${kept(column)}${column} - ${column} % ${length} + ${length} <= (SELECT ${until} FROM state) ${behind(column)}
       AND ${column} - ${column} % ${length} NOT IN (SELECT hour - hour % ${length} FROM sums_late)`;
  return `WITH ${state},
    made AS (SELECT ${time} - ${time} % ${length} AS start, ${keys.join(', ')},
                    ${measures.map(({ column, sum }) => `${sum} AS ${column}`).join(', ')}
               FROM ${source} WHERE ${ofSpan}${trusted(time)} GROUP BY 1, ${keys.join(', ')}),
    found AS (SELECT start, ${keys.join(', ')}, ${columns.join(', ')} FROM ${table.name}
               WHERE span = ${span} AND ${trusted('start')})
    ${differences(table, columns, name)}`;
}

/** The slots of folded hours beside the rows of these hours. */
function checkKept(table: SumTable): string {
  const keys = table.keys.map(quoted).join(', ');
  const measures = measuresOf(table, 'logs');
  const columns = measures.map(({ column }) => column);
  const ofKept = (time: string): string => `${time} - ${time} % ${hour} IN (SELECT hour FROM kept)`;
  return `WITH ${state},
    kept AS (SELECT DISTINCT start - start % ${hour} AS hour FROM ${table.name}
              WHERE span = ${slotSpan} AND start < (SELECT folded_until FROM state) AND start - start % ${hour} >= (SELECT kept_from FROM state)
                AND start - start % ${hour} NOT IN (SELECT hour - hour % ${hour} FROM sums_late)),
    made AS (SELECT created_at - created_at % ${slot} AS start, ${keys}, ${measures.map(({ column, sum }) => `${sum} AS ${column}`).join(', ')}
               FROM logs WHERE ${ofKept('created_at')} GROUP BY 1, ${keys}),
    found AS (SELECT start, ${keys}, ${columns.join(', ')} FROM ${table.name} WHERE span = ${slotSpan} AND ${ofKept('start')})
    ${differences(table, columns, 'a kept slot')}`;
}

/** Between what was `made` of the rows and what was `found`. */
function differences({ name, keys }: SumTable, columns: readonly string[], block: string): string {
  const same = columns.map((column) => `made.${column} = found.${column}`).join(' AND ');
  return `SELECT 'sums ${name}' AS account, coalesce(made.start, found.start)::text AS id, 'block of ${block}' AS name,
           '0' AS expected, count(*)::text AS found
      FROM made FULL JOIN found ON ${['start', ...keys.map(quoted)].map((key) => `found.${key} = made.${key}`).join(' AND ')}
     WHERE (${same}) IS NOT TRUE GROUP BY 2`;
}
