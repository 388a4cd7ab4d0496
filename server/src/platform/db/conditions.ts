import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { searchable } from '../../shared/json.js';
import type { TimeRange } from '../../shared/time-range.js';

/** Restricts a column to some values. Undefined does not restrict, an empty list matches nothing. */
export function andAmong<Row extends ObjectLiteral>(
  select: SelectQueryBuilder<Row>,
  column: string,
  values: readonly (string | number)[] | undefined,
): void {
  if (values === undefined) return;
  const name = parameterOf(column, 'among');
  select.andWhere(`${column} = ANY (:${name})`, { [name]: values.map(searchable) });
}

/** Restricts a `timestamptz` column to a half-open range. */
export function andBetween<Row extends ObjectLiteral>(
  select: SelectQueryBuilder<Row>,
  column: string,
  range: TimeRange | undefined,
): void {
  const { from, until } = range ?? {};
  const [first, end] = [parameterOf(column, 'from'), parameterOf(column, 'until')];
  if (from) select.andWhere(`${column} >= :${first}`, { [first]: from });
  if (until) select.andWhere(`${column} < :${end}`, { [end]: until });
}

const parameterOf = (column: string, condition: string): string => `${column.replace(/\W/g, '_')}_${condition}`;
