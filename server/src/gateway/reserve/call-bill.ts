import {
  cardNotes,
  cardOf,
  type CardPrice,
  chargeByCard,
  chargeOfComponents,
  type Component,
  componentsOfUsage,
  isFree,
  linesOfImages,
  type Rounded,
  type SaleLines,
  type TablePrice,
  usesTools,
  withoutAdvice,
  withoutImages,
} from '../../billing/prices/index.js';
import { usualDrawingModel } from '../../dialects/languages/responses/drawing-tool.js';
import type { PriceCard } from '../../shared/price-card.js';
import type { ChargeInput, Tariff } from '../endpoint.js';

/** The columns of a log row that describe a charge. */
export interface ChargeRecord {
  /** Keys of the row that the tariff or the card adds or replaces (docs/reference/relay/usage-log.md#the-other-field). */
  readonly notes?: Readonly<Record<string, unknown>>;
  /** The row's `content`, if it is not the usual text. */
  readonly line?: string;
}

/** Returns the charge of a call: by the card of its model, or else by the tariff of its endpoint. */
export function chargeOfCall(tariff: Tariff, charged: ChargeInput, quotaPerUnit: number): Rounded {
  const parts = partsOf(charged, quotaPerUnit);
  if (parts) return chargeOfComponents(parts.lines, charged.price.groupRatio, quotaPerUnit);
  return isByTable(charged)
    ? tariff.charge(charged, quotaPerUnit)
    : chargeByCard(charged.price as CardPrice, charged.usage, quotaPerUnit);
}

/**
 * The parts of a charge when tools have prices of their own, drew images with another model, or asked another model for
 * advice.
 */
interface Parts {
  readonly card: PriceCard;
  /** The lines of the call, followed by the lines of the other model. */
  readonly lines: readonly Component[];
  /**
   * The key of the log row that names the model of the last lines. Empty when all lines are of the call's own model.
   */
  readonly note: Readonly<Record<string, unknown>>;
}

function partsOf(charged: ChargeInput, quotaPerUnit: number): Parts | null {
  const { price, drawing, advice, usage, request } = charged;
  const { drawn, advised } = usage.details ?? {};
  const isShared = Boolean(drawing && drawn) || Boolean(advice && advised);
  if (price.kind === 'call' || isFree(price)) return null;
  if (!isShared && !(price.kind === 'ratio' && usesTools(usage, price.tools))) return null;
  const card = cardOf(price, quotaPerUnit);
  if (drawing && drawn) {
    const parts = withoutImages(usage, drawn);
    const ofImages = linesOfImages(drawing.card, parts.images);
    const lines = [...componentsOfUsage({ card }, parts.call), ...ofImages];
    const model = request.drawing?.model ?? usualDrawingModel;
    const note = { model, price_card: drawing.name, images: drawn.images, lines: ofImages.length };
    return { card, lines, note: { drawn: note } };
  }
  if (!advice || !advised) return { card, lines: componentsOfUsage({ card }, usage), note: {} };
  const parts = withoutAdvice(usage, advised);
  const ofAdvice = componentsOfUsage(advice, parts.advice);
  const model = advised.model ?? request.advisor?.model ?? advice.name;
  const note = { model, price_card: advice.name, lines: ofAdvice.length };
  return { card, lines: [...componentsOfUsage({ card }, parts.call), ...ofAdvice], note: { advised: note } };
}

/** Returns the charge of a call, with a record that is complete enough to compute it again, and the lines of a card. */
export function billOf(
  tariff: Tariff,
  charged: ChargeInput,
  quotaPerUnit: number,
): { readonly charge: Rounded; readonly record: ChargeRecord; readonly sale: SaleLines | null } {
  const parts = partsOf(charged, quotaPerUnit);
  if (parts) return billOfParts(parts, charged, quotaPerUnit);
  if (isByTable(charged)) {
    return { charge: tariff.charge(charged, quotaPerUnit), record: tableRecord(tariff, charged), sale: null };
  }
  const price = charged.price as CardPrice;
  const components = componentsOfUsage(price, charged.usage);
  return {
    charge: chargeOfComponents(components, price.groupRatio, quotaPerUnit),
    record: { notes: cardNotes(price, components) },
    sale: { card: price.card, lines: components },
  };
}

function billOfParts(
  { card, lines, note }: Parts,
  { price }: ChargeInput,
  quotaPerUnit: number,
): ReturnType<typeof billOf> {
  const ofCall = price.kind === 'card' ? cardNotes(price, lines) : { components: lines, quota_per_unit: quotaPerUnit };
  return {
    charge: chargeOfComponents(lines, price.groupRatio, quotaPerUnit),
    record: { notes: { ...ofCall, ...note } },
    sale: { card, lines },
  };
}

function tableRecord(tariff: Tariff, charged: ChargeInput<TablePrice>): ChargeRecord {
  const line = tariff.line?.(charged) ?? null;
  return {
    ...(tariff.notes ? { notes: tariff.notes(charged) } : {}),
    ...(line === null ? {} : { line }),
  };
}

const isByTable = (charged: ChargeInput): charged is ChargeInput<TablePrice> => charged.price.kind !== 'card';
