import {
  chargeByCard,
  componentsOfUsage,
  type CardPrice,
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

/** The record of a charge, complete enough to compute it again. */
export function recordOfCharge(tariff: Tariff, charged: ChargedCall): ChargeRecord {
  if (!isByTable(charged)) return cardRecord(charged.price as CardPrice, charged);
  const line = tariff.line?.(charged) ?? null;
  return {
    ...(tariff.notes ? { notes: tariff.notes(charged) } : {}),
    ...(line === null ? {} : { line }),
  };
}

const isByTable = (charged: ChargedCall): charged is ChargedCall<TablePrice> => charged.price.kind !== 'card';

function cardRecord(price: CardPrice, { usage }: ChargedCall): ChargeRecord {
  const { card, name, groupRatio } = price;
  return {
    notes: {
      price_card: name,
      ...(card.asOf === undefined ? {} : { price_as_of: card.asOf }),
      components: componentsOfUsage(price, usage),
      ...(usage.details?.serviceTier ? { service_tier: usage.details.serviceTier } : {}),
    },
    line: `price card ${name}, group ratio ${groupRatio.toFixed(2)}`,
  };
}
