import { ObjectType } from 'type-graphql';
import { fields, flag, float, nullable, of, text } from '../../platform/graphql/fields.js';
import type { Quantity } from '../../shared/price-card.js';
import { enumType } from '../../platform/graphql/enums.js';
import type { CostBasis, LogCost } from './log-cost.js';
import type { LogPrice } from './log-details.js';
import type { LogChargeLine } from './log-lines.js';

@ObjectType('LogChargeLine', { description: 'One quantity of a charge.' })
export class LogChargeLineObject
  extends fields({
    quantity: of<Quantity>(() => String, 'Such as `input`, `cacheWrite1h`, `output`, `webSearch`.'),
    count: float('Tokens or units.'),
    price: float('USD per million tokens or per unit.'),
    isPerMillion: flag('True: `price` is per million tokens. False: per unit, such as an image or a search.'),
    usd: float('Before the group ratio.'),
  })
  implements LogChargeLine {}

@ObjectType('LogPrice', { description: 'The factors of a charge. A factor is null where it does not apply.' })
export class LogPriceObject
  extends fields({
    version: text.orNull('The price tables used, see `priceVersion`.'),
    modelPrice: float.orNull('USD per call. Null for calls that are priced by tokens.'),
    modelRatio: float.orNull('1 means 2 USD per million prompt tokens.'),
    completionRatio: float.orNull('Price of a completion token in prompt tokens.'),
    cacheRatio: float.orNull('Price of a cached prompt token in prompt tokens.'),
    cacheWriteRatio: float.orNull('Price of a token written to the cache in prompt tokens.'),
    audioRatio: float.orNull('Price of an audio input token in prompt tokens.'),
    audioCompletionRatio: float.orNull('Price of an audio output token in audio input tokens.'),
    groupRatio: float('Ratio of the group.'),
    card: text.orNull(
      'Name of the price card that priced the call. Its charge is in `lines`; the ratios only describe it.',
    ),
    cardAsOf: text.orNull('When the prices of the card were read: a month or a day.'),
    lines: nullable<readonly LogChargeLine[]>(() => [LogChargeLineObject], 'Of calls priced by a card.'),
    carriedBefore: float.orNull(
      'Fraction of a quota unit that earlier calls of the user left to this one, negative where they paid in advance. The charge is the price, plus this, less `carriedAfter`. Null where the price is a whole number.',
    ),
    carriedAfter: float.orNull(
      'Fraction of a quota unit that is left to the next call. Of a realtime session, this and `carriedBefore` are the sums of its turns.',
    ),
  })
  implements LogPrice {}

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
export class LogCostObject
  extends fields({
    usd: float('USD, the factor included.'),
    marginUsd: float('What the user paid, less the cost.'),
    basis: of<CostBasis>(() => CostBasisEnum, 'Where the cost is from.'),
    card: text.orNull('Name of the card. Null where the provider reports the cost.'),
    factor: float('Times the prices of the lines.'),
    lines: nullable<readonly LogChargeLine[]>(() => [LogChargeLineObject], 'Before the factor.'),
  })
  implements LogCost {}
