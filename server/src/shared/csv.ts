type Cell = string | number | boolean | null;

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
