import { createContext, Script, type Context } from 'node:vm';
import type { GuardrailRule } from '../../shared/guardrail-rule.js';
import { findPersonalData, type FoundPart } from '../../shared/personal-data.js';

/** Finds parts of a text, without waiting. */
export type LocalCheck = (text: string) => FoundPart[];

const patternMark = 'regex:';
/**
 * A pattern that computes for this long counts as found in all of the text, so that slow input cannot bypass it.
 * Milliseconds.
 */
const patternMilliseconds = 50;
/** On a busy machine the time may pass while this process waits for a core: then the text is checked again, so many times. */
const patternTries = 5;
const script = new Script('[...text.matchAll(pattern)].map((match) => [match.index, match.index + match[0].length])');

/** @returns null for checks by other servers */
export function localCheck(rule: GuardrailRule): LocalCheck | null {
  if (rule.check === 'patterns') return (text) => findPersonalData(text, rule.patterns);
  return rule.check === 'words' ? wordsCheck(rule.words) : null;
}

/** Words and patterns. */
export function wordsCheck(words: readonly string[]): LocalCheck {
  const plain = words.filter((entry) => !entry.startsWith(patternMark));
  const finders: LocalCheck[] = words
    .filter((entry) => entry.startsWith(patternMark))
    .map((entry) => patternFinder(entry.slice(patternMark.length)));
  if (plain.length > 0) finders.push(wordFinder(plain));
  return (text) => inOrder(finders.flatMap((find) => find(text)));
}

function wordFinder(words: readonly string[]): LocalCheck {
  // Longer words first: alternatives are tried in turn.
  const longestFirst = [...words].sort((one, other) => other.length - one.length);
  const pattern = new RegExp(longestFirst.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'gi');
  return (text) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
      what: found.toLowerCase(),
      start: index,
      end: index + found.length,
    }));
}

function patternFinder(source: string): LocalCheck {
  const context = createContext({ pattern: new RegExp(source, 'giu'), text: '' });
  const what = patternMark + source;
  return (text) => {
    context['text'] = text;
    try {
      const found = runBriefly(context);
      if (!found) return [{ what, start: 0, end: text.length }];
      return found.map(([start, end]) => ({ what, start, end })).filter(({ start, end }) => end > start);
    } finally {
      context['text'] = '';
    }
  };
}

/** @returns null when it computes for too long */
function runBriefly(context: Context): Array<[number, number]> | null {
  for (let left = patternTries; left > 0; left--) {
    const before = process.cpuUsage();
    try {
      return script.runInContext(context, { timeout: patternMilliseconds }) as Array<[number, number]>;
    } catch {
      const { user, system } = process.cpuUsage(before);
      if ((user + system) / 1000 > patternMilliseconds / 2) return null;
    }
  }
  return null;
}

const inOrder = (parts: FoundPart[]): FoundPart[] => parts.sort((one, other) => one.start - other.start);
