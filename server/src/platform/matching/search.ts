import { maskParts, type FoundPart } from '../../shared/personal-data.js';

/** Milliseconds that a call has initially, which are also its maximum. No search lasts longer. */
const full = 1000;
/** Milliseconds that each checked character returns: 6.4 for a window of a stream. */
const perCharacter = 0.1;

/**
 * The time that one call has for searching, over all rules, patterns and texts. Each checked text returns some time, so
 * that a long stream is never cut because of its length, while a slow pattern soon has no time left.
 */
export class SearchTime {
  private milliseconds = full;

  get left(): number {
    return this.milliseconds;
  }

  /** Whether the time is used up. With less than a millisecond nothing is searched. */
  get isOver(): boolean {
    return this.milliseconds < 1;
  }

  spend(milliseconds: number): void {
    this.milliseconds -= milliseconds;
  }

  /** Returns time for texts that are about to be checked, regardless of the number of rules. */
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
  /** The search time of the call to which the texts belong. */
  readonly time: SearchTime;
}

/** Number of characters that each further text counts at least, where texts are searched in pieces. */
export const perText = 16;

/** A match of a pattern or a word in a text. */
export interface Match {
  readonly pattern: number;
  readonly text: number;
  readonly start: number;
  readonly end: number;
}

/** The matches of a search, text by text. */
export interface Matches {
  readonly matches: readonly Match[];
  /**
   * The position at which time or room for matches ended. This text and all that follow were not searched to their end.
   */
  readonly stopped: { readonly text: number; readonly pattern: number } | null;
}

/** Maximum number of matches of all patterns or words in all texts of one search. */
export const maxMatches = 10_000;

/** Parts that a check found in texts. */
export interface Findings {
  /** Found parts by the index of the text, in the order of the text. */
  readonly parts: ReadonlyMap<number, readonly FoundPart[]>;
  /** This text and all that follow count as found, because they were not searched to their end. */
  readonly rest: { readonly from: number; readonly what: string } | null;
}

export const nothingFound: Findings = { parts: new Map(), rest: null };

export const isEmpty = ({ parts, rest }: Findings): boolean => parts.size === 0 && rest === null;

/** Returns the names of findings, each once. */
export function namesIn({ parts, rest }: Findings): string[] {
  const names = new Set<string>();
  for (const found of parts.values()) for (const { what } of found) names.add(what);
  if (rest) names.add(rest.what);
  return [...names];
}

/** Combines two findings in the same texts. */
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

/**
 * Returns the texts with `[name]` in place of each found part.
 * @param name returns the name of a part; absent: its own name
 */
export function masked(texts: readonly string[], { parts, rest }: Findings, name?: string): string[] {
  const result = [...texts];
  const named = (found: readonly FoundPart[]): readonly FoundPart[] =>
    name === undefined ? found : found.map(({ start, end }) => ({ what: name, start, end }));
  for (const [at, found] of parts) result[at] = maskParts(texts[at] ?? '', named(found));
  return rest ? result.fill(`[${name ?? rest.what}]`, rest.from) : result;
}
