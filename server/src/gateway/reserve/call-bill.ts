import {
  costNotes,
  costOfUsage,
  withOtherCost,
  type CostNotes,
  type CostPrice,
  type SaleLines,
} from '../../billing/prices/channel-cost.service.js';
import {
  cardNotes,
  cardOf,
  chargeByCard,
  componentsOfUsage,
  isFree,
  linesOfImages,
  chargeOfComponents,
  usesTools,
  usualDrawingModel,
  withoutAdvice,
  withoutImages,
  type CardPrice,
  type Component,
  type Rounded,
  type TablePrice,
} from '../../billing/prices/price-book.service.js';
import type { PriceCard } from '../../shared/price-card.js';
import type { Usage } from '../../shared/usage.js';
import type { Served } from '../send/attempts.js';
import type { AbortedAttempt } from '../send/hedged-attempt.js';
import type { ChargedCall, Tariff } from '../endpoint.js';

/** The part of a log row that is about a charge. */
export interface ChargeRecord {
  /** Keys of the row that the tariff or the card adds or replaces (docs/reference/relay/usage-log.md#the-other-field). */
  readonly notes?: Readonly<Record<string, unknown>>;
  /** The row's `content`, where it is not the usual text. */
  readonly line?: string;
}

/** The charge of a call: by the card of its model, else by the tariff of its endpoint. */
export function chargeOfCall(tariff: Tariff, charged: ChargedCall, quotaPerUnit: number): Rounded {
  const parts = partsOf(charged, quotaPerUnit);
  if (parts) return chargeOfComponents(parts.lines, charged.price.groupRatio, quotaPerUnit);
  return isByTable(charged)
    ? tariff.charge(charged, quotaPerUnit)
    : chargeByCard(charged.price as CardPrice, charged.usage, quotaPerUnit);
}

/** A call in which tools have prices of their own, or drew images with another model, or asked it for advice. */
interface Parts {
  readonly card: PriceCard;
  /** Of the call, and behind them those of the other model. */
  readonly lines: readonly Component[];
  /** The key of the log row that says whose the last lines are; empty where all are the call's own. */
  readonly note: Readonly<Record<string, unknown>>;
}

function partsOf(charged: ChargedCall, quotaPerUnit: number): Parts | null {
  const { price, drawing, advice, usage, call } = charged;
  const { drawn, advised } = usage.details ?? {};
  const isShared = Boolean(drawing && drawn) || Boolean(advice && advised);
  if (price.kind === 'call' || isFree(price)) return null;
  if (!isShared && !(price.kind === 'ratio' && usesTools(usage, price.tools))) return null;
  const card = cardOf(price, quotaPerUnit);
  if (drawing && drawn) {
    const parts = withoutImages(usage, drawn);
    const ofImages = linesOfImages(drawing.card, parts.images);
    const lines = [...componentsOfUsage({ card }, parts.call), ...ofImages];
    const model = call.drawing?.model ?? usualDrawingModel;
    const note = { model, price_card: drawing.name, images: drawn.images, lines: ofImages.length };
    return { card, lines, note: { drawn: note } };
  }
  if (!advice || !advised) return { card, lines: componentsOfUsage({ card }, usage), note: {} };
  const parts = withoutAdvice(usage, advised);
  const ofAdvice = componentsOfUsage(advice, parts.advice);
  const model = advised.model ?? call.advisor?.model ?? advice.name;
  const note = { model, price_card: advice.name, lines: ofAdvice.length };
  return { card, lines: [...componentsOfUsage({ card }, parts.call), ...ofAdvice], note: { advised: note } };
}

