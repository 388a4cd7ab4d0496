import { parseFields } from '../../shared/json.js';
import { familyTables, type FamilyTables, type Ratios } from './built-in/family-tables.js';
import type { PriceCard } from '../../shared/price-card.js';
import type { RatioGeneration } from './generation.js';

/**
 * A price of the source program, before the group ratio. A factor is absent if it never differed from that of this
 * product.
 */
export type SourcePrice =
  | { readonly kind: 'call'; readonly usd: number }
  | { readonly kind: 'card'; readonly card: PriceCard }
  | {
      readonly kind: 'ratio';
      readonly model: number;
      readonly completion: number;
      readonly cache: number;
      readonly cacheWrite?: number;
      /** The ratio of cache writes that are kept for an hour. */
      readonly cacheWrite1h?: number;
      readonly audio?: number;
      /** The factor of spoken output, on top of `audio`. */
      readonly audioOutput?: number;
      readonly image?: number;
    };

/** A model in a call, with the facts that determine its price in the source program. */
export interface PricedModel {
  /** The name in the request. */
  readonly requested: string;
  /** The name after the channel's mapping. */
  readonly upstream: string;
  /** The channel type in the source program. */
  readonly type: number;
}

/** Computes the prices of a source program. */
export interface PricesThere {
  /** @returns null for a model that the source program refuses */
  of(call: PricedModel): SourcePrice | null;
}

/** Models that one-api prices by the image. Their ratios are USD / 500. */
export const drawsImages =
  /^(dall-e|cogview|wanx|step-1x|ali-stable)|(^|\/)(flux|stable-diffusion|ideogram|recraft|imagen)/;
export const hasAudio = /-(audio|realtime)/;
export const fallbackRatio = 30;
/** The ratio of new-api and Veloera in self-use mode for a model without a price. */
const selfUseRatio = 37.5;

/** Computes what the source program charges, from the settings that its site has saved and from its built-in tables. */
export class SourcePrices implements PricesThere {
  private readonly tables: FamilyTables;

  constructor(
    private readonly generation: RatioGeneration,
    private readonly options: ReadonlyMap<string, string>,
  ) {
    const built = familyTables[generation];
    // one-api looks up names that are missing from the saved table in its built-in table; the other programs do not.
    const of = (key: string, builtIn: Ratios): Ratios => {
      const saved = savedTable(options.get(key));
      return saved === null ? builtIn : generation === 'one-api' ? new Map([...builtIn, ...saved]) : saved;
    };
    this.tables = {
      modelRatios: of('ModelRatio', built.modelRatios),
      modelPrices: generation === 'one-api' ? new Map<string, number>() : of('ModelPrice', built.modelPrices),
      completionRatios: of('CompletionRatio', built.completionRatios),
      cacheRatios: generation === 'one-api' ? new Map<string, number>() : of('CacheRatio', built.cacheRatios),
      imageRatios: of('ImageRatio', built.imageRatios),
      audioRatios: of('AudioRatio', built.audioRatios),
      audioOutputRatios: of('AudioCompletionRatio', built.audioOutputRatios),
      completionRule: built.completionRule,
    };
  }

  of(call: PricedModel): SourcePrice | null {
    return this.generation === 'one-api' ? this.ofOneApi(call) : this.ofReseller(call);
  }

  /** Returns a price of one-api, which looks up the mapped name: first with the channel type, then alone. */
  private ofOneApi({ upstream, type }: PricedModel): SourcePrice | null {
    const name = upstream.replace(/^(qwen-.*)-internet$/, '$1');
    const withType = (table: Ratios, plain: string): number | undefined =>
      table.get(`${plain}(${type})`) ?? table.get(plain);
    const model = withType(this.tables.modelRatios, name.replace(/^(command-.*)-internet$/, '$1')) ?? fallbackRatio;
    if (model < 0) return null;
    if (drawsImages.test(name)) return { kind: 'call', usd: (model / 500) * (name === 'dall-e-2' ? 1.25 : 1) };
    const completion = withType(this.tables.completionRatios, name) ?? this.tables.completionRule(name).ratio;
    // one-api counts all prompt tokens alike, including cached and audio tokens.
    return {
      kind: 'ratio',
      model,
      completion,
      cache: 1,
      ...(/claude/.test(name) ? { cacheWrite: 1, cacheWrite1h: 1 } : null),
      ...(hasAudio.test(name) ? { audio: 1, audioOutput: completion } : null),
    };
  }

  /**
   * Returns a price of new-api or Veloera. new-api prices the requested name. Veloera takes the ratio of the mapped
   * name, and the other factors of the requested name.
   */
  private ofReseller({ requested, upstream }: PricedModel): SourcePrice | null {
    const priced = this.matched(this.generation === 'veloera' ? upstream : requested);
    const usd = this.tables.modelPrices.get(priced);
    if (usd !== undefined) return usd < 0 ? null : { kind: 'call', usd };
    const isSelfUse = this.options.get('SelfUseModeEnabled') === 'true';
    const model = this.tables.modelRatios.get(priced) ?? (isSelfUse ? selfUseRatio : -1);
    if (model < 0) return null;
    const name = this.matched(requested);
    const { audioRatios, audioOutputRatios, imageRatios } = this.tables;
    const isCurrent = this.generation === 'new-api 2026';
    const cacheWrite = savedTable(this.options.get('CreateCacheRatio'))?.get(name);
    const image = imageRatios.get(name);
    return {
      kind: 'ratio',
      model,
      completion: this.completion(name),
      cache: this.tables.cacheRatios.get(name) ?? 1,
      ...(cacheWrite === undefined ? null : { cacheWrite }),
      ...(isCurrent && hasAudio.test(name)
        ? { audio: audioRatios.get(name) ?? 1, audioOutput: audioOutputRatios.get(name) ?? 1 }
        : null),
      ...(image === undefined ? null : { image }),
    };
  }

  private completion(name: string): number {
    const saved = this.tables.completionRatios.get(name);
    const { ratio, isLocked } = this.tables.completionRule(name);
    return saved !== undefined && (!isLocked || name.includes('/')) ? saved : ratio;
  }

  /**
   * Returns the name under which tables have a model. It differs for custom GPTs and, in newer versions, for Gemini
   * models with a thinking budget.
   */
  private matched(name: string): string {
    if (name.startsWith('gpt-4-gizmo')) return 'gpt-4-gizmo-*';
    if (name.startsWith('gpt-4o-gizmo')) return 'gpt-4o-gizmo-*';
    if (this.generation !== 'new-api 2026' || !name.includes('-thinking-')) return name;
    const kind = /^gemini-2\.5-(flash-lite|flash|pro)/.exec(name)?.[1];
    return kind === undefined ? name : `gemini-2.5-${kind}-thinking-*`;
  }
}

/** Returns the numbers of a saved table; null if nothing, or nothing readable, is saved. */
function savedTable(text: string | undefined): ReadonlyMap<string, number> | null {
  const fields = parseFields(text ?? '');
  if (!fields) return null;
  return new Map(Object.entries(fields).filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}
