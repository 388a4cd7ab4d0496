import { familyOf } from '../../dialects/makers/charging.js';
import { AppError } from '../../shared/errors.js';
import type { OptionValues } from '../../options/option.service.js';
import { pieceOf, type PriceCard, type Quantity } from '../../shared/price-card.js';
import { noUsage } from '../../shared/usage.js';
import { builtInCard } from './built-in-prices.js';
import { withTiers } from './tier-prices.js';
import { listedSearches, toolPricesOf, withSiteTools, withTools } from './tool-prices.js';
import type { ToolFees, ToolPrices } from '../../shared/tool-fees.js';
import { chargeOfUsage } from './card-charge.js';
import { hasLines, linesOfUsage } from './card-lines.js';
import { CardTable, type NamedCard } from './card-table.js';
import { chargeOfTest } from './channel-test.js';
import { priceOfCall, priceOfCard, priceOfRatios, type Price, type Terms } from './compiled-price.js';
import { modelLimits } from './model-limits.js';
import { priceVersionOf } from './price-version.js';
import {
  type RuledRatio,
  ruledCompletionRatio,
  audioInputRatio,
  audioOutputRatio,
  cacheWriteRatio,
} from './model-ratios.js';

/** The settings that determine a price. */
export interface PriceSettings {
  readonly values: Pick<
    OptionValues,
    | 'ModelPrice'
    | 'ModelRatio'
    | 'CompletionRatio'
    | 'CacheRatio'
    | 'PriceCards'
    | 'ToolPrices'
    | 'GroupRatio'
    | 'SelfUseModeEnabled'
    | 'QuotaPerUnit'
  >;
}

/** The terms under which a model is priced: group and user settings. */
export interface PriceTerms {
  /** The group that pays: the token's, else the user's. */
  readonly group: string;
  /** The user's setting `accept_unset_model_ratio_model`: models without a price are called at the fallback ratio. */
  readonly acceptsUnpriced: boolean;
}

/** Fallback ratio of a model without a price, deliberately expensive. */
export const unpricedRatio = 37.5;

/** A value of option PriceCards: the list price instead of what the old tables have for the model. */
export const useBuiltIn = 'built-in';

/** Returns USD of a call by a card that prices calls or images and no tokens. Null for other cards. */
export function callPriceOf(card: PriceCard): number | null {
  const piece = pieceOf(card);
  return piece && (card.prices[piece] ?? null);
}

/** Everything that is derived from the settings. */
interface Kept {
  readonly values: PriceSettings['values'];
  readonly version: string;
  readonly ownCards: CardTable;
  /** Prices of tools, by the names of option ToolPrices. */
  readonly siteTools: CardTable;
  readonly prices: KeptPrices<Price | null>;
  /** Prices of models without a configured price. */
  readonly unpriced: KeptPrices<Price>;
}

/** Prices by group, then by model. */
type KeptPrices<Found> = Map<string, Map<string, Found>>;

/** Names of models come from clients. */
const maxModels = 4096;
const maxGroups = 256;

/** Returns the price of a model for a group from the map, or looks it up and keeps it. A full map is cleared. */
function keptIn<Found extends Price | null>(
  prices: KeptPrices<Found>,
  model: string,
  group: string,
  lookUp: () => Found,
): Found {
  let ofGroup = prices.get(group);
  if (!ofGroup) {
    if (prices.size >= maxGroups) prices.clear();
    prices.set(group, (ofGroup = new Map<string, Found>()));
  }
  let price = ofGroup.get(model);
  if (price === undefined) {
    if (ofGroup.size >= maxModels) ofGroup.clear();
    ofGroup.set(model, (price = lookUp()));
  }
  return price;
}

const pricesAny = (price: Price, counts: readonly Quantity[]): boolean =>
  counts.some((quantity) => price.card.prices[quantity] !== undefined) || price.isFree;

const isCard = (value: PriceCard | typeof useBuiltIn | undefined): value is PriceCard => typeof value === 'object';

/**
 * Looks prices up (docs/reference/relay/prices.md#completion-ratio, docs/reference/relay/billing.md#price-lookup): pure
 * and synchronous over the current settings. A model is named as the client requested it, without its routing prefix.
 */
export class PriceBook {
  private kept: Kept | null = null;

  constructor(private readonly settings: PriceSettings) {}

  /** Name of the current price tables. */
  get version(): string {
    return this.current.version;
  }

