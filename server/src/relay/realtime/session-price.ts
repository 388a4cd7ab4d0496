import type { OptionValues } from '../../modules/options/option.service.js';
import { chargeOfAudio, isFree, reserveOf, type Price } from '../../modules/pricing/price-book.service.js';

/** Tokens of one or more turns. */
export interface ChargedAudio {
  readonly textInputTokens: number;
  readonly textOutputTokens: number;
  readonly audioInputTokens: number;
  readonly audioOutputTokens: number;
}

export const noAudio: ChargedAudio = {
  textInputTokens: 0,
  textOutputTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
};

/** Adds the tokens of two turns. */
export const sumOf = (one: ChargedAudio, other: ChargedAudio): ChargedAudio => ({
  textInputTokens: one.textInputTokens + other.textInputTokens,
  textOutputTokens: one.textOutputTokens + other.textOutputTokens,
  audioInputTokens: one.audioInputTokens + other.audioInputTokens,
  audioOutputTokens: one.audioOutputTokens + other.audioOutputTokens,
});

export const inputOf = (usage: ChargedAudio): number => usage.textInputTokens + usage.audioInputTokens;
export const outputOf = (usage: ChargedAudio): number => usage.textOutputTokens + usage.audioOutputTokens;

/**
 * The price of a session, turn by turn. Each turn charges the difference to the audio formula over all turns so far
 * (docs/reference/relay/realtime.md#charge), so that the one log row explains its charge. A price per call is charged
 * with the first turn.
 */
export class SessionPrice {
  private isPaid = false;
  private total = noAudio;
  private paid = 0;

  constructor(
    readonly price: Price,
    private readonly values: Pick<OptionValues, 'PreConsumedQuota' | 'QuotaPerUnit'>,
  ) {}

  /** The amount to reserve for the next turn. */
  reserve(): { readonly amount: number; readonly priced: boolean } {
    if (isFree(this.price) || this.isPaid) return { amount: 0, priced: false };
    const { PreConsumedQuota, QuotaPerUnit } = this.values;
    const estimate = { promptTokens: 0, maxOutput: 0, preConsumedTokens: PreConsumedQuota, quotaPerUnit: QuotaPerUnit };
    return { amount: reserveOf(this.price, estimate), priced: true };
  }

  /** The charge of this turn. */
  charge(turn: ChargedAudio): number {
    if (this.isPaid) return 0;
    this.total = sumOf(this.total, turn);
    const quota = chargeOfAudio(this.price, this.total, this.values.QuotaPerUnit) - this.paid;
    this.paid += quota;
    if (this.price.kind === 'call' && inputOf(turn) + outputOf(turn) > 0) this.isPaid = true;
    return quota;
  }

  /** The price factors of the log row (docs/reference/relay/usage-log.md#the-other-field). */
  factors(): Readonly<Record<string, number | string>> {
    const { price } = this;
    const version: Record<string, string> = price.version === undefined ? {} : { price_version: price.version };
    return price.kind === 'call'
      ? {
          ...version,
          model_price: price.modelPrice,
          quota_per_unit: this.values.QuotaPerUnit,
          model_ratio: 0,
          completion_ratio: 0,
          group_ratio: price.groupRatio,
        }
      : {
          ...version,
          model_price: -1,
          model_ratio: price.modelRatio,
          completion_ratio: price.completionRatio,
          group_ratio: price.groupRatio,
          audio_ratio: price.audioRatio,
          audio_completion_ratio: price.audioCompletionRatio,
        };
  }

  /** The row's `content` (docs/reference/relay/usage-log.md#log-text). */
  line(): string {
    const { price } = this;
    const two = (value: number): string => value.toFixed(2);
    if (price.kind === 'call') return `model price ${two(price.modelPrice)}, group ratio ${two(price.groupRatio)}`;
    return (
      `model ratio ${two(price.modelRatio)}, completion ratio ${two(price.completionRatio)}, ` +
      `audio ratio ${two(price.audioRatio)}, audio completion ratio ${two(price.audioCompletionRatio)}, ` +
      `group ratio ${two(price.groupRatio)}`
    );
  }
}
