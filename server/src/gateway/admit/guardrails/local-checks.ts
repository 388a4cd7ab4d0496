import type { GuardrailRule } from '../../../shared/guardrail-rule.js';
import { personalDataOf, personalDataPatterns, type FoundPart } from '../../../shared/personal-data.js';
import type { Match } from '../../../platform/matching/search.js';
import { matcher } from '../../../platform/matching/matcher.js';
import { wordsCheck, type LocalCheck } from '../../../platform/matching/words-check.js';

/** @returns null for checks by other servers */
export function localCheck(rule: GuardrailRule): LocalCheck | null {
  if (rule.check === 'patterns') return personalDataCheck(rule.patterns);
  return rule.check === 'words' ? wordsCheck(rule.words) : null;
}

/** Finds personal data. Candidates are validated here, because the first candidate need not be a match. */
export function personalDataCheck(kinds: Parameters<typeof personalDataPatterns>[0]): LocalCheck {
  const patterns = personalDataPatterns(kinds);
  return async (search) => {
    const { matches, stopped } = await matcher.search({ ...search, isFirstEnough: false }, patterns);
    const parts = new Map<number, FoundPart[]>();
    for (const [at, candidates] of byText(matches)) {
      const found = personalDataOf(search.texts[at] ?? '', kinds, candidates);
      if (found.length > 0) parts.set(at, found);
    }
    return { parts, rest: stopped && { from: stopped.text, what: 'unchecked' } };
  };
}

function byText(matches: readonly Match[]): Map<number, Match[]> {
  const lists = new Map<number, Match[]>();
  for (const match of matches) {
    const list = lists.get(match.text);
    if (list) list.push(match);
    else lists.set(match.text, [match]);
  }
  return lists;
}
