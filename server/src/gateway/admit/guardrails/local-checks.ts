import type { GuardrailRule } from '../../../shared/guardrail-rule.js';
import { personalDataOf, personalDataPatterns, type FoundPart } from '../../../shared/personal-data.js';
import { matcher, type Match, type Search } from '../../../platform/matching/matcher.js';

/** How a check is asked. */
export type CheckOptions = Pick<Search, 'userId' | 'isFirstEnough'>;

/**
 * Finds parts of texts; a list for each text. Texts that were not searched to their end count as found, so that slow input
 * cannot bypass a check.
 * @throws UnavailableError when it could not be done
 */
export type LocalCheck = (texts: readonly string[], options: CheckOptions) => Promise<FoundPart[][]>;

const patternMark = 'regex:';

/** @returns null for checks by other servers */
export function localCheck(rule: GuardrailRule): LocalCheck | null {
  if (rule.check === 'patterns') return personalDataCheck(rule.patterns);
  return rule.check === 'words' ? wordsCheck(rule.words) : null;
}

/** Personal data. Its candidates are decided on here, so that the first one need not be a match. */
export function personalDataCheck(kinds: Parameters<typeof personalDataPatterns>[0]): LocalCheck {
  const patterns = personalDataPatterns(kinds);
  return async (texts, { userId }) => {
    const found = await matcher.search({ texts, patterns, userId, isFirstEnough: false });
    const ofTexts = byText(texts, found);
    return texts.map((text, at) => {
      const matches = ofTexts[at] ?? [];
      if (matches[0]?.isUnsearched) return [{ what: 'unchecked', start: 0, end: text.length }];
      return personalDataOf(text, kinds, matches);
    });
  };
}

/** Words and patterns. */
export function wordsCheck(words: readonly string[]): LocalCheck {
  const plain = words.filter((entry) => !entry.startsWith(patternMark));
  const marked = words.filter((entry) => entry.startsWith(patternMark));
  const patterns = marked.map((entry) => new RegExp(entry.slice(patternMark.length), 'giu'));
  if (plain.length > 0) patterns.push(anyOf(plain));
  return async (texts, options) => {
    const found = await matcher.search({ ...options, texts, patterns });
    return byText(texts, found).map((matches, at) =>
      matches
        .map(({ pattern, start, end, isUnsearched }) => ({
          what: marked[pattern] ?? (isUnsearched ? 'unchecked' : (texts[at] ?? '').slice(start, end).toLowerCase()),
          start,
          end,
        }))
        .sort((one, other) => one.start - other.start),
    );
  };
}

function anyOf(words: readonly string[]): RegExp {
  // Longer words first: alternatives are tried in turn.
  const longestFirst = [...words].sort((one, other) => other.length - one.length);
  return new RegExp(longestFirst.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'gi');
}

function byText(texts: readonly string[], matches: readonly Match[]): Match[][] {
  const lists: Match[][] = texts.map(() => []);
  for (const match of matches) lists[match.text]?.push(match);
  return lists;
}
