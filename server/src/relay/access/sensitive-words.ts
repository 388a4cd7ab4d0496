import { createContext, Script } from 'node:vm';
import type { OptionValues } from '../../modules/options/option.service.js';
import type { Logger } from '../../observability/logger.js';
import { AppError } from '../../shared/errors.js';
import { WordSearch } from './word-search.js';

export interface SensitiveSettings {
  readonly values: Pick<OptionValues, 'CheckSensitiveEnabled' | 'CheckSensitiveOnPromptEnabled' | 'SensitiveWords'>;
}

const patternMark = 'regex:';
/** A pattern that needs longer for one text counts as found: nobody gets past it by making it slow. */
const patternMilliseconds = 50;

/** What nobody may send (docs/reference/relay/access.md#blocked-words), where the admin wants it checked. */
export class SensitiveWords {
  constructor(
    private readonly settings: SensitiveSettings,
    private readonly logger: Logger,
  ) {}

  get enabled(): boolean {
    return isChecked(this.settings.values);
  }

  /** @throws AppError SENSITIVE_WORDS. What was found stands in the server's log alone. */
  check(texts: readonly string[], requestId: string): void {
    const word = listOf(this.settings.values.SensitiveWords).find(texts);
    if (word === null) return;
    this.logger.warn({ requestId, word }, 'a call was refused for a word');
    throw refusal();
  }
}

const isChecked = (values: SensitiveSettings['values']): boolean =>
  values.CheckSensitiveEnabled && values.CheckSensitiveOnPromptEnabled && values.SensitiveWords.length > 0;

const refusal = (): AppError => new AppError('SENSITIVE_WORDS', 'sensitive words detected');

let latest: WordList | null = null;

/** Built once for each list in force. */
function listOf(entries: readonly string[]): WordList {
  if (latest?.entries !== entries) latest = new WordList(entries);
  return latest;
}

/** Words anywhere in a text, and patterns, whatever their case. */
class WordList {
  private readonly words: WordSearch;
  private readonly patterns: readonly PatternSearch[];

  constructor(readonly entries: readonly string[]) {
    const isPattern = (entry: string): boolean => entry.startsWith(patternMark);
    this.patterns = entries.filter(isPattern).flatMap((entry) => PatternSearch.of(entry.slice(patternMark.length)));
    this.words = new WordSearch(entries.filter((entry) => !isPattern(entry)).map((entry) => entry.toLowerCase()));
  }

  /** @returns the first entry that is met, null when none is */
  find(texts: readonly string[]): string | null {
    for (const text of texts) {
      const found = this.patterns.find((pattern) => pattern.in(text))?.name ?? this.words.find(text.toLowerCase());
      if (found !== null) return found;
    }
    return null;
  }
}

/** A pattern that runs where it can be stopped. */
class PatternSearch {
  private static readonly script = new Script('pattern.test(text)');
  private readonly context;

  private constructor(
    readonly name: string,
    pattern: RegExp,
  ) {
    this.context = createContext({ pattern, text: '' });
  }

  /** @returns nothing for what is no pattern: saving refuses it, an older store may hold it */
  static of(source: string): PatternSearch[] {
    try {
      return [new PatternSearch(patternMark + source, new RegExp(source, 'iu'))];
    } catch {
      return [];
    }
  }

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
