import { asFields, parseFields, someNumber } from '../../shared/json.js';
import { entryOfModel } from '../../shared/model-pattern.js';
import { exact, type PriceCard } from '../../shared/price-card.js';
import { usdOfRatio } from '../quota-per-unit.js';
import { Fields } from '../source/fields.js';
import type { SourceRow } from '../source/source.js';
import {
  drawsImages,
  fallbackRatio,
  hasAudio,
  type PricedModel,
  type PricesThere,
  type SourcePrice,
} from './source-price.js';

/** A row of the table `prices`. Ratio 1 is 0.002 USD for 1,000 tokens. */
interface Row {
  readonly isCall: boolean;
  readonly input: number;
  readonly output: number;
  /** Factors of tokens of a kind, on top of `input` or `output`. */
  readonly extra: ReadonlyMap<string, number>;
  /** Factors of calls with a longer prompt, for input and output. */
  readonly long: { readonly above: number; readonly input: number; readonly output: number } | null;
}

/** The factors of kinds of tokens for which a row has none. All others are 1. */
const usualExtra: ReadonlyMap<string, number> = new Map([
  ['cached_write_tokens', 1.25],
  ['cached_write_1h_tokens', 2],
  ['cached_read_tokens', 0.1],
]);

/** Kinds of tokens that only a price card prices apart. */
const ofCards = [
  ...['input_audio_tokens', 'output_audio_tokens', 'input_image_tokens', 'output_image_tokens'],
  ...['reasoning_tokens', 'input_text_tokens', 'output_text_tokens'],
];

/** Channel types that report cache reads of their own: Anthropic, Bedrock, Vertex AI, and Claude of subscriptions. */
const readsCaches: ReadonlySet<number> = new Set([14, 32, 42, 58, 60]);

/** Computes what one-hub charges, from its table of prices. A model without a price costs ratio 30. */
export class OneHubPrices implements PricesThere {
  /** The prices by the name of the model, or by a prefix that ends with `*`. */
  private readonly rows: Readonly<Record<string, Row>>;

  constructor(
    rows: readonly SourceRow[],
    private readonly quotaPerUnit: number,
  ) {
    const fields = rows.map((row) => new Fields(row));
    this.rows = Object.fromEntries(fields.map((row) => [row.text('model').replace(/\*+$/, '*'), rowOf(row)]));
  }

  of({ upstream, type }: PricedModel): SourcePrice {
    const row = entryOfModel(this.rows, upstream);
    if (!row) return { kind: 'ratio', model: fallbackRatio, completion: 1, cache: 1 };
    // A call, and an image, count as 1,000 tokens of input.
    if (row.isCall) return { kind: 'call', usd: this.usd(row.input) / 1_000 };
    if (drawsImages.test(upstream)) {
      return { kind: 'call', usd: (this.usd(row.input) / 1_000) * (upstream === 'dall-e-2' ? 1.25 : 1) };
    }
    const factor = (kind: string): number => row.extra.get(kind) ?? usualExtra.get(kind) ?? 1;
    const isClaude = readsCaches.has(type) && /claude/.test(upstream);
    const cache = factor(isClaude ? 'cached_read_tokens' : 'cached_tokens');
    const isByRatio =
      row.long === null && row.input > 0 && !hasAudio.test(upstream) && ofCards.every((kind) => factor(kind) === 1);
    if (!isByRatio && row.input + row.output > 0) return { kind: 'card', card: this.cardOf(row, factor, cache) };
    return {
      kind: 'ratio',
      model: row.input,
      completion: row.input > 0 ? exact(row.output / row.input) : 1,
      cache,
      ...(isClaude
        ? { cacheWrite: factor('cached_write_tokens'), cacheWrite1h: factor('cached_write_1h_tokens') }
        : null),
    };
  }

  private cardOf({ input, output, long }: Row, factor: (kind: string) => number, cache: number): PriceCard {
    const at = (ofInput: number, ofOutput: number): PriceCard['prices'] => ({
      // Factors of text apply where a provider reports text apart, which it does beside audio and images only.
      input: this.usd(ofInput * factor('input_text_tokens')),
      cachedInput: this.usd(ofInput * cache),
      cacheWrite: this.usd(ofInput * factor('cached_write_tokens')),
      cacheWrite1h: this.usd(ofInput * factor('cached_write_1h_tokens')),
      output: this.usd(ofOutput * factor('output_text_tokens')),
      reasoning: this.usd(ofOutput * factor('reasoning_tokens')),
      audioInput: this.usd(ofInput * factor('input_audio_tokens')),
      audioOutput: this.usd(ofOutput * factor('output_audio_tokens')),
      imageInput: this.usd(ofInput * factor('input_image_tokens')),
      imageOutput: this.usd(ofOutput * factor('output_image_tokens')),
    });
    const prices = at(input, output);
    return long
      ? { prices, contextTiers: [{ above: long.above, prices: at(input * long.input, output * long.output) }] }
      : { prices };
  }

  private usd(ratio: number): number {
    return usdOfRatio(ratio, this.quotaPerUnit);
  }
}

function rowOf(row: Fields): Row {
  const extra = parseFields(row.text('extra_ratios')) ?? {};
  const tier = asFields(parseFields(row.text('long_context'))) ?? {};
  const number = (key: string): number => Math.max(0, someNumber(tier[key]) ?? 0);
  return {
    isCall: row.text('type') === 'times',
    input: Math.max(0, row.decimal('input')),
    output: Math.max(0, row.decimal('output')),
    extra: new Map(Object.entries(extra).filter((entry): entry is [string, number] => typeof entry[1] === 'number')),
    long:
      number('threshold') > 0
        ? { above: number('threshold'), input: number('input_ratio') || 1, output: number('output_ratio') || 1 }
        : null,
  };
}
