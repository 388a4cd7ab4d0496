import { setImmediate } from 'node:timers/promises';
import type { OptionValues } from '../../options/option.service.js';
import type { Logger } from '../../platform/observability/logger.js';
import { AppError } from '../../shared/errors.js';
import { matcher } from '../../platform/matching/matcher.js';

/** Options of the blocked words. */
export interface SensitiveSettings {
  readonly values: Pick<OptionValues, 'CheckSensitiveEnabled' | 'CheckSensitiveOnPromptEnabled' | 'SensitiveWords'>;
}

const patternMark = 'regex:';
/** Characters that are searched for words in one turn of the event loop. */
const pieceLength = 64 * 1024;

/** Refuses prompts with blocked words (docs/reference/relay/access.md#blocked-words), if an admin enabled the check. */
export class SensitiveWords {
  constructor(
    private readonly settings: SensitiveSettings,
    private readonly logger: Logger,
  ) {}

  get enabled(): boolean {
    return isChecked(this.settings.values);
  }

  /**
   * The matched word is written to the server's log only.
   * @throws AppError SENSITIVE_WORDS; UnavailableError when the patterns could not be searched for
   */
  async check(texts: readonly string[], userId: number, requestId: string): Promise<void> {
    const word = await listOf(this.settings.values.SensitiveWords).find(texts, userId);
    if (word === null) return;
    this.logger.warn({ requestId, word }, 'call refused: blocked word');
    throw refusal();
  }
}

const isChecked = (values: SensitiveSettings['values']): boolean =>
  values.CheckSensitiveEnabled && values.CheckSensitiveOnPromptEnabled && values.SensitiveWords.length > 0;

const refusal = (): AppError => new AppError('SENSITIVE_WORDS', 'sensitive words detected');

let latest: WordList | null = null;

/** Built once per word list. */
function listOf(entries: readonly string[]): WordList {
  if (latest?.entries !== entries) latest = new WordList(entries);
  return latest;
}

/** Case-insensitive search for words anywhere in a text, and for patterns. */
class WordList {
  private readonly words: WordSearch;
  private readonly patterns: readonly RegExp[];
  /** Characters that two pieces of a text share, so that no word is cut. */
  private readonly overlap: number;

  constructor(readonly entries: readonly string[]) {
    const isPattern = (entry: string): boolean => entry.startsWith(patternMark);
    const words = entries.filter((entry) => !isPattern(entry)).map((entry) => entry.toLowerCase());
    this.patterns = entries.filter(isPattern).flatMap((entry) => patternOf(entry.slice(patternMark.length)));
    this.words = new WordSearch(words);
    this.overlap = words.reduce((longest, { length }) => Math.max(longest, length), 0);
  }

  /** @returns an entry that matches; null when none does */
  async find(texts: readonly string[], userId: number): Promise<string | null> {
    const word = await this.findWord(texts);
    if (word !== null || this.patterns.length === 0) return word;
    const [match] = await matcher.search({ userId, texts, patterns: this.patterns, isFirstEnough: true });
    return match ? patternMark + (this.patterns[match.pattern]?.source ?? '') : null;
  }

  private async findWord(texts: readonly string[]): Promise<string | null> {
    let searched = 0;
    for (const text of texts) {
      for (let at = 0; at < text.length; at += pieceLength) {
        const piece = text.slice(at, at + pieceLength + this.overlap);
        const word = this.words.find(piece.toLowerCase());
        if (word !== null) return word;
        searched += piece.length;
        if (searched < pieceLength) continue;
        searched = 0;
        await setImmediate();
      }
    }
    return null;
  }
}

/** @returns an empty list for an invalid pattern: saving refuses it, but an older database may contain one */
function patternOf(source: string): RegExp[] {
  try {
    return [new RegExp(source, 'giu')];
  } catch {
    return [];
  }
}

/** Up to this many words the engine's own search is faster than one pass of ours. */
const fewWords = 16;

interface State {
  readonly next: Map<number, State>;
  fallback: State | null;
  /** The word that ends in this state or in one of its fallback states. */
  word: string | null;
}

const emptyState = (): State => ({ next: new Map(), fallback: null, word: null });

/** Finds any of many words in one pass over a text (Aho-Corasick): the time depends on the text, not on the list. */
export class WordSearch {
  private readonly words: readonly string[];
  private readonly root: State | null;

  /** @param words lower case, like the texts */
  constructor(words: readonly string[]) {
    this.words = [...new Set(words)].filter((word) => word !== '');
    this.root = this.words.length > fewWords ? build(this.words) : null;
  }

  /** @returns a word of the list that the text contains; null when it contains none */
  find(text: string): string | null {
    if (!this.root) return this.words.find((word) => text.includes(word)) ?? null;
    let state = this.root;
    for (let at = 0; at < text.length; at++) {
      state = step(state, text.charCodeAt(at), this.root);
      if (state.word !== null) return state.word;
    }
    return null;
  }
}

function step(from: State, code: number, root: State): State {
  for (let state: State | null = from; state; state = state.fallback) {
    const next = state.next.get(code);
    if (next) return next;
  }
  return root;
}

function build(words: readonly string[]): State {
  const root = emptyState();
  for (const word of words) {
    let state = root;
    for (let at = 0; at < word.length; at++) {
      const code = word.charCodeAt(at);
      let next = state.next.get(code);
      if (!next) state.next.set(code, (next = emptyState()));
      state = next;
    }
    state.word = word;
  }
  // Breadth first, so that a state's fallback is complete before the state itself.
  let level: State[] = [root];
  while (level.length > 0) {
    const below: State[] = [];
    for (const state of level) {
      for (const [code, next] of state.next) {
        next.fallback = state.fallback ? step(state.fallback, code, root) : root;
        next.word ??= next.fallback.word;
        below.push(next);
      }
    }
    level = below;
  }
  return root;
}
