import { setImmediate } from 'node:timers/promises';
import { maxMatches, type Match, type Matches, type Search } from './found.js';
import { inSmallLetters, type WordSearch } from './word-search.js';

/** Characters that are searched in one turn of the event loop: some milliseconds. */
const pieceLength = 16 * 1024;
/** Number of characters that each further text counts at least. */
const perText = 16;

/**
 * Finds words in texts in linear time. A small text is searched at once in this thread, and a large one in pieces,
 * between which other calls continue. The search uses none of the time for patterns, because an honest prompt may be
 * long.
 */
export async function findWords(
  search: WordSearch,
  { texts, isFirstEnough }: Pick<Search, 'texts' | 'isFirstEnough'>,
): Promise<Matches> {
  const matches: Match[] = [];
  let searched = 0;
  for (const [at, text] of texts.entries()) {
    const before = matches.length;
    let state = 0;
    for (let from = 0; from < text.length; from += pieceLength) {
      const most = isFirstEnough ? 1 : maxMatches + 1;
      const note = (word: number, end: number): boolean => {
        add(matches, before, { pattern: word, text: at, ...placeOf(search, word, from + end) });
        return matches.length < most;
      };
      state = search.run(inSmallLetters(text.slice(from, from + pieceLength)), state, note);
      if (matches.length >= most) return isFirstEnough ? { matches, stopped: null } : stoppedAt(matches, before, at);
      searched += Math.min(pieceLength, text.length - from) + perText;
      if (searched < pieceLength) continue;
      searched = 0;
      await setImmediate();
    }
  }
  return { matches, stopped: null };
}

const placeOf = ({ words }: WordSearch, word: number, end: number): Pick<Match, 'start' | 'end'> => ({
  start: end - (words[word]?.length ?? 0),
  end,
});

/**
 * Adds a match unless it is within a longer one.
 * @param first index of the first match in the same text
 */
function add(matches: Match[], first: number, match: Match): void {
  while (matches.length > first && (matches.at(-1)?.start ?? -1) >= match.start) matches.pop();
  matches.push(match);
}

const stoppedAt = (matches: Match[], before: number, text: number): Matches => ({
  matches: matches.slice(0, before),
  stopped: { text, pattern: -1 },
});
