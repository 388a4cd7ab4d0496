/** Counts the tokens of a text. Special-token names in it are ordinary text. */
export type CountTokens = (text: string) => number;

export type EncodingName = 'o200k' | 'cl100k';

const newerModels = /^(?:gpt-4o|chatgpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|o1|o3|o4|gpt-oss)/;

/**
 * docs/reference/relay/token-counting.md#tokenizer: every other model counts by the older encoding, Claude and Gemini
 * too.
 */
export const encodingOf = (model: string): EncodingName => (newerModels.test(model) ? 'o200k' : 'cl100k');

/** One unbroken run costs the square of its length; cut, it costs little and counts at most one token more a cut. */
const longestRun = 1024;
const loaded = new Map<EncodingName, CountTokens>();
const loading = new Map<EncodingName, Promise<CountTokens>>();

/** Null until `loadEncoding` is through: the tables are large and most calls never need them. */
export const loadedEncoding = (name: EncodingName): CountTokens | null => loaded.get(name) ?? null;

export function loadEncoding(name: EncodingName): Promise<CountTokens> {
  const known = loading.get(name);
  if (known) return known;
  const promise = importEncoding(name).then((count) => {
    loaded.set(name, count);
    return count;
  });
  loading.set(name, promise);
  promise.catch(() => loading.delete(name));
  return promise;
}

async function importEncoding(name: EncodingName): Promise<CountTokens> {
  const { countTokens } =
    name === 'o200k'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base');
  // Without this a text that names a special token would throw.
  const options = { disallowedSpecial: new Set<string>() };
  return (text) => {
    let total = 0;
    for (const piece of withoutLongRuns(text)) total += countTokens(piece, options);
    return total;
  };
}

/** The text itself, or pieces of it in which no run of blanks or of anything else is longer than the limit. */
export function withoutLongRuns(text: string): string[] {
  if (text.length <= longestRun) return [text];
  const pieces: string[] = [];
  let from = 0;
  let runStart = 0;
  let blanks = isBlank(text.charCodeAt(0));
  for (let at = 1; at < text.length; at++) {
    const blank = isBlank(text.charCodeAt(at));
    if (blank !== blanks) {
      blanks = blank;
      runStart = at;
    } else if (at - runStart >= longestRun && !isLowSurrogate(text.charCodeAt(at))) {
      pieces.push(text.slice(from, at));
      from = at;
      runStart = at;
    }
  }
  pieces.push(text.slice(from));
  return pieces;
}

const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0;
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** The rule of thumb where counting is not worth it: never too low for prose, cheap for anything. */
export const estimateTokens = (byteLength: number): number => Math.ceil(byteLength / 3);
