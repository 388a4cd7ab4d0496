import { ArgsType, Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { enumType, namesOf } from '../../../platform/graphql/enums.js';
import { filterText, ListArgs, pageItems, PageInterface } from '../../../platform/graphql/pagination.js';
import { GraphQLJSON } from '../../../platform/graphql/scalars.js';
import type { PriceCard, Quantity } from '../../../shared/price-card.js';
import type { Condition } from '../../../shared/price-condition.js';
import { PriceConditionObject } from '../price-condition.object.js';
import { PriceSourceEnum } from '../pricing.object.js';
import {
  type PriceChangeLine,
  type PriceDiffKind,
  priceDiffKinds,
  type PriceDiffLine,
  type PriceFormat,
  priceFormats,
  type PriceOffer,
  type SkippedModel,
} from '../../../billing/prices/index.js';
import type { CheckedSource, PriceCheck } from './price-check.entity.js';
import type { PriceUpdate } from './price-update.entity.js';

const PriceFormatEnum = enumType('PriceFormat', namesOf(priceFormats), 'The form of a list of prices.', {
  LITELLM: 'The table of LiteLLM.',
  MODELS_DEV: '`api.json` of models.dev.',
  OPENROUTER: '`/api/v1/models` of OpenRouter.',
  PRICE_LIST: '`/api/pricing` of new-api and its relatives, and of Tollgate.',
  RATIO_CONFIG: '`/api/ratio_config` of new-api.',
  PRICE_CARDS: 'Option `PriceCards` of Tollgate.',
});

const PriceDiffKindEnum = enumType('PriceDiffKind', namesOf(priceDiffKinds), 'How a price differs.', {
  NEW: 'The model has no price here.',
  UP: 'A price rises by more than the threshold.',
  DOWN: 'A price falls by more than the threshold, and none rises.',
  MINOR: 'All changes are within the threshold.',
  SAME: 'No price differs.',
  GONE: 'The card was taken from one of these sources, and none has the model any more.',
  DISAGREE: 'Two sources differ by more than the threshold.',
});

@ObjectType('SkippedModel', { description: 'A model of a source whose price cannot be used.' })
class SkippedModelObject implements SkippedModel {
  @Field(() => String, { description: 'The model, as the source names it.' })
  model: string;

  @Field(() => String, { description: 'Why its price cannot be used, in English.' })
  reason: string;
}

@ObjectType('PriceCheckSource', { description: 'A list of prices, as it was read.' })
export class PriceCheckSourceObject implements Omit<CheckedSource, 'cards'> {
  @Field(() => String, { description: 'The address without its query, or the name of the file.' })
  label: string;

  @Field(() => PriceFormatEnum, { nullable: true, description: 'Null: the list could not be read.' })
  format: PriceFormat | null;

  @Field(() => Int, { description: 'Models with a usable price.' })
  modelCount: number;

  @Field(() => [SkippedModelObject], { description: 'The first 200.' })
  skipped: readonly SkippedModel[];

  @Field(() => Int, { description: 'All models whose price cannot be used, also those that `skipped` does not list.' })
  skippedCount: number;

  @Field(() => String, { nullable: true, description: 'The code of the failure; null when the list was read.' })
  errorCode: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Why the list could not be read, in English. Null: it was read.',
  })
  error: string | null;
}

@ObjectType('PriceCheck', { description: 'Lists of prices that were read together. The last few are kept.' })
export class PriceCheckObject {
  @Field(() => Int, { description: 'Names the check in `applyPrices`.' })
  id: number;

  @Field(() => Date, { description: 'When the lists were read.' })
  createdAt: Date;

  @Field(() => Boolean, { description: 'It was made on schedule (option PriceSyncHours).' })
  isScheduled: boolean;

  @Field(() => [PriceCheckSourceObject], { description: 'The lists, also those that could not be read.' })
  sources: PriceCheckSourceObject[];

  check: PriceCheck;
}

@ObjectType('PriceChangeLine', { description: 'One price that differs.' })
class PriceChangeLineObject implements PriceChangeLine {
  @Field(() => String, { description: 'Such as `input`, `cacheWrite1h`, `output`, `webSearch`.' })
  quantity: Quantity;

  @Field(() => Int, { description: 'Prompt tokens above which it applies. 0: every call.' })
  above: number;

  @Field(() => PriceConditionObject, { nullable: true, description: 'Null: calls that meet no condition.' })
  when: Condition | null;

  @Field(() => Float, { description: 'USD per million tokens or per unit.' })
  before: number;

  @Field(() => Float, { description: 'In the same unit.' })
  after: number;

  @Field(() => Float, { nullable: true, description: 'Null: the price before is 0.' })
  percent: number | null;
}

@ObjectType('PriceOffer', { description: 'The price of a model in one source, with the mark-up.' })
class PriceOfferObject implements PriceOffer {
  @Field(() => String, { description: '`PriceCheckSource.label`.' })
  source: string;

  @Field(() => GraphQLJSON, {
    description: 'The card that would apply. It keeps what the source does not price: tools, service tiers.',
  })
  card: PriceCard;
}

@ObjectType('PriceDiffLine', { description: 'A model of the sources beside its current price.' })
export class PriceDiffLineObject {
  @Field(() => String, { description: 'As clients request it.' })
  model: string;

  @Field(() => PriceDiffKindEnum, { description: 'How the first offer differs from the current price.' })
  kind: PriceDiffKind;

  @Field(() => PriceSourceEnum, { nullable: true, description: 'Null: the model has no price.' })
  currentSource: 'card' | 'table' | 'list' | null;

  @Field(() => GraphQLJSON, { nullable: true, description: 'The current price as a card.' })
  currentCard: PriceCard | null;

