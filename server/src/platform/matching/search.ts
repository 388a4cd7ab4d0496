import { maskParts, type FoundPart } from '../../shared/personal-data.js';

/** Milliseconds that a call has at first, and at most at any time. No search lasts longer. */
const full = 1000;
/** Milliseconds that each checked character gives back: 6.4 for a window of a stream. */
const perCharacter = 0.1;

/**
 * The time that one call has for searching, over all rules, patterns and texts. What a call checks gives time back, so that
 * a long stream is never cut for its length, while a slow pattern soon has no time left.
 */
export class SearchTime {
  private milliseconds = full;

  get left(): number {
    return this.milliseconds;
  }

  /** Below a millisecond nothing is searched. */
  get isOver(): boolean {
    return this.milliseconds < 1;
  }

  spend(milliseconds: number): void {
    this.milliseconds -= milliseconds;
  }

  /** Texts of the call are about to be checked, by however many rules. */
  earn(texts: readonly string[]): void {
    let characters = 0;
    for (const text of texts) characters += text.length;
    this.milliseconds = Math.min(full, Math.max(0, this.milliseconds) + characters * perCharacter);
  }
}

export interface Search {
  /** The user whose texts these are: users take turns. */
  readonly userId: number;
  readonly texts: readonly string[];
  /** Whether the search ends with its first match. */
  readonly isFirstEnough: boolean;
  /** Of the call whose texts these are. */
  readonly time: SearchTime;
}

/** A place of a pattern, or of a word, in a text. */
export interface Match {
  readonly pattern: number;
  readonly text: number;
  readonly start: number;
  readonly end: number;
}

/** The matches of a search, text by text. */
export interface Matches {
  readonly matches: readonly Match[];
  /** Where time or room for matches ended: this text and all that follow were not searched to their end. */
  readonly stopped: { readonly text: number; readonly pattern: number } | null;
}

/** Of all patterns or words in all texts of one search. */
export const maxMatches = 10_000;

/** Parts that a check found in texts. */
export interface Findings {
  /** By the index of the text, in the order of the text. */
  readonly parts: ReadonlyMap<number, readonly FoundPart[]>;
  /** This text and all that follow count as found, because they were not searched to their end. */
  readonly rest: { readonly from: number; readonly what: string } | null;
}

export const nothingFound: Findings = { parts: new Map(), rest: null };

export const isEmpty = ({ parts, rest }: Findings): boolean => parts.size === 0 && rest === null;

/** Each name once. */
export function namesIn({ parts, rest }: Findings): string[] {
  const names = new Set<string>();
  for (const found of parts.values()) for (const { what } of found) names.add(what);
  if (rest) names.add(rest.what);
  return [...names];
}

/** Both findings in the same texts. */
export function joined(one: Findings, other: Findings): Findings {
  const parts = new Map(one.parts);
  for (const [at, found] of other.parts) {
    const all = [...(parts.get(at) ?? []), ...found];
    parts.set(
      at,
      all.sort((first, second) => first.start - second.start),
    );
  }
  const [rest = null] = [one.rest, other.rest]
    .filter((each) => each !== null)
    .sort((first, second) => first.from - second.from);
  return { parts, rest };
}

/** The texts with `[name]` in place of what was found. @param name of each part; absent: its own */
export function masked(texts: readonly string[], { parts, rest }: Findings, name?: string): string[] {
  const result = [...texts];
  const named = (found: readonly FoundPart[]): readonly FoundPart[] =>
    name === undefined ? found : found.map(({ start, end }) => ({ what: name, start, end }));
  for (const [at, found] of parts) result[at] = maskParts(texts[at] ?? '', named(found));
  return rest ? result.fill(`[${name ?? rest.what}]`, rest.from) : result;
}
