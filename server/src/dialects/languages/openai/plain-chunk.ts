import { detached } from '../../wire/sse/detached.js';

/**
 * Matches a chunk that contains only one piece of text without escapes: nearly all chunks of a stream. Quotes inside
 * JSON text are escaped, so content cannot match.
 */
const plain =
  /"choices":\[\{"index":0,"delta":\{(?:"role":"assistant",)?"(?:content|reasoning_content)":"([^"\\]*)"(?:,"\w+":null)*\}(?:,"\w+":null)*\}\]/g;

/** The next plain chunk in the text of a stream. */
export interface PlainChunk {
  /** Offsets; Infinity when there is none. */
  readonly start: number;
  readonly end: number;
  /** A slice of the text it was found in. */
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

/** Matches a complete plain event: it has only names, times and nulls in addition to the text. */
const wholePlain =
  /^\{(?:"\w+":(?:null|\d+|"[^"\\]*"),)*"choices":\[\{"index":0,"delta":\{(?:"role":"assistant",)?"(content|reasoning_content)":"([^"\\]+)"(?:,"\w+":null)*\}(?:,"\w+":null)*\}\](?:,"\w+":(?:null|"[^"\\]*"))*\}$/;
/** Maximum length of a plain chunk in characters. Matching takes time proportional to the text. */
const longest = 4096;

/** @returns the text of a chunk that contains only one piece of text; null when the chunk has to be parsed */
export function plainChunk(data: string): { readonly kind: 'text' | 'reasoning'; readonly text: string } | null {
  const found = data.length > longest ? null : wholePlain.exec(data);
  const text = found?.[2];
  if (text === undefined) return null;
  return { kind: found?.[1] === 'content' ? 'text' : 'reasoning', text: detached(text) };
}
