import { asFields, type Fields } from '../../../shared/json.js';
import type { CardCollector } from './card-collector.js';
import { addCard } from './new-api-document.js';

/** Whether the document is the option `PriceCards` of another Tollgate: cards by model. */
export const isCards = (document: Fields): boolean =>
  Object.values(document).some((value) => asFields(asFields(value)?.['prices']) !== null);

/**
 * Reads cards, like `collectPriceList`.
 * @throws PriceDocumentError
 */
export function* collectCards(document: Fields, into: CardCollector): Iterable<void> {
  for (const [name, card] of Object.entries(document)) {
    if (card === 'built-in') into.skip(name, 'it has the list price there');
    else addCard(name, card, into, true);
    yield;
  }
}
