import { inflateSync } from 'node:zlib';

/**
 * Extracts the text of a PDF file with one embedded font, as a reader's "select all" does: the glyphs of its content are mapped by the
 * font's ToUnicode table.
 */
export function pdfText(file: Buffer): string {
  const streams = streamsOf(file).map((stream) => stream.toString('latin1'));
  const glyphs = new Map<number, string>();
  for (const table of streams.filter((stream) => stream.includes('begincmap'))) {
    for (const [, first = '', texts = ''] of table.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[(.*?)\]/gis)) {
      const low = parseInt(first, 16);
      [...texts.matchAll(/<([0-9a-f ]*)>/gi)].forEach(([, code = ''], index) => {
        glyphs.set(low + index, utf16(code.replaceAll(' ', '')));
      });
    }
  }
  const text = (content: string): string =>
    [...content.matchAll(/\[((?:<[0-9a-f]*>|[-\d.\s])*)\]\s*TJ/gi)]
      .map(([, parts = '']) =>
        [...parts.matchAll(/<([0-9a-f]*)>/gi)]
          .flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? [])
          .map((glyph) => glyphs.get(parseInt(glyph, 16)) ?? '\ufffd')
          .join(''),
      )
      .join('\n');
  return streams
    .filter((stream) => / TJ\b/.test(stream))
    .map(text)
    .join('\n');
}

const utf16 = (hex: string): string =>
  (hex.match(/.{4}/g) ?? []).map((unit) => String.fromCharCode(parseInt(unit, 16))).join('');

function streamsOf(file: Buffer): Buffer[] {
  const streams: Buffer[] = [];
  for (let at = file.indexOf('stream\n'); at >= 0; at = file.indexOf('stream\n', at + 1)) {
    if (file.subarray(at - 3, at).toString('latin1') === 'end') continue;
    const end = file.indexOf('endstream', at);
    try {
      streams.push(inflateSync(file.subarray(at + 7, end)));
    } catch {
      // Fonts and other streams that are not deflated have no text.
    }
  }
  return streams;
}
