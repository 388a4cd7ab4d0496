import type { TFunction } from 'i18next';
import { conditionNames, isNamedFact, quantities, type Quantity, type StatedCondition } from './quantities.js';
import { listText } from '../../lib/format.js';

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

/** The name of a condition. A resolution, and a value that this console does not know, have their own names. */
export const conditionLabel = (t: TFunction, when: StatedCondition): string =>
  listText(
    conditionNames.flatMap((name) => {
      const value = when[name];
      const fact = `${name}.${value}`;
      return isNamedFact(fact) ? [t(`priceCard.conditions.${fact}`)] : (value ?? []);
    }),
  );
