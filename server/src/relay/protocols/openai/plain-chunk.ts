/**
 * A chunk that says one piece of text and nothing else, without anything escaped in it: nearly all of a stream. Quotes
 * inside JSON text are escaped, so content cannot look like one.
 */
const plain =
  /"choices":\[\{"index":0,"delta":\{(?:"role":"assistant",)?"(?:content|reasoning_content)":"([^"\\]*)"(?:,"\w+":null)*\}(?:,"\w+":null)*\}\]/g;

/** The next one in a text of events. */
export interface PlainChunk {
  /** Offsets; Infinity when there is none. */
  readonly start: number;
  readonly end: number;
  readonly said: string;
}

const none: PlainChunk = { start: Infinity, end: Infinity, said: '' };
const beyondAscii = /[\x80-\xff]/;

/** @param text UTF-8 bytes as Latin-1 */
export function nextPlainChunk(text: string, from: number): PlainChunk {
  plain.lastIndex = from;
  const found = plain.exec(text);
  if (!found) return none;
  const said = found[1] ?? '';
  return {
    start: found.index,
    end: plain.lastIndex,
    said: beyondAscii.test(said) ? Buffer.from(said, 'latin1').toString('utf8') : said,
  };
}
