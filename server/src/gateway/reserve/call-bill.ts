import {
  type ChargeCard,
  chargeOfComponents,
  type Component,
  hasLines,
  linesOfUsage,
  type SaleLines,
  cardNotes,
  listsLines,
  type Price,
  linesOfImages,
  withoutAdvice,
  withoutImages,
  type Rounded,
  usesTools,
} from '../../billing/prices/index.js';
import { usualDrawingModel } from '../../dialects/languages/responses/drawing-tool.js';
import type { ChargeInput, Tariff } from '../endpoint.js';

/** The columns of a log row that describe a charge. */
export interface ChargeRecord {
  /** Keys of the row that the tariff or the card adds or replaces (docs/reference/relay/usage-log.md#the-other-field). */
  readonly notes?: Readonly<Record<string, unknown>>;
  /** The row's `content`, if it is not the usual text. */
  readonly line?: string;
  /** Whether prices in USD were charged, and not ratios. The row then needs the quota of a USD. */
  readonly isInUsd: boolean;
}

/** Returns the charge of a call: by the card of its endpoint's formula, or in USD when tools or other models worked. */
export function chargeOfCall(tariff: Tariff, charged: ChargeInput, quotaPerUnit: number): Rounded {
  const { card, lines } = partsOf(tariff, charged);
  return chargeOfComponents(lines, charged.price.groupRatio, quotaPerUnit, card);
}

/** Returns the card that charges calls of a model at an endpoint. */
export const cardAt = (tariff: Tariff, price: Price, bareModel: string): ChargeCard =>
  price.cards[tariff.formula(bareModel)];

/** The card that charges a call, and the lines of the charge. */
interface Parts {
  readonly card: ChargeCard;
  /** The lines of the call, followed by the lines of the other model. */
  readonly lines: readonly Component[];
  /** The key of the log row that names the model of the last lines. Absent when all lines are of the call's own model. */
  readonly note?: Readonly<Record<string, unknown>>;
}

/** Returns the parts of a charge. Work of tools and of other models is charged in USD. */
function partsOf(tariff: Tariff, charged: ChargeInput): Parts {
  const { price, usage, request, bareModel, upstreamModel } = charged;
  const ofOthers = price.coversWork ? null : partsWithOthers(charged);
  if (ofOthers) return ofOthers;
  const card = cardAt(tariff, price, bareModel);
  return { card, lines: linesOfUsage(card, usage, tariff.times?.(request, upstreamModel)) };
}

/**
 * Returns the parts of a charge when tools with prices of their own ran, drew images with another model, or asked another
 * model for advice.
 * @returns null for other calls
 */
function partsWithOthers({ price: { card }, drawing, advice, usage, request }: ChargeInput): Parts | null {
  const { drawn, advised } = usage.details ?? {};
  if (drawing && drawn) {
    const parts = withoutImages(usage, drawn);
    const ofImages = linesOfImages(drawing.card, parts.images);
    const model = request.drawing?.model ?? usualDrawingModel;
    const note = { model, price_card: drawing.name, images: drawn.images, lines: ofImages.length };
    return { card, lines: [...linesOfUsage(card, parts.call), ...ofImages], note: { drawn: note } };
  }
  if (advice && advised) {
    const parts = withoutAdvice(usage, advised);
    const ofAdvice = linesOfUsage(advice.card, parts.advice);
    const model = advised.model ?? request.advisor?.model ?? advice.name;
    const note = { model, price_card: advice.name, lines: ofAdvice.length };
    return { card, lines: [...linesOfUsage(card, parts.call), ...ofAdvice], note: { advised: note } };
  }
  return usesTools(usage, card.prices) ? { card, lines: linesOfUsage(card, usage) } : null;
}

/** Returns the charge of a call, with a record that is complete enough to compute it again, and the lines of a card. */
export function billOf(
  tariff: Tariff,
  charged: ChargeInput,
  quotaPerUnit: number,
): { readonly charge: Rounded; readonly record: ChargeRecord; readonly sale: SaleLines | null } {
  const { card, lines, note } = partsOf(tariff, charged);
  const { price } = charged;
  const charge = chargeOfComponents(lines, price.groupRatio, quotaPerUnit, card);
  if (!hasLines(card)) return { charge, record: tableRecord(tariff, charged, { card, lines }), sale: null };
  const ofCall = listsLines(price) ? cardNotes(price, lines) : { components: lines };
  return { charge, record: { notes: note ? { ...ofCall, ...note } : ofCall, isInUsd: true }, sale: { card, lines } };
}

function tableRecord(tariff: Tariff, charged: ChargeInput, { card, lines }: Parts): ChargeRecord {
  const usd = lines[0]?.[2] ?? 0;
  const line = tariff.line?.(charged, usd) ?? null;
  return {
    ...(tariff.notes ? { notes: tariff.notes(charged, usd) } : {}),
    ...(line === null ? {} : { line }),
    isInUsd: card.ratio === undefined,
  };
}
