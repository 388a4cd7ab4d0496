import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import {
  argFields,
  fields,
  flag,
  float,
  inputFields,
  int,
  moment,
  nullable,
  of,
  text,
  texts,
} from '../../../platform/graphql/fields.js';
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
class SkippedModelObject
  extends fields({
    model: text('The model, as the source names it.'),
    reason: text('Why its price cannot be used, in English.'),
  })
  implements SkippedModel {}

@ObjectType('PriceCheckSource', { description: 'A list of prices, as it was read.' })
export class PriceCheckSourceObject
  extends fields({
    label: text('The address without its query, or the name of the file.'),
    format: nullable<PriceFormat>(() => PriceFormatEnum, 'Null: the list could not be read.'),
    modelCount: int('Models with a usable price.'),
    skipped: of<readonly SkippedModel[]>(() => [SkippedModelObject], 'The first 200.'),
    skippedCount: int('All models whose price cannot be used, also those that `skipped` does not list.'),
    errorCode: text.orNull('The code of the failure; null when the list was read.'),
    error: text.orNull('Why the list could not be read, in English. Null: it was read.'),
  })
  implements Omit<CheckedSource, 'cards'> {}

@ObjectType('PriceCheck', { description: 'Lists of prices that were read together. The last few are kept.' })
export class PriceCheckObject extends fields({
  id: int('Names the check in `applyPrices`.'),
  createdAt: moment('When the lists were read.'),
  isScheduled: flag('It was made on schedule (option PriceSyncHours).'),
  sources: of<PriceCheckSourceObject[]>(
    () => [PriceCheckSourceObject],
    'The lists, also those that could not be read.',
  ),
}) {
  check: PriceCheck;
}

@ObjectType('PriceChangeLine', { description: 'One price that differs.' })
class PriceChangeLineObject
  extends fields({
    quantity: of<Quantity>(() => String, 'Such as `input`, `cacheWrite1h`, `output`, `webSearch`.'),
    above: int('Prompt tokens above which it applies. 0: every call.'),
    when: nullable<Condition>(() => PriceConditionObject, 'Null: calls that meet no condition.'),
    before: float('USD per million tokens or per unit.'),
    after: float('In the same unit.'),
    percent: float.orNull('Null: the price before is 0.'),
  })
  implements PriceChangeLine {}

@ObjectType('PriceOffer', { description: 'The price of a model in one source, with the mark-up.' })
class PriceOfferObject
  extends fields({
    source: text('`PriceCheckSource.label`.'),
    card: of<PriceCard>(
      () => GraphQLJSON,
      'The card that would apply. It keeps what the source does not price: tools, service tiers.',
    ),
  })
  implements PriceOffer {}

@ObjectType('PriceDiffLine', { description: 'A model of the sources beside its current price.' })
export class PriceDiffLineObject extends fields({
  model: text('As clients request it.'),
  kind: of<PriceDiffKind>(() => PriceDiffKindEnum, 'How the first offer differs from the current price.'),
  currentSource: nullable<'card' | 'table' | 'list'>(() => PriceSourceEnum, 'Null: the model has no price.'),
  currentCard: nullable<PriceCard>(() => GraphQLJSON, 'The current price as a card.'),
  offers: of<readonly PriceOffer[]>(
    () => [PriceOfferObject],
    'The prices of the sources that have the model, one for each.',
  ),
  changes: of<readonly PriceChangeLine[]>(
    () => [PriceChangeLineObject],
    'From the current price to the first offer. Of sources that disagree: from one to the other.',
  ),
  percent: float.orNull('The largest change in percent, with its sign.'),
  isServed: flag('An enabled channel serves the model.'),
}) {}

@ObjectType('PriceDiffCount', { description: 'How many models differ in one way.' })
class PriceDiffCountObject extends fields({
  kind: of<PriceDiffKind>(() => PriceDiffKindEnum, 'How the prices differ.'),
  count: int('Models whose price differs so.'),
}) {}

@ObjectType('PriceDiffPage', { implements: PageInterface, description: 'A page of the comparison with price lists.' })
export class PriceDiffPage extends fields(
  {
    counts: of<PriceDiffCountObject[]>(() => [PriceDiffCountObject], 'Of every kind, without the filter by kind.'),
    models: texts('All models that match the filter.'),
  },
  pageItems(PriceDiffLineObject),
) {}

@InputType({ description: 'Conditions on lines. All must match.' })
export class PriceDiffFilter extends inputFields({
  kinds: nullable<PriceDiffKind[]>(() => [PriceDiffKindEnum], 'Only models that differ in these ways.'),
  keyword: text.orNull('Part of a model name.'),
  isServed: flag.orNull('An enabled channel serves the model.'),
}) {}

@ArgsType()
export class PriceDiffArgs extends argFields(
  {
    markup: float.orNull('Factor of all prices. Default: option PriceSyncMarkup.'),
    threshold: float.orNull('Percent. Default: option PriceSyncThreshold.'),
    filter: nullable<PriceDiffFilter>(() => PriceDiffFilter, filterText),
  },
  ListArgs,
) {}

@ObjectType('PriceUpdate', { description: 'Prices that were taken from lists, as one version of the prices.' })
export class PriceUpdateObject extends fields({
  id: int('Names the update in `undoPrices`.'),
  createdAt: moment('When the prices were applied.'),
  markup: float('Factor on every price of the lists: 1.2 is 20 percent above them.'),
  models: texts('Models whose price changed, sorted.'),
  versionBefore: text('`PriceVersion.version` before.'),
  versionAfter: text('`PriceVersion.version` afterwards.'),
  undoneAt: moment.orNull('Null: it was not taken back.'),
}) {}

@InputType({ description: 'Price lists to read.' })
export class CheckPricesInput extends inputFields({
  urls: texts('Up to 5 http or https addresses.'),
  withCheckId: int.orNull('Adds the sources of this check, such as a file.'),
}) {}

@InputType({ description: 'A model whose price is taken from a list.' })
class PriceChoiceInput extends inputFields({
  model: text('`PriceDiffLine.model`.'),
  source: text.orNull('`PriceOffer.source`. Needed where sources disagree.'),
}) {}

@InputType({ description: 'Prices of a check that become prices of the site.' })
export class ApplyPricesInput extends inputFields({
  checkId: int('`PriceCheck.id`.'),
  markup: float.orNull('Factor of all prices. Default: option PriceSyncMarkup.'),
  threshold: float.orNull('Percent, as in the comparison that was read.'),
  choices: of<PriceChoiceInput[]>(() => [PriceChoiceInput], 'Up to 5,000 models.'),
}) {}

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