  @Field(() => [PriceOfferObject], { description: 'The prices of the sources that have the model, one for each.' })
  offers: readonly PriceOffer[];

  @Field(() => [PriceChangeLineObject], {
    description: 'From the current price to the first offer. Of sources that disagree: from one to the other.',
  })
  changes: readonly PriceChangeLine[];

  @Field(() => Float, { nullable: true, description: 'The largest change in percent, with its sign.' })
  percent: number | null;

  @Field(() => Boolean, { description: 'An enabled channel serves the model.' })
  isServed: boolean;
}

@ObjectType('PriceDiffCount', { description: 'How many models differ in one way.' })
class PriceDiffCountObject {
  @Field(() => PriceDiffKindEnum, { description: 'How the prices differ.' })
  kind: PriceDiffKind;

  @Field(() => Int, { description: 'Models whose price differs so.' })
  count: number;
}

@ObjectType('PriceDiffPage', { implements: PageInterface, description: 'A page of the comparison with price lists.' })
export class PriceDiffPage extends pageItems(PriceDiffLineObject) {
  @Field(() => [PriceDiffCountObject], { description: 'Of every kind, without the filter by kind.' })
  counts: PriceDiffCountObject[];

  @Field(() => [String], { description: 'All models that match the filter.' })
  models: string[];
}

@InputType({ description: 'Conditions on lines. All must match.' })
export class PriceDiffFilter {
  @Field(() => [PriceDiffKindEnum], { nullable: true, description: 'Only models that differ in these ways.' })
  kinds?: PriceDiffKind[] | null;

  @Field(() => String, { nullable: true, description: 'Part of a model name.' })
  keyword?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'An enabled channel serves the model.' })
  isServed?: boolean | null;
}

@ArgsType()
export class PriceDiffArgs extends ListArgs {
  @Field(() => Float, { nullable: true, description: 'Factor of all prices. Default: option PriceSyncMarkup.' })
  markup?: number | null;

  @Field(() => Float, { nullable: true, description: 'Percent. Default: option PriceSyncThreshold.' })
  threshold?: number | null;

  @Field(() => PriceDiffFilter, { nullable: true, description: filterText })
  filter?: PriceDiffFilter | null;
}

@ObjectType('PriceUpdate', { description: 'Prices that were taken from lists, as one version of the prices.' })
export class PriceUpdateObject {
  @Field(() => Int, { description: 'Names the update in `undoPrices`.' })
  id: number;

  @Field(() => Date, { description: 'When the prices were applied.' })
  createdAt: Date;

  @Field(() => Float, { description: 'Factor on every price of the lists: 1.2 is 20 percent above them.' })
  markup: number;

  @Field(() => [String], { description: 'Models whose price changed, sorted.' })
  models: string[];

  @Field(() => String, { description: '`PriceVersion.version` before.' })
  versionBefore: string;

  @Field(() => String, { description: '`PriceVersion.version` afterwards.' })
  versionAfter: string;

  @Field(() => Date, { nullable: true, description: 'Null: it was not taken back.' })
  undoneAt: Date | null;
}

@InputType({ description: 'Price lists to read.' })
export class CheckPricesInput {
  @Field(() => [String], { description: 'Up to 5 http or https addresses.' })
  urls: string[];

  @Field(() => Int, { nullable: true, description: 'Adds the sources of this check, such as a file.' })
  withCheckId?: number | null;
}

@InputType({ description: 'A model whose price is taken from a list.' })
class PriceChoiceInput {
  @Field(() => String, { description: '`PriceDiffLine.model`.' })
  model: string;

  @Field(() => String, { nullable: true, description: '`PriceOffer.source`. Needed where sources disagree.' })
  source?: string | null;
}

@InputType({ description: 'Prices of a check that become prices of the site.' })
export class ApplyPricesInput {
  @Field(() => Int, { description: '`PriceCheck.id`.' })
  checkId: number;

  @Field(() => Float, { nullable: true, description: 'Factor of all prices. Default: option PriceSyncMarkup.' })
  markup?: number | null;

  @Field(() => Float, { nullable: true, description: 'Percent, as in the comparison that was read.' })
  threshold?: number | null;

  @Field(() => [PriceChoiceInput], { description: 'Up to 5,000 models.' })
  choices: PriceChoiceInput[];
}

@InputType({ description: 'An update of prices to take back.' })
export class UndoPricesInput {
  @Field(() => Int, { description: '`PriceUpdate.id`.' })
  updateId: number;
}

@ObjectType({ description: 'The result of `applyPrices`.' })
export class ApplyPricesPayload {
  @Field(() => PriceUpdateObject, { nullable: true, description: 'Null: the prices are these already.' })
  update: PriceUpdateObject | null;
}

export const toPriceCheck = (check: PriceCheck): PriceCheckObject => ({
  check,
  id: check.id,
  createdAt: check.createdAt,
  isScheduled: check.isScheduled,
  sources: check.sources.map(({ cards, ...source }) => ({ ...source, modelCount: Object.keys(cards).length })),
});

export const toPriceDiffLine = ({ current, ...line }: PriceDiffLine): PriceDiffLineObject => ({
  ...line,
  currentSource: current?.source ?? null,
  currentCard: current?.card ?? null,
});

export const toPriceUpdate = ({
  id,
  createdAt,
  markup,
  after,
  undoneAt,
  ...versions
}: PriceUpdate): PriceUpdateObject => ({
  id,
  createdAt,
  markup,
  undoneAt,
  models: Object.keys(after).sort(),
  versionBefore: versions.versionBefore,
  versionAfter: versions.versionAfter,
});
