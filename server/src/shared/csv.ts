type Cell = string | number | boolean | null;

/** A column of a CSV file: its header and its cells. */
export type CsvColumn<Row> = readonly [name: string, cell: (row: Row) => Cell];

/** The rows of a CSV file, read in parts. `Read` is a row as it is read, `Row` as it is shown. */
export interface CsvRows<Read, Row> {
  readonly rowsPerRead: number;
  /** Returns the rows behind a row, or the first ones. Fewer than `rowsPerRead` are the last ones. */
  readonly read: (behind: Read | undefined) => Promise<Read[]>;
  readonly show: (rows: Read[]) => readonly Row[] | Promise<readonly Row[]>;
}

/**
 * Returns a CSV file in pieces: memory use does not depend on the number of rows. The first rows are read before anything
 * is sent, so that a failure is returned as an error response.
 * @param start text before the header
 */
export async function* csvPieces<Read, Row>(
  columns: ReadonlyArray<CsvColumn<Row>>,
  { rowsPerRead, read, show }: CsvRows<Read, Row>,
  start = '',
): AsyncGenerator<string> {
  let rows = await read(undefined);
  yield start + csvHeader(columns);
  while (rows.length > 0) {
    yield csvLines(columns, await show(rows));
    rows = rows.length === rowsPerRead ? await read(rows.at(-1)) : [];
  }
}

export const csvHeader = <Row>(columns: ReadonlyArray<CsvColumn<Row>>): string =>
  csvLine(columns.map(([name]) => name));

export const csvLines = <Row>(columns: ReadonlyArray<CsvColumn<Row>>, rows: readonly Row[]): string =>
  rows.map((row) => csvLine(columns.map(([, cell]) => cell(row)))).join('');

/** Returns one line of RFC 4180, with its end. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(toCell).join(',')}\r\n`;

function toCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  // Spreadsheets, also with the full-width signs, would treat these as a formula, and users choose the names.
  const text = /^[=+\-@＝＋－＠\t\r]/.test(cell) && !isDecimal.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Matches small amounts, which are written out, because spreadsheets round `-1e-7`. */
const isDecimal = /^-\d+\.\d+$/;
