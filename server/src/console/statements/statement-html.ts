import { escapeHtml } from '../../shared/html.js';
import type { Paper, PaperTable } from './statement-paper.js';

const style = `
  body { font: 13px/1.5 system-ui, sans-serif; color: #111; background: #fff; max-width: 800px; margin: 32px auto; padding: 0 16px; }
  h1 { font-size: 22px; margin: 0 0 8px; } h2 { font-size: 14px; margin: 24px 0 4px; }
  .mark { color: #a30; font-weight: 600; } .parties { display: flex; gap: 32px; margin: 16px 0; } .parties > div { flex: 1; }
  .parties p { margin: 0; overflow-wrap: anywhere; white-space: pre-line; } table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; padding: 4px 8px 4px 0; border-bottom: 1px solid #ddd; overflow-wrap: anywhere; vertical-align: top; }
  .n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; padding-right: 0; padding-left: 8px; }
  .sums { width: auto; min-width: 50%; } .sums tr:last-child td { font-weight: 600; border-bottom: 0; }
  .note { white-space: pre-line; margin-top: 24px; color: #444; } .facts td { border: 0; padding: 0 16px 0 0; } .facts { width: auto; }
  .wide { overflow-x: auto; } thead { display: table-header-group; } tr { break-inside: avoid; }
  @media print { body { margin: 0; max-width: none; } }`;

/** The page sets nothing but styles, and loads nothing. */
export const paperPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** A page that the browser prints. All texts are escaped. */
export function paperHtml({ language, title, mark, facts, parties, sums, tables, note }: Paper): string {
  const pairs = (rows: ReadonlyArray<readonly [string, string]>, name: string, value: string): string =>
    `<table class="${name}">${rows.map(([head, text]) => `<tr><td>${escapeHtml(head)}</td><td class="${value}">${escapeHtml(text)}</td></tr>`).join('')}</table>`;
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${style}</style></head><body>
<h1>${escapeHtml(title)}</h1>
${mark === null ? '' : `<p class="mark">${escapeHtml(mark)}</p>`}
${pairs(facts, 'facts', '')}
<div class="parties">${parties
    .map(
      (party) =>
        `<div><h2>${escapeHtml(party.title)}</h2>${party.lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('')}</div>`,
    )
    .join('')}</div>
${pairs(sums, 'sums', 'n')}
${tables.map(tableHtml).join('\n')}
${note === '' ? '' : `<p class="note">${escapeHtml(note)}</p>`}
</body></html>
`;
}

function tableHtml({ title, columns, rows }: PaperTable): string {
  const cell = (tag: 'th' | 'td', value: string, index: number): string =>
    `<${tag}${columns[index]?.isNumber ? ' class="n"' : ''}>${escapeHtml(value)}</${tag}>`;
  return `<h2>${escapeHtml(title)}</h2><div class="wide"><table><thead><tr>${columns.map(({ head }, index) => cell('th', head, index)).join('')}</tr></thead>
<tbody>${rows.map((row) => `<tr>${row.map((value, index) => cell('td', value, index)).join('')}</tr>`).join('')}</tbody></table></div>`;
}