/** The charge of a call, with a record that is complete enough to compute it again, and the lines of a card. */
export function billOf(
  tariff: Tariff,
  charged: ChargedCall,
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
  { price }: ChargedCall,
  quotaPerUnit: number,
): ReturnType<typeof billOf> {
  const ofCall = price.kind === 'card' ? cardNotes(price, lines) : { components: lines, quota_per_unit: quotaPerUnit };
  return {
    charge: chargeOfComponents(lines, price.groupRatio, quotaPerUnit),
    record: { notes: { ...ofCall, ...note } },
    sale: { card, lines },
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

/** Keys of the log row's `admin_info`; `upstream_cost` is the cost in USD. */
const unknownCost: CostNotes = {};

/**
 * The cost of a call: as the provider reports it, else by the channel's card, else by the list price.
 * @param sale lines of the charge, where a card priced it
 */
export function costOfCall(
  tariff: Tariff,
  { channel, upstreamModel, delivery }: Pick<Served, 'channel' | 'upstreamModel' | 'delivery'>,
  charged: ChargedCall,
  sale: SaleLines | null,
): CostNotes {
  const { usage, bareModel } = charged;
  const reported = usage.chargedUsd ?? delivery.usage?.chargedUsd;
  if (reported !== undefined) return { upstream_cost: reported, cost_basis: 'reported' };
  const price = channel.cost.find(upstreamModel, bareModel);
  if (!price) return unknownCost;
  const { drawn, advised } = usage.details ?? {};
  const shared = drawn
    ? costWithImages({ channel, price }, charged, sale)
    : advised && costWithAdvice({ channel, price }, charged, sale);
  if (shared) return shared;
  if (!tariff.fixedUsage) return costNotes(costOfUsage(price, usage, sale), sale);
  const counted = countedForCost(tariff, price, charged, delivery.usage);
  return counted ? costNotes(costOfUsage(price, counted, counted === usage ? sale : null), sale) : unknownCost;
}

/** The cost of a call in which a tool drew images with a model whose cost is known; null for other calls. */
function costWithImages(
  { channel, price }: { readonly channel: Served['channel']; readonly price: CostPrice },
  { usage, call }: ChargedCall,
  sale: SaleLines | null,
): CostNotes | null {
  const drawn = usage.details?.drawn;
  if (!drawn || price.card.prices.imageOutput !== undefined) return null;
  const model = call.drawing?.model ?? usualDrawingModel;
  const own = channel.cost.find(model, model);
  if (!own) return null;
  const parts = withoutImages(usage, drawn);
  const cost = withOtherCost(costOfUsage(price, parts.call, null), linesOfImages(own.card, parts.images), own.factor);
  return notesOfParts(cost, sale);
}

/** The cost of a call that a model advised whose cost is known; null for other calls. */
function costWithAdvice(
  { channel, price }: { readonly channel: Served['channel']; readonly price: CostPrice },
  { usage, call }: ChargedCall,
  sale: SaleLines | null,
): CostNotes | null {
  const advised = usage.details?.advised;
  const model = advised?.model ?? call.advisor?.model;
  const own = model === undefined ? null : channel.cost.find(model, model);
  if (!advised || !own) return null;
  const parts = withoutAdvice(usage, advised);
  const lines = componentsOfUsage(own, parts.advice);
  return notesOfParts(withOtherCost(costOfUsage(price, parts.call, null), lines, own.factor), sale);
}

function notesOfParts(cost: ReturnType<typeof withOtherCost>, sale: SaleLines | null): CostNotes {
  const isSold = sale && JSON.stringify(cost.lines) === JSON.stringify(sale.lines);
  return costNotes(isSold ? { ...cost, lines: sale.lines } : cost, sale);
}

/**
 * The usage of endpoints that may charge by the request: the cost card may count what the sale does not, such as the tokens of
 * an image that is sold by the piece. Null where the provider did not report that.
 */
function countedForCost(
  tariff: Tariff,
  { name, card }: CostPrice,
  { call, usage, price }: ChargedCall,
  reported: Usage | null,
): Usage | null {
  const asPrice: CardPrice = { kind: 'card', name, card, isBuiltIn: true, groupRatio: 1 };
  const fixed = tariff.fixedUsage?.(call, asPrice) ?? null;
  if (fixed) return fixed;
  return tariff.fixedUsage?.(call, price) ? reported : usage;
}

/** Keys of the log row's `admin_info.aborted_attempt`. */
export interface AbortedNote {
  /** Id of the channel, as text. */
  readonly channel: string;
  readonly after_ms: number;
  /** USD that its provider may bill at most, if that is known: the whole call. */
  readonly possible_cost?: number | undefined;
}

/** The attempt that was aborted because another one was faster. */
export function abortedNote({ channel, afterMs }: AbortedAttempt, charged: ChargedCall): AbortedNote {
  const price = channel.cost.find(charged.upstreamModel, charged.bareModel);
  const cost = price ? costOfUsage(price, charged.usage, null).usd : undefined;
  return { channel: String(channel.id), after_ms: afterMs, possible_cost: cost };
}
