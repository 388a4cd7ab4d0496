import { nextSlice, pause } from '../../shared/slices.js';
import { matcher } from './matcher.js';
import {
  isEmpty,
  joined,
  maxMatches,
  nothingFound,
  perText,
  type Findings,
  type Match,
  type Matches,
  type Search,
} from './search.js';
import { whenKnown } from '../cache/loader.js';

/**
 * Finds parts of texts. Texts that were not searched to their end count as found, so that slow input cannot bypass a
 * check.
 * @throws UnavailableError when the check is impossible
 */
export type LocalCheck = (search: Search) => Findings | Promise<Findings>;

/** The mark of a regular expression in a list of words. */
export const patternMark = 'regex:';
export const isPattern = (entry: string): boolean => entry.startsWith(patternMark);

/** Words anywhere in a text, and patterns. */
export function wordsCheck(entries: readonly string[]): LocalCheck {
  const marked = entries.filter(isPattern);
  const patterns = marked.map((entry) => new RegExp(entry.slice(patternMark.length), 'giu'));
  const plain = entries.filter((entry) => !isPattern(entry));
  const findPlain: LocalCheck = plain.length === 0 ? () => nothingFound : plainCheck(plain);
  if (patterns.length === 0) return findPlain;
  return async (search) => {
    const found = await findPlain(search);
    if (search.isFirstEnough && !isEmpty(found)) return found;
    return joined(found, findingsOf(await matcher.search(search, patterns), marked));
  };
}

function plainCheck(plain: readonly string[]): LocalCheck {
  let words: WordSearch | Promise<WordSearch> | undefined;
  const findIn = (prepared: WordSearch, search: Search): Findings | Promise<Findings> =>
    whenKnown(findWords(prepared, search), (matches) => findingsOf(matches, prepared.words));
  return (search) => {
    if (words instanceof WordSearch) return findIn(words, search);
    words ??= WordSearch.of(plain).then((prepared) => (words = prepared));
    return words.then((prepared) => findIn(prepared, search));
  };
}

