/**
 * Rows whose name contains the query, the best first: the name itself, then names that begin with it, then others. Rows
 * of one kind keep their order. Without a query all rows in their order.
 */
export function byName<Row>(rows: readonly Row[], nameOf: (row: Row) => string, query: string): Row[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return [...rows];
  const rank = (name: string): number => (name === wanted ? 0 : name.startsWith(wanted) ? 1 : 2);
  return rows
    .map((row) => ({ row, name: nameOf(row).toLowerCase() }))
    .filter(({ name }) => name.includes(wanted))
    .sort((one, other) => rank(one.name) - rank(other.name))
    .map(({ row }) => row);
}
