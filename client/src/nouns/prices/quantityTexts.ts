import type { TFunction } from 'i18next';
import {
  isResolution,
  quantities,
  serviceTiers,
  type Quantity,
  type Resolution,
  type ServiceTier,
} from './quantities.js';

const textOf = <Q extends Quantity>(quantity: Q): readonly [Q, `quantities.${Q}`] => [
  quantity,
  `quantities.${quantity}`,
];

/** Texts of what a call or a price consists of: the quantities of price cards, and the kinds of older bills. */
export const quantityTexts = {
  ...(Object.fromEntries(quantities.map(textOf)) as { readonly [Q in Quantity]: `quantities.${Q}` }),
  cacheRead: 'quantities.cachedInput',
  call: 'logs.billCall',
} as const;

export type QuantityName = keyof typeof quantityTexts;

export const isQuantityName = (name: string): name is QuantityName => Object.hasOwn(quantityTexts, name);

/** The name of a quantity; one that this console does not know has its own name. */
export const quantityLabel = (t: TFunction, quantity: string): string =>
  isQuantityName(quantity) ? t(quantityTexts[quantity]) : quantity;

type NamedTier = Exclude<ServiceTier, Resolution>;
const isNamedTier = (name: string): name is NamedTier =>
  (serviceTiers as readonly string[]).includes(name) && !isResolution(name);

/** The name of a service tier. A resolution, and a tier that this console does not know, have their own names. */
export const tierLabel = (t: TFunction, tier: string): string =>
  isNamedTier(tier) ? t(`priceCard.tiers.${tier.toUpperCase() as Uppercase<NamedTier>}`) : tier;
