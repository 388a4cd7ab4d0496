import { findWords } from './find-words.js';
import { isEmpty, joined, nothingFound, type Findings, type Matches, type Search } from './found.js';
import { matcher } from './matcher.js';
import { WordSearch } from './word-search.js';

/**
 * Finds parts of texts. Texts that were not searched to their end count as found, so that slow input cannot bypass a
 * check.
 * @throws UnavailableError when the check is impossible
 */
export type LocalCheck = (search: Search) => Promise<Findings>;

/** The mark of a regular expression in a list of words. */
export const patternMark = 'regex:';

/** Words anywhere in a text, and patterns. */
export function wordsCheck(entries: readonly string[]): LocalCheck {
  const isPattern = (entry: string): boolean => entry.startsWith(patternMark);
  const marked = entries.filter(isPattern);
  const patterns = marked.map((entry) => new RegExp(entry.slice(patternMark.length), 'giu'));
  const plain = entries.filter((entry) => !isPattern(entry));
  let words: Promise<WordSearch> | undefined;
  const findPlain = async (search: Search): Promise<Findings> => {
    if (plain.length === 0) return nothingFound;
    const prepared = await (words ??= WordSearch.of(plain));
    return findingsOf(await findWords(prepared, search), prepared.words);
  };
  return async (search) => {
    const found = await findPlain(search);
    if (patterns.length === 0 || (search.isFirstEnough && !isEmpty(found))) return found;
    return joined(found, findingsOf(await matcher.search(search, patterns), marked));
  };
}

function findingsOf({ matches, stopped }: Matches, names: readonly string[]): Findings {
  const nameOf = (pattern: number): string => names[pattern] ?? 'unchecked';
  const parts = new Map<number, Array<{ what: string; start: number; end: number }>>();
  for (const { pattern, text, start, end } of matches) {
    const part = { what: nameOf(pattern), start, end };
    const list = parts.get(text);
    if (list) list.push(part);
    else parts.set(text, [part]);
  }
  for (const list of parts.values()) list.sort((one, other) => one.start - other.start);
  return { parts, rest: stopped && { from: stopped.text, what: nameOf(stopped.pattern) } };
}
