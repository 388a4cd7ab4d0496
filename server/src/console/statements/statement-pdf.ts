import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import type { Paper, PaperTable } from './statement-paper.js';

const margin = 48;
const gap = 8;
const rowsAtOnce = 20;

/** One font with Latin, Cyrillic, Vietnamese, kana and Han characters. Only the characters that are used get into a file. */
const fontFile = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('@embedpdf/fonts-sc')), '../fonts/NotoSansHans-Regular.otf');

type Pdf = PDFKit.PDFDocument;

/** A PDF file in A4. Other work goes on between its rows. */
export async function paperPdf({ title, mark, facts, parties, sums, tables, note, language }: Paper): Promise<Buffer> {
  // Loaded with the first file: many sites write none.
  const { default: PdfDocument } = await import('pdfkit');
  const pdf = new PdfDocument({ size: 'A4', margin, lang: language, info: { Title: title }, font: fontFile() });
  const pieces: Buffer[] = [];
  pdf.on('data', (piece: Buffer) => pieces.push(piece));
  const ended = new Promise<void>((resolve, reject) => {
    pdf.on('end', resolve);
    pdf.on('error', reject);
  });
  pdf.fontSize(18).text(title);
  if (mark !== null) pdf.fontSize(10).fillColor('#a03000').text(mark).fillColor('black');
  pdf.fontSize(9).moveDown(0.5);
  for (const [name, value] of facts) pdf.text(`${name}: ${value}`);
  pdf.moveDown();
  const half = (width(pdf) - gap) / 2;
  row(
    pdf,
    parties.map((party) => ({ text: [party.title, ...party.lines].join('\n'), width: half, isNumber: false })),
  );
  pdf.moveDown();
  for (const [name, amount] of sums) {
    row(pdf, [
      { text: name, width: half, isNumber: false },
      { text: amount, width: half, isNumber: true },
    ]);
  }
  for (const table of tables) await writeTable(pdf, table);
  if (note !== '') pdf.moveDown(2).text(note, margin, pdf.y, { width: width(pdf) });
  pdf.end();
  await ended;
  return Buffer.concat(pieces);
}

async function writeTable(pdf: Pdf, { title, columns, rows }: PaperTable): Promise<void> {
  const shares = columns.reduce((sum, { width: share }) => sum + share, 0);
  const cells = (texts: readonly string[]) =>
    columns.map(({ width: share, isNumber }, index) => ({
      text: texts[index] ?? '',
      width: ((width(pdf) - gap * (columns.length - 1)) * share) / shares,
      isNumber,
    }));
  pdf.moveDown(1.5).fontSize(11).text(title, margin, pdf.y).fontSize(8.5).moveDown(0.3);
  row(pdf, cells(columns.map(({ head }) => head)), '#555555');
  for (const [index, texts] of rows.entries()) {
    row(pdf, cells(texts));
    if (index % rowsAtOnce === rowsAtOnce - 1) await pause();
  }
}

interface Cell {
  readonly text: string;
  readonly width: number;
  readonly isNumber: boolean;
}

/** Writes cells side by side with a line below them, on the next page if this one has no room. */
function row(pdf: Pdf, cells: readonly Cell[], colour = 'black'): void {
  const height = Math.max(...cells.map(({ text, width: w }) => pdf.heightOfString(text || ' ', { width: w })));
  if (pdf.y + height + gap > pdf.page.height - margin) pdf.addPage();
  const top = pdf.y;
  let left = margin;
  pdf.fillColor(colour);
  for (const { text, width: w, isNumber } of cells) {
    pdf.text(text, left, top, { width: w, align: isNumber ? 'right' : 'left', height, ellipsis: true });
    left += w + gap;
  }
  const bottom = top + height + 2;
  pdf
    .fillColor('black')
    .lineWidth(0.5)
    .strokeColor('#dddddd')
    .moveTo(margin, bottom)
    .lineTo(margin + width(pdf), bottom)
    .stroke();
  pdf.x = margin;
  pdf.y = bottom + 2;
}

const width = (pdf: Pdf): number => pdf.page.width - 2 * margin;
