import type { OptionValues } from '../../options/option.service.js';
import type { Logger } from '../../platform/observability/logger.js';
import { AppError } from '../../shared/errors.js';
import { always, ofEachPart } from '../../shared/turns.js';
import { namesIn, type SearchTime } from '../../platform/matching/search.js';
import {
  hintOf,
  isPattern,
  patternMark,
  searchedAtOnce,
  wordsCheck,
  type LocalCheck,
} from '../../platform/matching/words-check.js';

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
  /** The parts of a conversation that the texts are from. */
  readonly parts?: readonly CheckedPart[];
}

/** Turns of a conversation. The calls that continue it share them. */
export interface CheckedPart {
  /** The index of the first turn, and of the one behind the last. */
  readonly from: number;
  readonly until: number;
  /** The blocked words that the turns do not have. Null: they were not checked yet. */
  without: readonly string[] | null;
}

const partsOf = ofEachPart((turns, from): CheckedPart => ({ from, until: from + turns.length, without: null }), always);

/**
 * Refuses prompts with blocked words (docs/reference/relay/access.md#blocked-words) if an admin enabled the check. With
 * `StopOnSensitiveEnabled` off such prompts are served, and the log names the word.
 */
export class SensitiveWords {
  /** The words that `find` and `hint` were made from. */
  private entries: readonly string[] | null = null;
  private find: LocalCheck = wordsCheck([]);
  private hint: RegExp | null = null;

  constructor(
    private readonly settings: SensitiveSettings,
    private readonly logger: Logger,
  ) {}

  get enabled(): boolean {
    return isChecked(this.settings.values);
  }

  /** Returns the parts of a conversation that are not known to be without a blocked word. */
  unchecked(turns: readonly unknown[]): readonly CheckedPart[] {
    return partsOf(turns).filter(({ without }) => without !== this.settings.values.SensitiveWords);
  }

  /**
   * Whether small texts may contain a blocked word, so that they have to be checked. Nearly all texts contain none.
   * @param parts the parts of a conversation that the texts are from
   */
  mayBlock(texts: readonly string[], parts: readonly CheckedPart[]): boolean {
    const words = this.settings.values.SensitiveWords;
    this.compile(words);
    const { hint } = this;
    if (!hint) return true;
    let length = 0;
    for (const text of texts) if ((length += text.length) > searchedAtOnce || hint.test(text)) return true;
    for (const part of parts) part.without = words;
    return false;
  }

  /**
   * Checks the texts. The matched word is written to the server's log only.
   * @throws AppError SENSITIVE_WORDS; UnavailableError when the search for the patterns failed
   */
  async check(texts: readonly string[], { userId, requestId, time, parts = [] }: WordCheck): Promise<void> {
    // Other words may be saved during the search.
    const words = this.settings.values.SensitiveWords;
    this.compile(words);
    const [word] = namesIn(await this.find({ userId, texts, time, isFirstEnough: true }));
    if (word === undefined) {
      for (const part of parts) part.without = words;
      return;
    }
    const stops = this.settings.values.StopOnSensitiveEnabled;
    this.logger.warn({ requestId, word }, stops ? 'call refused: blocked word' : 'call passed with a blocked word');
    if (stops) throw refusal();
  }

  /** Builds the check once for each change of the option. */
  private compile(entries: readonly string[]): void {
    if (this.entries === entries) return;
    this.entries = entries;
    const valid = entries.filter(isValid);
    this.find = wordsCheck(valid);
    this.hint = valid.some(isPattern) ? null : hintOf(valid);
  }
}

const isChecked = (values: SensitiveSettings['values']): boolean =>
  values.CheckSensitiveEnabled && values.CheckSensitiveOnPromptEnabled && values.SensitiveWords.length > 0;

const refusal = (): AppError => new AppError('SENSITIVE_WORDS', 'sensitive words detected');

/** Saving refuses an invalid pattern, but an older database may contain one. */
function isValid(entry: string): boolean {
  try {
    return !isPattern(entry) || new RegExp(entry.slice(patternMark.length), 'giu').source !== '';
  } catch {
    return false;
  }
}
