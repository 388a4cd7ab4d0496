import type { LogFilter } from './log-conditions.js';

/** One row that was read already: the same answer as the statement gives, save that times ask nothing. */
export function matchesLog(row: LogFields, filter: LogFilter): boolean {
  const { modelName, from: _from, to: _to, ...exact } = filter;
  if (modelName !== undefined && !matchesModel(row.modelName, storable(modelName))) return false;
  return Object.entries(exact).every(
    ([field, wanted]) => wanted === undefined || row[field as keyof LogFields] === storable(wanted),
  );
}

type LogFields = Required<Omit<LogFilter, 'from' | 'to'>>;

const storable = <Value>(value: Value): Value =>
  typeof value === 'string' ? (value.replaceAll('\0', '') as Value) : value;

function matchesModel(name: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let place = first.length;
  for (const part of others) {
    const found = name.indexOf(part, place);
    if (found < 0) return false;
    place = found + part.length;
  }
  return name.length - last.length >= place && name.endsWith(last);
}
