import { detached } from '../../sse/detached.js';

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
  /** A window on the text it was found in. */
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

/** The same as a whole event: nothing around it but names, times and nulls. */
const wholePlain =
  /^\{(?:"\w+":(?:null|\d+|"[^"\\]*"),)*"choices":\[\{"index":0,"delta":\{(?:"role":"assistant",)?"(content|reasoning_content)":"([^"\\]+)"(?:,"\w+":null)*\}(?:,"\w+":null)*\}\](?:,"\w+":(?:null|"[^"\\]*"))*\}$/;
/** No plain chunk is longer; and trying costs what the text is long. */
const longest = 4096;

/** @returns what a chunk says that says one piece of text and nothing else; null where it has to be parsed */
export function plainChunk(data: string): { readonly kind: 'text' | 'reasoning'; readonly text: string } | null {
  const found = data.length > longest ? null : wholePlain.exec(data);
  const text = found?.[2];
  if (text === undefined) return null;
  return { kind: found?.[1] === 'content' ? 'text' : 'reasoning', text: detached(text) };
}
