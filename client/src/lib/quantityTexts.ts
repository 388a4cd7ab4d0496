import type { TFunction } from 'i18next';
import { quantities, serviceTiers, type Quantity, type ServiceTier } from './quantities.js';

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

const isServiceTier = (name: string): name is ServiceTier => (serviceTiers as readonly string[]).includes(name);

/** The name of a service tier; one that this console does not know has its own name. */
export const tierLabel = (t: TFunction, tier: string): string =>
  isServiceTier(tier) ? t(`priceCard.tiers.${tier.toUpperCase() as Uppercase<ServiceTier>}`) : tier;
