/** Returns a Markdown table in the form that Prettier writes. */
export function table([head = [], ...rows]: ReadonlyArray<readonly string[]>): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll(/(?<!\\)\|/g, '\\|')));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [first = [], ...others] = cells;
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n');
}