function findingsOf({ matches, stopped }: Matches, names: readonly string[]): Findings {
  if (matches.length === 0 && !stopped) return nothingFound;
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

/** Characters that are searched at once: 2 ms at most, and 0.5 ms with few words. New turns of agents have some 25,000. */
export const searchedAtOnce = 64 * 1024;

/**
 * Finds words in texts in linear time. A small text is searched at once in this thread, and a large one in pieces,
 * between which other calls continue. The search uses none of the time for patterns, because an honest prompt may be
 * long.
 */
export function findWords(
  search: WordSearch,
  wanted: Pick<Search, 'texts' | 'isFirstEnough'>,
): Matches | Promise<Matches> {
  const pieces = findInPieces(search, wanted);
  const first = pieces.next();
  return first.done ? first.value : findRest(pieces);
}

async function findRest(pieces: ReturnType<typeof findInPieces>): Promise<Matches> {
  for (;;) {
    await pause();
    const next = pieces.next();
    if (next.done) return next.value;
  }
}

/** Pauses after each piece. */
function* findInPieces(
  search: WordSearch,
  { texts, isFirstEnough }: Pick<Search, 'texts' | 'isFirstEnough'>,
): Generator<void, Matches, void> {
  const matches: Match[] = [];
  let searched = 0;
  for (const [at, text] of texts.entries()) {
    const before = matches.length;
    let state = 0;
    for (let from = 0; from < text.length; from += searchedAtOnce) {
      const most = isFirstEnough ? 1 : maxMatches + 1;
      const note = (word: number, end: number): boolean => {
        add(matches, before, { pattern: word, text: at, ...placeOf(search, word, from + end) });
        return matches.length < most;
      };
      const isLast = from + searchedAtOnce >= text.length;
      state = search.run(text.slice(from, from + searchedAtOnce), state, isLast, note);
      if (matches.length >= most) return isFirstEnough ? { matches, stopped: null } : stoppedAt(matches, before, at);
      searched += Math.min(searchedAtOnce, text.length - from) + perText;
      if (searched < searchedAtOnce) continue;
      searched = 0;
      yield;
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

/** Up to this many words, one regular expression is the fastest search. */
const fewWords = 16;

/** Letters of a list that are prepared in one turn of the event loop: some milliseconds. */
const lettersPerTurn = 2_000;

/**
 * Returns the text in lower case with the same number of characters, so that offsets stay the same. A final sigma is a
 * sigma.
 */
export const inSmallLetters = (text: string): string => text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ');

/**
 * Returns an expression that matches every text with one of the words.
 * @returns null if there are too many words, or one that is not well-formed
 */
export function hintOf(words: readonly string[]): RegExp | null {
  const small = words.filter((word) => word !== '').map(inSmallLetters);
  if (small.length > fewWords || !small.every((word) => word.isWellFormed())) return null;
  const escaped = small.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  // The search reads the letter İ as i, and a regular expression does not.
  return new RegExp([...escaped, 'İ'].join('|'), 'iu');
}

/**
 * Finds words in one pass over a text (Aho-Corasick): the time depends on the text, not on the number or kind of words.
 * States are numbers from 0, the state before any letter of a word.
 */
export class WordSearch {
  readonly words: readonly string[];
  private readonly next: Transitions;
  /** The state to continue from if a state has no transition: that of its longest suffix with which a word begins. */
  private readonly fallback: Int32Array;
  /** The longest word that ends in a state; -1 if none does. */
  private readonly word: Int32Array;
  /** The state and the letter that lead to a state. */
  private readonly from: Int32Array;
  private readonly letter: Uint16Array;
  private readonly begins = new Uint8Array(0x10000);
  private readonly longest: number;
  /** Matches every text with one of the words. Null if there are many words. */
  private readonly hint: RegExp | null;

  private constructor(words: readonly string[]) {
    this.words = [...new Set(words.map(inSmallLetters))].filter((word) => word !== '');
    const letters = this.words.reduce((sum, { length }) => sum + length, 0);
    this.longest = this.words.reduce((most, { length }) => Math.max(most, length), 0);
    this.hint = hintOf(this.words);
    this.next = new Transitions(letters);
    this.fallback = new Int32Array(letters + 1);
    this.word = new Int32Array(letters + 1).fill(-1);
    this.from = new Int32Array(letters + 1);
    this.letter = new Uint16Array(letters + 1);
  }

  /** Prepares a list of words. Other calls continue while a long list is prepared. */
  static async of(words: readonly string[]): Promise<WordSearch> {
    const search = new WordSearch(words);
    await search.link(await search.add());
    return search;
  }

  /**
   * @param from the state at the end of the previous piece; 0 at the start of a text
   * @param isLast whether the text ends with the piece
   * @param found called with each offset after a word; returns whether to continue
   * @returns the state at the end of the piece
   */
  run(piece: string, from: number, isLast: boolean, found: (word: number, end: number) => boolean): number {
    const isWithout = from === 0 && this.hint?.test(piece) === false;
    if (isWithout && isLast) return from;
    // A word may begin near the end of the piece and go on in the next one.
    const begin = isWithout ? Math.max(0, piece.length - this.longest) : 0;
    const letters = inSmallLetters(piece.slice(begin));
    let state = from;
    for (let at = 0; at < letters.length; at++) {
      const letter = letters.charCodeAt(at);
      if (state === 0 && this.begins[letter] === 0) continue;
      state = this.step(state, letter);
      const word = this.word[state] ?? -1;
      if (word >= 0 && !found(word, begin + at + 1)) return state;
    }
    return state;
  }

  private step(from: number, letter: number): number {
    for (let state = from; ; state = this.fallback[state] ?? 0) {
      const next = this.next.get(state, letter);
      if (next > 0 || state === 0) return next;
    }
  }

  /** @returns the states by the length of the prefix that they represent */
  private async add(): Promise<number[][]> {
    const levels: number[][] = [];
    let states = 1;
    let letters = 0;
    for (const [index, word] of this.words.entries()) {
      let state = 0;
      this.begins[word.charCodeAt(0)] = 1;
      for (let at = 0; at < word.length; at++) {
        const letter = word.charCodeAt(at);
        let to = this.next.get(state, letter);
        if (to === 0) {
          to = states++;
          this.next.set(state, letter, to);
          this.from[to] = state;
          this.letter[to] = letter;
          (levels[at] ??= []).push(to);
        }
        state = to;
      }
      this.word[state] = index;
      letters += word.length;
      if (letters < lettersPerTurn) continue;
      letters = 0;
      await nextSlice();
    }
    return levels;
  }

  /** Sets the fallbacks, short states first, so that the fallback of a state is complete before the state itself. */
  private async link(levels: ReadonlyArray<readonly number[]>): Promise<void> {
    let linked = 0;
    for (const level of levels) {
      for (const state of level) {
        const from = this.from[state] ?? 0;
        const fallback = from === 0 ? 0 : this.step(this.fallback[from] ?? 0, this.letter[state] ?? 0);
        this.fallback[state] = fallback;
        if ((this.word[state] ?? -1) < 0) this.word[state] = this.word[fallback] ?? -1;
        if (++linked % lettersPerTurn === 0) await nextSlice();
      }
    }
  }
}

/** A hash table of transitions with 12 bytes per entry. */
class Transitions {
  private readonly mask: number;
  private readonly states: Int32Array;
  private readonly letters: Int32Array;
  private readonly targets: Int32Array;

  constructor(count: number) {
    const size = 2 ** Math.ceil(Math.log2(2 * count + 2));
    this.mask = size - 1;
    this.states = new Int32Array(size);
    this.letters = new Int32Array(size);
    this.targets = new Int32Array(size);
  }

  /** @returns 0 if there is none, because no transition leads to the first state */
  get(state: number, letter: number): number {
    return this.targets[this.placeOf(state, letter)] ?? 0;
  }

  set(state: number, letter: number, target: number): void {
    const place = this.placeOf(state, letter);
    this.states[place] = state;
    this.letters[place] = letter;
    this.targets[place] = target;
  }

  /** Returns the index of a transition, or of the free entry for it. */
  private placeOf(state: number, letter: number): number {
    let place = (Math.imul(state, 0x9e3779b1) ^ Math.imul(letter, 0x85ebca6b)) >>> 7;
    for (place &= this.mask; this.targets[place] !== 0; place = (place + 1) & this.mask) {
      if (this.states[place] === state && this.letters[place] === letter) break;
    }
    return place;
  }
}
