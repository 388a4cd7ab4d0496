import { createContext, Script } from 'node:vm';
import type { OptionValues } from '../../modules/options/option.service.js';
import type { Logger } from '../../observability/logger.js';
import { AppError } from '../../shared/errors.js';

/** Options of the blocked words. */
export interface SensitiveSettings {
  readonly values: Pick<OptionValues, 'CheckSensitiveEnabled' | 'CheckSensitiveOnPromptEnabled' | 'SensitiveWords'>;
}

const patternMark = 'regex:';
/** A pattern that exceeds this time counts as found, so that slow input cannot bypass it. Milliseconds. */
const patternMilliseconds = 50;

/** Refuses prompts with blocked words (docs/reference/relay/access.md#blocked-words), if an admin enabled the check. */
export class SensitiveWords {
  constructor(
    private readonly settings: SensitiveSettings,
    private readonly logger: Logger,
  ) {}

  get enabled(): boolean {
    return isChecked(this.settings.values);
  }

  /** @throws AppError SENSITIVE_WORDS. The matched word is written to the server's log only. */
  check(texts: readonly string[], requestId: string): void {
    const word = listOf(this.settings.values.SensitiveWords).find(texts);
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
  private readonly patterns: readonly PatternSearch[];

  constructor(readonly entries: readonly string[]) {
    const isPattern = (entry: string): boolean => entry.startsWith(patternMark);
    this.patterns = entries.filter(isPattern).flatMap((entry) => PatternSearch.of(entry.slice(patternMark.length)));
    this.words = new WordSearch(entries.filter((entry) => !isPattern(entry)).map((entry) => entry.toLowerCase()));
  }

  /** @returns the first entry that matches; null when none does */
  find(texts: readonly string[]): string | null {
    for (const text of texts) {
      const found = this.patterns.find((pattern) => pattern.in(text))?.name ?? this.words.find(text.toLowerCase());
      if (found !== null) return found;
    }
    return null;
  }
}

/** A regular expression that runs in a context that can be interrupted. */
class PatternSearch {
  private static readonly script = new Script('pattern.test(text)');
  private readonly context;

  private constructor(
    readonly name: string,
    pattern: RegExp,
  ) {
    this.context = createContext({ pattern, text: '' });
  }

  /** @returns an empty list for an invalid pattern: saving refuses it, but an older database may contain one */
  static of(source: string): PatternSearch[] {
    try {
      return [new PatternSearch(patternMark + source, new RegExp(source, 'iu'))];
    } catch {
      return [];
    }
  }

  /** Whether the pattern matches the text, or took too long. */
  in(text: string): boolean {
    this.context['text'] = text;
    try {
      return PatternSearch.script.runInContext(this.context, { timeout: patternMilliseconds }) === true;
    } catch {
      return true;
    } finally {
      this.context['text'] = '';
    }
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