  /** Settings are replaced as a whole, so everything that is derived from them is computed once per change. */
  private get current(): Kept {
    const { values } = this.settings;
    if (this.kept?.values === values) return this.kept;
    const own = Object.entries(values.PriceCards).filter((entry): entry is [string, PriceCard] => isCard(entry[1]));
    const tools = Object.entries(values.ToolPrices).map(([name, prices]): [string, PriceCard] => [name, { prices }]);
    return (this.kept = {
      values,
      version: priceVersionOf(values),
      ownCards: new CardTable(new Map(own)),
      siteTools: new CardTable(new Map(tools)),
      prices: new Map(),
      unpriced: new Map(),
    });
  }

  /**
   * @param counts the quantities in which the call is counted; when absent, a price of any quantity is enough
   * @throws AppError MODEL_NOT_PRICED, also when a card prices none of these quantities: the call would be free
   */
  price(model: string, terms: PriceTerms, counts?: readonly Quantity[]): Price {
    const price = this.find(model, terms.group);
    if (price && (!counts || pricesAny(price, counts))) return price;
    if (this.settings.values.SelfUseModeEnabled || terms.acceptsUnpriced) {
      const { unpriced } = this.current;
      const name = familyOf(model);
      return keptIn(unpriced, model, terms.group, () =>
        this.ratioPrice(name, unpricedRatio, this.terms(name, terms.group, model)),
      );
    }
    const missing = price ? 'has no price for calls of this kind' : 'ratio or price not set';
    throw new AppError('MODEL_NOT_PRICED', `Model ${model} ${missing}, ask the administrator or enable self-use mode`);
  }

  /** The configured price, or null. Looked up once for each model and group while the settings stay. */
  find(model: string, group: string): Price | null {
    return keptIn(this.current.prices, model, group, () => this.lookUp(model, group));
  }

  /**
   * A card of the operator for exactly this model, else the old tables, else a card of the operator by prefix, else the
   * list price. In the old tables a fixed price takes precedence over a ratio.
   */
  private lookUp(model: string, group: string): Price | null {
    const name = familyOf(model);
    const terms = this.terms(name, group, model);
    const { ModelPrice, ModelRatio, PriceCards } = this.settings.values;
    const own = Object.hasOwn(PriceCards, name) ? PriceCards[name] : undefined;
    if (isCard(own)) return priceOfCard({ name, card: this.ownCard(name, own) }, 'card', terms);
    const builtIn = this.listed(name);
    if (own === useBuiltIn && builtIn) return priceOfCard(builtIn, 'list', terms);
    const modelPrice = ModelPrice[name];
    if (modelPrice !== undefined) return priceOfCall(name, modelPrice, terms);
    const modelRatio = ModelRatio[name];
    if (modelRatio !== undefined) return this.ratioPrice(name, modelRatio, terms);
    const byPrefix = this.current.ownCards.find(name);
    if (byPrefix) {
      return priceOfCard({ name: byPrefix.name, card: this.ownCard(name, byPrefix.card) }, 'card', terms);
    }
    return builtIn && priceOfCard(builtIn, 'list', terms);
  }

  /**
   * A card of the operator, with prices for the tools and tiers that it does not price. A card that is free gives them
   * away, too.
   */
  private ownCard(model: string, card: PriceCard): PriceCard {
    return withTools(withTiers(card, model), this.toolPrices(model));
  }

  /** The list price of a model, with the site's own prices of tools. */
  private listed(model: string): NamedCard | null {
    const builtIn = builtInCard(model);
    return builtIn && { name: builtIn.name, card: withSiteTools(builtIn.card, this.siteTools(model)) };
  }

  private siteTools(model: string): ToolPrices {
    return this.current.siteTools.find(model)?.card.prices ?? {};
  }

  private toolPrices(model: string): ToolFees {
    return toolPricesOf(model, this.siteTools(model));
  }

  /**
   * Returns the price of a model with which a tool draws images in a call of another model: its card, or else its list price.
   * Prices of the model in the old tables do not apply, because they are for orders of images.
   * @param price of the call
   * @returns null where the price of the call covers the images: it has one for them, is per call, or is free
   */
  ofDrawing(price: Price, model: string, group: string): Price | null {
    if (price.coversWork || price.card.prices.imageOutput !== undefined) return null;
    const found = this.find(model, group);
    return found && hasLines(found.cards.images) ? found : this.listPrice(model, group);
  }

