import type { SaleLines } from '../../modules/pricing/channel-cost.service.js';
import {
  chargeByCard,
  componentsOfUsage,
  quotaOfComponents,
  type CardPrice,
  type Component,
  type TablePrice,
} from '../../modules/pricing/price-book.service.js';
import type { ChargedCall, Tariff } from '../call/endpoint.js';

/** The part of a log row that is about a charge. */
export interface ChargeRecord {
  /** Keys of the row that the tariff or the card adds or replaces (docs/reference/relay/usage-log.md#the-other-field). */
  readonly notes?: Readonly<Record<string, unknown>>;
  /** The row's `content`, where it is not the usual text. */
  readonly line?: string;
}

/** The charge of a call in quota: by the card of its model, else by the tariff of its endpoint. */
export const chargeOfCall = (tariff: Tariff, charged: ChargedCall, quotaPerUnit: number): number =>
  isByTable(charged)
    ? tariff.charge(charged, quotaPerUnit)
    : chargeByCard(charged.price as CardPrice, charged.usage, quotaPerUnit);

/** The charge of a call in quota, with a record that is complete enough to compute it again, and the lines of a card. */
export function billOf(
  tariff: Tariff,
  charged: ChargedCall,
  quotaPerUnit: number,
): { readonly quota: number; readonly record: ChargeRecord; readonly sale: SaleLines | null } {
  if (isByTable(charged)) {
    return { quota: tariff.charge(charged, quotaPerUnit), record: tableRecord(tariff, charged), sale: null };
  }
  const price = charged.price as CardPrice;
  const components = componentsOfUsage(price, charged.usage);
  return {
    quota: quotaOfComponents(components, price.groupRatio, quotaPerUnit),
    record: { notes: cardNotes(price, components) },
    sale: { card: price.card, lines: components },
  };
}

function tableRecord(tariff: Tariff, charged: ChargedCall<TablePrice>): ChargeRecord {
  const line = tariff.line?.(charged) ?? null;
  return {
    ...(tariff.notes ? { notes: tariff.notes(charged) } : {}),
    ...(line === null ? {} : { line }),
  };
}

const isByTable = (charged: ChargedCall): charged is ChargedCall<TablePrice> => charged.price.kind !== 'card';

function cardNotes({ card, name }: CardPrice, components: readonly Component[]): Readonly<Record<string, unknown>> {
  return {
    price_card: name,
    ...(card.asOf === undefined ? {} : { price_as_of: card.asOf }),
    components,
  };
}
