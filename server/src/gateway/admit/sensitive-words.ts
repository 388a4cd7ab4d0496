import type { OptionValues } from '../../options/option.service.js';
import type { Logger } from '../../platform/observability/logger.js';
import { AppError } from '../../shared/errors.js';
import { namesIn, type SearchTime } from '../../platform/matching/search.js';
import { patternMark, wordsCheck, type LocalCheck } from '../../platform/matching/words-check.js';

/** Options of the blocked words. */
export interface SensitiveSettings {
  readonly values: Pick<
    OptionValues,
    'CheckSensitiveEnabled' | 'CheckSensitiveOnPromptEnabled' | 'StopOnSensitiveEnabled' | 'SensitiveWords'
  >;
}

/** Identifies the call whose texts are checked. */
export interface WordCheck {
  readonly userId: number;
  readonly requestId: string;
  readonly time: SearchTime;
}

/**
 * Refuses prompts with blocked words (docs/reference/relay/access.md#blocked-words) if an admin enabled the check. With
 * `StopOnSensitiveEnabled` off such prompts are served, and the log names the word.
 */
export class SensitiveWords {
  /** The words that `find` was made from. */
  private entries: readonly string[] | null = null;
  private find: LocalCheck = wordsCheck([]);

  constructor(
    private readonly settings: SensitiveSettings,
    private readonly logger: Logger,
  ) {}

  get enabled(): boolean {
    return isChecked(this.settings.values);
  }

  /**
   * Checks the texts. The matched word is written to the server's log only.
   * @throws AppError SENSITIVE_WORDS; UnavailableError when the search for the patterns failed
   */
  async check(texts: readonly string[], { userId, requestId, time }: WordCheck): Promise<void> {
    const find = this.checkOf(this.settings.values.SensitiveWords);
    const [word] = namesIn(await find({ userId, texts, time, isFirstEnough: true }));
    if (word === undefined) return;
    const stops = this.settings.values.StopOnSensitiveEnabled;
    this.logger.warn({ requestId, word }, stops ? 'call refused: blocked word' : 'call passed with a blocked word');
    if (stops) throw refusal();
  }

  /** Returns the compiled check, which is built once for each change of the option. */
  private checkOf(entries: readonly string[]): LocalCheck {
    if (this.entries === entries) return this.find;
    this.entries = entries;
    this.find = wordsCheck(entries.filter(isValid));
    return this.find;
  }
}

const isChecked = (values: SensitiveSettings['values']): boolean =>
  values.CheckSensitiveEnabled && values.CheckSensitiveOnPromptEnabled && values.SensitiveWords.length > 0;

const refusal = (): AppError => new AppError('SENSITIVE_WORDS', 'sensitive words detected');

/** Saving refuses an invalid pattern, but an older database may contain one. */
function isValid(entry: string): boolean {
  try {
    return !entry.startsWith(patternMark) || new RegExp(entry.slice(patternMark.length), 'giu').source !== '';
  } catch {
    return false;
  }
}