  /**
   * Returns the price of a model that advises the model of a call: its own card or ratios, or else its list price. Advice is
   * charged by the price's card in USD.
   * @param price of the call
   * @returns null where the price of the call covers the advice: it is per call or free, or the model has no price by tokens
   */
  ofAdvice(price: Price, model: string, group: string): Price | null {
    if (price.coversWork) return null;
    const found = this.find(model, group);
    return found && hasLines(found.card) ? found : this.listPrice(model, group);
  }

  /**
   * Returns the price of a call with prices for the tools that ran in it and that it does not price: those of the site, or
   * else of the maker, for the model that the provider called. A conversation that a provider stores may have tools that
   * the request does not name. A price that has all tools that ran is returned unchanged.
   */
  withToolsOf(price: Price, model: string, ran: readonly Quantity[]): Price {
    if (price.coversWork || ran.length === 0) return price;
    const fees = Object.entries(this.toolPrices(model)).filter(([name]) => ran.includes(name as Quantity));
    const card = withTools(price.card, Object.fromEntries(fees));
    return card === price.card ? price : { ...price, card };
  }

  private listPrice(model: string, group: string): Price | null {
    const listed = builtInCard(model);
    return listed && priceOfCard(listed, 'list', this.terms(model, group));
  }

  /**
   * The price of a model that writes down the speech of a session of another model.
   * @param price of the session
   * @returns null where the price of the session covers it, because it is per call or free, and where the model has none
   */
  ofTranscripts(price: Price, model: string, group: string): Price | null {
    return price.coversWork ? null : this.find(model, group);
  }

  /** Whether the model has a price. */
  isPriced(model: string): boolean {
    return this.find(model, '') !== null;
  }

  /** The completion ratio, and whether the CompletionRatio setting is ignored for this model. */
  completionRatio(model: string): RuledRatio {
    const name = familyOf(model);
    const saved = this.settings.values.CompletionRatio[name];
    if (name.includes('/') && saved !== undefined) return { ratio: saved, locked: false };
    const ruled = ruledCompletionRatio(name);
    return ruled.locked || saved === undefined ? ruled : { ratio: saved, locked: false };
  }

  /** A group without a ratio counts as 1. */
  groupRatio(group: string): number {
    return this.settings.values.GroupRatio[group] ?? 1;
  }

  /** The logged cost of a channel test, without group ratio. It is not charged. */
  testCharge(
    model: string,
    usage: { readonly promptTokens: number; readonly completionTokens: number },
  ): { readonly quota: number; readonly other: Record<string, unknown> } {
    const name = familyOf(model);
    const price = this.find(name, '') ?? this.ratioPrice(name, unpricedRatio, this.terms(name, ''));
    const { QuotaPerUnit } = this.settings.values;
    const { modelPrice, modelRatio, completionRatio } = price.shown;
    const row = { model_price: modelPrice, group_ratio: 1, price_version: this.version, uncharged: true };
    if (!hasLines(price.cards.text)) {
      const factors = { model_ratio: modelRatio, completion_ratio: completionRatio };
      return { quota: chargeOfTest(price, usage, QuotaPerUnit), other: { ...row, ...factors } };
    }
    const whole = { ...noUsage, ...usage };
    const components = linesOfUsage(price.card, whole);
    const factors = { model_ratio: 0, completion_ratio: 0, quota_per_unit: QuotaPerUnit };
    return {
      quota: chargeOfUsage(price.card, whole, 1, QuotaPerUnit).quota,
      other: { ...row, ...factors, price_card: price.name, components },
    };
  }

  /** @param called the requested model. Its own limits apply; all other facts are those of its family. */
  private terms(model: string, group: string, called = model): Terms {
    return { groupRatio: this.groupRatio(group), version: this.version, model, limits: modelLimits(called) };
  }

  private ratioPrice(name: string, modelRatio: number, terms: Terms): Price {
    const tools = this.toolPrices(name);
    const ratios = {
      modelRatio,
      completionRatio: this.completionRatio(name).ratio,
      cacheRatio: this.settings.values.CacheRatio[name] ?? 1,
      cacheWriteRatio,
      audioRatio: audioInputRatio(name),
      audioCompletionRatio: audioOutputRatio,
      tools,
      searches: tools.request === undefined ? undefined : listedSearches(name, tools),
    };
    return priceOfRatios(name, ratios, terms, this.settings.values.QuotaPerUnit);
  }
}
