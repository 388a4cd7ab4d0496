import { Field, Float, ObjectType } from 'type-graphql';
import type { Quantity } from '../../shared/price-card.js';
import { enumType } from '../../platform/graphql/enums.js';
import type { CostBasis, LogCost } from './log-cost.js';
import type { LogPrice } from './log-details.js';
import type { LogChargeLine } from './log-lines.js';

@ObjectType('LogChargeLine', { description: 'One quantity of a charge.' })
export class LogChargeLineObject implements LogChargeLine {
  @Field(() => String, { description: 'Such as `input`, `cacheWrite1h`, `output`, `webSearch`.' })
  quantity: Quantity;

  @Field(() => Float, { description: 'Tokens or units.' })
  count: number;

  @Field(() => Float, { description: 'USD per million tokens or per unit.' })
  price: number;

  @Field(() => Boolean, {
    description: 'True: `price` is per million tokens. False: per unit, such as an image or a search.',
  })
  isPerMillion: boolean;

  @Field(() => Float, { description: 'Before the group ratio.' })
  usd: number;
}

@ObjectType('LogPrice', { description: 'The factors of a charge. A factor is null where it does not apply.' })
export class LogPriceObject implements LogPrice {
  @Field(() => String, { nullable: true, description: 'The price tables used, see `priceVersion`.' })
  version: string | null;

  @Field(() => Float, { nullable: true, description: 'USD per call. Null for calls that are priced by tokens.' })
  modelPrice: number | null;

  @Field(() => Float, { nullable: true, description: '1 means 2 USD per million prompt tokens.' })
  modelRatio: number | null;

  @Field(() => Float, { nullable: true, description: 'Price of a completion token in prompt tokens.' })
  completionRatio: number | null;

  @Field(() => Float, { nullable: true, description: 'Price of a cached prompt token in prompt tokens.' })
  cacheRatio: number | null;

  @Field(() => Float, { nullable: true, description: 'Price of a token written to the cache in prompt tokens.' })
  cacheWriteRatio: number | null;

  @Field(() => Float, { nullable: true, description: 'Price of an audio input token in prompt tokens.' })
  audioRatio: number | null;

  @Field(() => Float, { nullable: true, description: 'Price of an audio output token in audio input tokens.' })
  audioCompletionRatio: number | null;

  @Field(() => Float, { description: 'Ratio of the group.' })
  groupRatio: number;

  @Field(() => String, {
    nullable: true,
    description: 'Name of the price card that priced the call. Its charge is in `lines`; the ratios only describe it.',
  })
  card: string | null;

  @Field(() => String, { nullable: true, description: 'When the prices of the card were read: a month or a day.' })
  cardAsOf: string | null;

  @Field(() => [LogChargeLineObject], { nullable: true, description: 'Of calls priced by a card.' })
  lines: readonly LogChargeLine[] | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'Fraction of a quota unit that earlier calls of the user left to this one, negative where they paid in advance. The charge is the price, plus this, less `carriedAfter`. Null where the price is a whole number.',
  })
  carriedBefore: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'Fraction of a quota unit that is left to the next call. Of a realtime session, this and `carriedBefore` are the sums of its turns.',
  })
  carriedAfter: number | null;
}

const CostBasisEnum = enumType(
  'CostBasis',
  { REPORTED: 'reported', CARD: 'card', LIST: 'list' },
  'Where the cost of a call is from.',
  {
    REPORTED: 'The provider reports it.',
    CARD: 'A cost card of the channel.',
    LIST: 'The list price of the provider, times the factor of the channel.',
  },
);

@ObjectType('LogCost', { description: 'The cost of a call.' })
export class LogCostObject implements LogCost {
  @Field(() => Float, { description: 'USD, the factor included.' })
  usd: number;

  @Field(() => Float, { description: 'What the user paid, less the cost.' })
  marginUsd: number;

  @Field(() => CostBasisEnum, { description: 'Where the cost is from.' })
  basis: CostBasis;

  @Field(() => String, { nullable: true, description: 'Name of the card. Null where the provider reports the cost.' })
  card: string | null;

  @Field(() => Float, { description: 'Times the prices of the lines.' })
  factor: number;

  @Field(() => [LogChargeLineObject], { nullable: true, description: 'Before the factor.' })
  lines: readonly LogChargeLine[] | null;
}
