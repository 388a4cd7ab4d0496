import type { OptionValues } from '../../options/option.service.js';
import {
  boundOfCard,
  chargeOfComponents,
  chargeOfUsage,
  type Component,
  linesOfUsage,
  reserveOf,
  listsLines,
  type Price,
  minus,
  type Rounded,
  roundedUp,
  whole,
  linesOfTranscripts,
  type Transcripts,
} from '../../billing/prices/index.js';
import type { Usage } from '../../shared/usage.js';

/** The tokens of one or more turns. */
export interface ChargedAudio {
  readonly textInputTokens: number;
  readonly textOutputTokens: number;
  readonly audioInputTokens: number;
  readonly audioOutputTokens: number;
  /** A part of the text input that price cards price separately. */
  readonly cachedTextTokens?: number;
  readonly imageInputTokens?: number;
  readonly cachedImageTokens?: number;
  /** A part of the audio input. */
  readonly cachedAudioTokens?: number;
  /** Session time, which only price cards price. May have a fraction. */
  readonly seconds?: number;
}

/** Tokens that a response reads, by kind of price. */
export interface ReadTokens {
  readonly text: number;
  readonly audio: number;
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
  cachedTextTokens: (one.cachedTextTokens ?? 0) + (other.cachedTextTokens ?? 0),
  imageInputTokens: (one.imageInputTokens ?? 0) + (other.imageInputTokens ?? 0),
  cachedImageTokens: (one.cachedImageTokens ?? 0) + (other.cachedImageTokens ?? 0),
  cachedAudioTokens: (one.cachedAudioTokens ?? 0) + (other.cachedAudioTokens ?? 0),
  seconds: Number(((one.seconds ?? 0) + (other.seconds ?? 0)).toFixed(3)),
});

/** Returns the tokens of turns as the usage of a call. */
export const usageOf = (turns: ChargedAudio): Usage => ({
  promptTokens: inputOf(turns),
  completionTokens: outputOf(turns),
  cachedTokens: (turns.cachedTextTokens ?? 0) + (turns.cachedImageTokens ?? 0) + (turns.cachedAudioTokens ?? 0),
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: turns.audioInputTokens,
  audioOutputTokens: turns.audioOutputTokens,
  details: {
    cachedAudioTokens: turns.cachedAudioTokens ?? 0,
    imageInputTokens: turns.imageInputTokens ?? 0,
    cachedImageTokens: turns.cachedImageTokens ?? 0,
    seconds: turns.seconds ?? 0,
  },
});

/** Seconds of a session with a price per second that are reserved and charged at a time, besides turns. */
export const secondsPerHold = 60;

export const inputOf = (usage: ChargedAudio): number => usage.textInputTokens + usage.audioInputTokens;
export const outputOf = (usage: ChargedAudio): number => usage.textOutputTokens + usage.audioOutputTokens;

/**
 * The price of a session, turn by turn. The charge of each turn is the difference to the audio formula over all earlier
 * turns (docs/reference/relay/realtime.md#charge), so that the one log row explains it. A price per call is charged
 * with the first turn.
 */
export class SessionPrice {
  /** Whether the price per call was charged. All payers share it. */
  private once = { isPaid: false };
  private total = noAudio;
  private paid = whole(0);
  private readonly speech = new TranscribedSpeech();

  /** @param ofTranscripts the price of a transcription model; null when transcripts are free */
  constructor(
    readonly price: Price,
    private readonly values: Pick<OptionValues, 'PreConsumedQuota' | 'QuotaPerUnit'>,
    private readonly ofTranscripts: (model: string) => Price | null = () => null,
  ) {}

  /** Returns a price that continues from here. No transcripts may be added to it. */
  copy(): SessionPrice {
    return Object.assign(new SessionPrice(this.price, this.values, this.ofTranscripts), this, {
      once: { ...this.once },
    });
  }

  /** Returns the price of turns that another payer pays, which begins anew. A price per call is charged once. */
  apart(groupRatio: number): SessionPrice {
    const price = new SessionPrice({ ...this.price, groupRatio }, this.values, this.ofTranscripts);
    price.once = this.once;
    return price;
  }

  /** Counts speech that a model transcribed. It is charged with the next turn. */
  addTranscript(model: string, transcript: Transcripts): void {
    const price = this.ofTranscripts(model);
    if (price) this.speech.add(model, price, transcript);
  }

  /** The quota of transcripts that no turn has charged yet. */
  get pending(): number {
    return this.speech.isEmpty ? 0 : roundedUp(minus(this.whole(), this.paid));
  }

  /** Whether the session pays for its time. */
  get isTimed(): boolean {
    return (this.price.card.prices.second ?? 0) > 0 && !this.price.isFree;
  }

  /** Returns the minimum reservation with which a session may begin and continue. */
  reserve(): { readonly amount: number; readonly priced: boolean } {
    if (this.price.isFree || this.once.isPaid) return { amount: 0, priced: false };
    const { PreConsumedQuota, QuotaPerUnit } = this.values;
    const { card, cards, groupRatio } = this.price;
    if (listsLines(this.price)) {
      const bound = { promptTokens: PreConsumedQuota, outputTokens: 0, hasAudio: true, hasImages: true };
      const amount = boundOfCard(card, { ...bound, writesCache: null, when: [] }, groupRatio, QuotaPerUnit);
      return { amount: amount + this.reserveOfTime(), priced: true };
    }
    return { amount: reserveOf(cards.audio, PreConsumedQuota, groupRatio, QuotaPerUnit), priced: true };
  }

