import {
  linesOfUsage,
  costNotes,
  type CostNotes,
  costOfUsage,
  type CostPrice,
  type SaleLines,
  withOtherCost,
  linesOfImages,
  withoutAdvice,
  withoutImages,
} from '../../billing/prices/index.js';
import { usualDrawingModel } from '../../dialects/languages/responses/drawing-tool.js';
import type { Usage } from '../../shared/usage.js';
import { cardAt } from '../reserve/call-charge.js';
import type { ChargeInput, Tariff } from '../endpoint.js';
import type { Served } from '../send/attempts.js';
import type { AbortedAttempt } from '../send/hedged-attempt.js';

/** Keys of the log row's `admin_info`; `upstream_cost` is the cost in USD. */
const unknownCost: CostNotes = {};

/**
 * Returns the cost of a call: as the provider reports it, else by the channel's card, else by the list price.
 * @param sale lines of the charge, if a card priced it
 */
export function costOfCall(
  tariff: Tariff,
  { channel, upstreamModel, delivery }: Pick<Served, 'channel' | 'upstreamModel' | 'delivery'>,
  charged: ChargeInput,
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

/** Returns the cost of a call in which a tool drew images with a model whose cost is known. Null for other calls. */
function costWithImages(
  { channel, price }: { readonly channel: Served['channel']; readonly price: CostPrice },
  { usage, request }: ChargeInput,
  sale: SaleLines | null,
): CostNotes | null {
  const drawn = usage.details?.drawn;
  if (!drawn || price.card.prices.imageOutput !== undefined) return null;
  const model = request.drawing?.model ?? usualDrawingModel;
  const own = channel.cost.find(model, model);
  if (!own) return null;
  const parts = withoutImages(usage, drawn);
  const cost = withOtherCost(costOfUsage(price, parts.call, null), linesOfImages(own.card, parts.images), own.factor);
  return notesOfParts(cost, sale);
}

/** Returns the cost of a call for which another model gave advice and whose cost is known. Null for other calls. */
function costWithAdvice(
  { channel, price }: { readonly channel: Served['channel']; readonly price: CostPrice },
  { usage, request }: ChargeInput,
  sale: SaleLines | null,
): CostNotes | null {
  const advised = usage.details?.advised;
  const model = advised?.model ?? request.advisor?.model;
  const own = model === undefined ? null : channel.cost.find(model, model);
  if (!advised || !own) return null;
  const parts = withoutAdvice(usage, advised);
  const lines = linesOfUsage(own.card, parts.advice);
  return notesOfParts(withOtherCost(costOfUsage(price, parts.call, null), lines, own.factor), sale);
}

function notesOfParts(cost: ReturnType<typeof withOtherCost>, sale: SaleLines | null): CostNotes {
  const isSold = sale && JSON.stringify(cost.lines) === JSON.stringify(sale.lines);
  return costNotes(isSold ? { ...cost, lines: sale.lines } : cost, sale);
}

/**
 * Returns the usage for the cost of endpoints that may charge by the request: the cost card may count quantities that
 * the sale does not, such as the tokens of an image that is sold by the piece. Null when the provider did not report
 * them.
 */
function countedForCost(
  tariff: Tariff,
  { card }: CostPrice,
  { request, usage, price, bareModel }: ChargeInput,
  reported: Usage | null,
): Usage | null {
  const fixed = tariff.fixedUsage?.(request, card) ?? null;
  if (fixed) return fixed;
  return tariff.fixedUsage?.(request, cardAt(tariff, price, bareModel)) ? reported : usage;
}

/** Keys of the log row's `admin_info.aborted_attempt`. */
export interface AbortedNote {
  /** Id of the channel, as text. */
  readonly channel: string;
  readonly after_ms: number;
  /** The maximum USD that its provider may bill (the cost of the whole call), if it is known. */
  readonly possible_cost?: number | undefined;
}

/** Returns the log entry of an attempt that was aborted because another one was faster. */
export function abortedNote({ channel, afterMs }: AbortedAttempt, charged: ChargeInput): AbortedNote {
  const price = channel.cost.find(charged.upstreamModel, charged.bareModel);
  const cost = price ? costOfUsage(price, charged.usage, null).usd : undefined;
  return { channel: String(channel.id), after_ms: afterMs, possible_cost: cost };
}