  /**
   * Returns the maximum cost in quota of a response that reads these tokens and has so many output tokens of either
   * kind.
   */
  bound({ text, audio }: ReadTokens, outputTokens: number): number {
    if (this.price.isFree || this.once.isPaid) return 0;
    const { card, groupRatio } = this.price;
    const { QuotaPerUnit } = this.values;
    if (listsLines(this.price)) {
      const traits = { writesCache: null, when: [] };
      const read = { ...traits, promptTokens: text, outputTokens: 0, hasAudio: false, hasImages: true };
      const spoken = { ...traits, promptTokens: audio, outputTokens, hasAudio: true, hasImages: false };
      return boundOfCard(card, read, groupRatio, QuotaPerUnit) + boundOfCard(card, spoken, groupRatio, QuotaPerUnit);
    }
    const input = { ...noAudio, textInputTokens: text, audioInputTokens: audio };
    return Math.max(
      roundedUp(this.chargeOf({ ...input, textOutputTokens: outputTokens })),
      roundedUp(this.chargeOf({ ...input, audioOutputTokens: outputTokens })),
    );
  }

  /** Returns the charge of turns without transcripts. */
  private chargeOf(turns: ChargedAudio): Rounded {
    const { cards, groupRatio } = this.price;
    return chargeOfUsage(cards.audio, usageOf(turns), groupRatio, this.values.QuotaPerUnit);
  }

  private reserveOfTime(): number {
    if (!this.isTimed) return 0;
    return roundedUp(this.chargeOf({ ...noAudio, seconds: secondsPerHold }));
  }

  /**
   * Charges a turn.
   * @param isSpeech whether its tokens are those of transcripts, which may have been counted separately
   */
  charge(turn: ChargedAudio, isSpeech = false): Rounded {
    if (this.once.isPaid) return whole(0);
    if (!isSpeech || this.speech.isEmpty) this.total = sumOf(this.total, turn);
    // With a card that prices long prompts lower, a turn may make the whole session cheaper.
    const all = this.whole();
    const charge = minus(all, this.paid);
    if (charge.quota > 0 || charge.rest > 0) this.paid = all;
    if (this.price.card.perCall !== undefined && inputOf(turn) + outputOf(turn) > 0) this.once.isPaid = true;
    return charge;
  }

  /** Returns the charge of all turns so far. */
  private whole(): Rounded {
    const lines = this.linesWithSpeech();
    if (!lines) return this.chargeOf(this.total);
    return chargeOfComponents(lines, this.price.groupRatio, this.values.QuotaPerUnit);
  }

  /**
   * Returns the lines of a session in which other models transcribed speech, the lines of transcripts last. Null for other
   * sessions, and for a price per call.
   */
  private linesWithSpeech(): Component[] | null {
    const { price, total, speech } = this;
    if (speech.isEmpty || price.card.perCall !== undefined) return null;
    return [...linesOfUsage(price.cards.session, usageOf(total)), ...speech.lines()];
  }

  /** Returns the price factors of the log row (docs/reference/relay/usage-log.md#the-other-field). */
  factors(): Readonly<Record<string, unknown>> {
    const { price, total, speech } = this;
    const { shown, card } = price;
    const spoken = this.linesWithSpeech();
    const components = spoken ?? (listsLines(price) ? linesOfUsage(card, usageOf(total)) : undefined);
    const isInUsd = components !== undefined || card.perCall !== undefined;
    return {
      ...(price.version === undefined ? {} : { price_version: price.version }),
      model_price: shown.modelPrice,
      model_ratio: shown.modelRatio,
      completion_ratio: shown.completionRatio,
      group_ratio: price.groupRatio,
      ...(isInUsd ? { quota_per_unit: this.values.QuotaPerUnit } : {}),
      ...(listsLines(price) ? { price_card: price.name } : {}),
      ...(shown.audioRatio > 0
        ? { audio_ratio: shown.audioRatio, audio_completion_ratio: shown.audioCompletionRatio }
        : {}),
      ...(components ? { components } : {}),
      ...(spoken ? { transcribed: speech.notes() } : {}),
    };
  }

  /** Returns the row's `content` (docs/reference/relay/usage-log.md#log-text). */
  line(): string {
    return `${this.price.audioText}, group ratio ${this.price.groupRatio.toFixed(2)}`;
  }
}

/** Speech of a session that other models transcribed. Usually there is one model. */
class TranscribedSpeech {
  private readonly byModel = new Map<string, { readonly price: Price; found: Transcripts }>();

  get isEmpty(): boolean {
    return this.byModel.size === 0;
  }

  add(model: string, price: Price, transcript: Transcripts): void {
    const known = this.byModel.get(model);
    if (known) known.found = sumOfTranscripts(known.found, transcript);
    else if (this.byModel.size < maxTranscribers) this.byModel.set(model, { price, found: transcript });
  }

  lines(): Component[] {
    return [...this.byModel.values()].flatMap(({ price, found }) => linesOfTranscripts(price.cards.transcripts, found));
  }

  /** Returns a note for each model, with the number of its lines, in order. */
  notes(): object[] {
    return [...this.byModel].map(([model, { price, found }]) => ({
      model,
      count: found.count,
      seconds: found.seconds,
      lines: linesOfTranscripts(price.cards.transcripts, found).length,
    }));
  }
}

/** Maximum number of transcription models of a session, which may change the model. */
const maxTranscribers = 16;

/** Adds transcripts. */
export const sumOfTranscripts = (one: Transcripts, other: Transcripts): Transcripts => ({
  count: one.count + other.count,
  seconds: Number((one.seconds + other.seconds).toFixed(3)),
  inputTokens: one.inputTokens + other.inputTokens,
  audioTokens: one.audioTokens + other.audioTokens,
  outputTokens: one.outputTokens + other.outputTokens,
});
