import type { OptionValues } from '../../options/option.service.js';
import {
  boundOfCard,
  cardNotes,
  type ChargeCard,
  chargeOfComponents,
  type Component,
  hasLines,
  isTiered,
  linesOfImages,
  linesOfUsage,
  listsLines,
  mayUseTools,
  modelLimits,
  type Price,
  type Rounded,
  roundedUp,
  type SaleLines,
  usesTools,
  withoutAdvice,
  withoutImages,
} from '../../billing/prices/index.js';
import { usualDrawingModel } from '../../dialects/languages/responses/drawing-tool.js';
import { tokensOfImage } from '../../dialects/neutral/made-image.js';
import { mostToolCalls, withinToolCalls } from '../../dialects/server-tools.js';
import { pricesCondition } from '../../shared/price-card.js';
import { noUsage, type Usage } from '../../shared/usage.js';
import type { Call } from '../call.js';
import type { ChargeInput, Tariff } from '../endpoint.js';
import { choicesOf, noWork, requestTraits, type RequestTraits } from './metering/request-traits.js';

// The charge of a call: at most, before it is made, and by its usage.

/** The columns of a log row that describe a charge. */
export interface ChargeRecord {
  /** Keys of the row that the tariff or the card adds or replaces (docs/reference/relay/usage-log.md#the-other-field). */
  readonly notes?: Readonly<Record<string, unknown>> | undefined;
  /** The row's `content`, if it is not the usual text. */
  readonly line?: string | undefined;
  /** Whether prices in USD were charged, and not ratios. The row then needs the quota of a USD. */
  readonly isInUsd: boolean;
}

/** Returns the charge of a call: by the card of its endpoint's formula, or in USD when tools or other models worked. */
function chargeOfCall(tariff: Tariff, charged: ChargeInput, quotaPerUnit: number): Rounded {
  const { card, lines } = partsOf(tariff, charged);
  return chargeOfComponents(lines, charged.price.groupRatio, quotaPerUnit, card);
}

/** Returns the part of a tariff that depends on whether the audio of the model has its own price. */
const termsFor = (tariff: Tariff, { chargesAudio }: Price): NonNullable<Tariff['ofAudio']> =>
  (chargesAudio ? tariff.ofAudio : undefined) ?? tariff;

/** Returns the card that charges calls of a model at an endpoint. */
export const cardAt = (tariff: Tariff, price: Price): ChargeCard => price.cards[termsFor(tariff, price).formula];

/** The card that charges a call, and the lines of the charge. */
interface Parts {
  readonly card: ChargeCard;
  /** The lines of the call, followed by the lines of the other model. */
  readonly lines: readonly Component[];
  /** The key of the log row that names the model of the last lines. Absent when all lines are of the call's own model. */
  readonly note?: Readonly<Record<string, unknown>>;
}

/** Returns the parts of a charge. Tiers, and work of tools and of other models, are charged in USD. */
function partsOf(tariff: Tariff, charged: ChargeInput): Parts {
  const { price, usage, request, upstreamModel } = charged;
  const ofOthers = price.coversWork ? null : partsWithOthers(charged);
  if (ofOthers) return ofOthers;
  const card = cardAt(tariff, price);
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
  return usesTools(usage, card.prices) || isTiered(usage, card) ? { card, lines: linesOfUsage(card, usage) } : null;
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
  const { notes, line } = termsFor(tariff, charged.price);
  const usd = lines[0]?.[2] ?? 0;
  return {
    notes: notes?.(charged, usd),
    line: line?.(charged, usd) ?? undefined,
    isInUsd: card.ratio === undefined,
  };
}

/** Everything about the cost of a call that is known before it is made. */
export interface CallCost {
  /**
   * Returns the quota for a number of tokens.
   * @param toolCalls maximum calls of each tool; absent: as many as may come
   */
  readonly of: (promptTokens: number, outputTokens: number, toolCalls?: number) => number;
  /** Maximum calls of each tool of the provider. 0 when there is none, or the request cannot limit them. */
  readonly toolCalls: number;
  readonly traits: RequestTraits;
  /** Maximum output tokens of all choices together. */
  readonly outputTokens: number;
  /** Whether no limit of the output is known. `outputTokens` is then the value of the setting. */
  readonly outputIsGuessed: boolean;
  /**
   * Output tokens that the request determines, such as the tokens of an image. Less output is not worth a call. 0 when
   * the output may have any length.
   */
  readonly fixedOutput: number;
  readonly choices: number;
  /** Maximum input of the model in tokens; 0 when it is not known. */
  readonly maxInput: number;
}

/** Tokens. The input limit of models without a published one. */
const usualInput = 128_000;

/** Returns the largest prompt that the provider may charge: the client's, with what the provider may add. */
export const largestPrompt = ({ traits, maxInput }: CallCost, promptTokens: number): number =>
  traits.addsHidden ? Math.max(promptTokens, maxInput || promptTokens + usualInput) : promptTokens;

/** @returns null when the whole charge is known before the call, or nothing is charged */
export function costOf(call: Call, values: OptionValues): CallCost | null {
  const { endpoint, price, route } = call;
  const { tariff } = endpoint;
  if (price.isFree || tariff.fixedUsage?.(call.request, cardOf(call))) return null;
  const fixed = tariff.unreportedOutput?.(call.request);
  const fixedOutput = fixed?.completionTokens ?? 0;
  const found = requestTraits(call);
  const traits = fixed?.audioOutputTokens ? { ...found, hasAudio: true } : found;
  const { bareModel } = route;
  const isOwn = Object.hasOwn(values.ModelMaxOutput, bareModel);
  const limits = isOwn ? modelLimits(bareModel, values.ModelMaxOutput) : price.limits;
  const choices = choicesOf(call.request.body);
  const known = call.request.maxOutput || limits.maxOutput;
  const of: CallCost['of'] = (promptTokens, outputTokens, toolCalls) => {
    const within = toolCalls === undefined ? traits : withToolCalls(traits, toolCalls);
    const charged = chargedOutput(tariff, outputTokens + traits.predictedTokens * choices);
    return boundFor(cardFor(call, within), price.groupRatio, promptTokens, charged, within, values);
  };
  const drawn = chargeOfDrawing(call, values);
  const isShared = drawn > 0 || (call.request.advisor && call.advice);
  return {
    of: isShared
      ? (promptTokens, outputTokens, toolCalls) =>
          of(promptTokens, outputTokens, toolCalls) + drawn + chargeOfAdvice(call, promptTokens, traits, values)
      : of,
    toolCalls: endpoint.limitTools ? mostToolCalls(traits.tools) : 0,
    traits,
    outputTokens: Math.max(fixedOutput, (known || values.StrictReserveOutput) * choices),
    outputIsGuessed: known === 0,
    fixedOutput,
    choices,
    maxInput: limits.maxInput,
  };
}

/** Returns the output tokens that the endpoint charges: none for embeddings, whatever their model costs. */
const chargedOutput = (tariff: Tariff, completionTokens: number): number =>
  tariff.counted?.({ ...noUsage, completionTokens }).completionTokens ?? completionTokens;

export const withToolCalls = (traits: RequestTraits, toolCalls: number): RequestTraits => ({
  ...traits,
  tools: withinToolCalls(traits.tools, toolCalls),
});

/** Returns the charge of one image that a tool of the call may draw with another model. 0 without such a tool. */
function chargeOfDrawing({ request, drawing }: Call, { QuotaPerUnit }: OptionValues): number {
  if (!request.drawing || !drawing) return 0;
  const imageOutputTokens = tokensOfImage(request.drawing);
  const image = { ...noUsage, completionTokens: imageOutputTokens, details: { imageOutputTokens, images: 1 } };
  return roundedUp(chargeOfComponents(linesOfImages(drawing.card, image), drawing.groupRatio, QuotaPerUnit));
}

/**
 * Returns the maximum cost of one piece of advice, for which the other model reads the whole prompt. 0 without such a
 * tool.
 */
function chargeOfAdvice(
  { request, advice }: Call,
  promptTokens: number,
  traits: RequestTraits,
  values: OptionValues,
): number {
  if (!request.advisor || !advice) return 0;
  const { card, groupRatio } = advice;
  return boundFor(card, groupRatio, promptTokens, request.advisor.maxOutput, { ...traits, tools: noWork }, values);
}

/**
 * Returns the price of the model that advised the model of the call. An override of the channel may also name the tool.
 * @returns null or undefined when there was no advice, or the call's own price covers it
 */
export function adviceOf({ advice, request, prices, price, route }: Call, usage: Usage): Call['advice'] {
  const model = usage.details?.advised?.model;
  if (model === undefined || (advice !== undefined && model === request.advisor?.model)) return advice;
  return prices.ofAdvice(price, model, route.group);
}

/**
 * Returns the price of images that a tool drew. A stored prompt or an override of the channel may also name the tool.
 * @returns null or undefined when the call drew none, or its own price covers them
 */
export function drawingOf({ drawing, prices, price, route }: Call, usage: Usage): Call['drawing'] {
  if (!usage.details?.drawn || drawing !== undefined) return drawing;
  return prices.ofDrawing(price, usualDrawingModel, route.group);
}

/** Returns the card that charges a call without tools. */
export const cardOf = ({ price, endpoint }: Call): ChargeCard => cardAt(endpoint.tariff, price);

/** Returns the card that charges a call with the tools that it may use, in the tier that it asks for. */
function cardFor(call: Call, traits: RequestTraits): ChargeCard {
  const { card } = call.price;
  const isInUsd = mayUseTools(traits.tools, card.prices) || traits.when.some((each) => pricesCondition(card, each));
  return card.perCall === undefined && isInUsd ? card : cardOf(call);
}

/** Returns the charge of a call, by the prices at its start. */
export function chargeFor(call: Call, usage: Usage, values: OptionValues): Rounded {
  const { tariff } = call.endpoint;
  const { bareModel } = call.route;
  const counted = tariff.counted?.(usage) ?? usage;
  return chargeOfCall(
    tariff,
    {
      request: call.request,
      price: call.price,
      usage: counted,
      bareModel,
      upstreamModel: bareModel,
      drawing: drawingOf(call, counted),
      advice: adviceOf(call, counted),
    },
    values.QuotaPerUnit,
  );
}

/** Returns the maximum cost of a number of tokens by a card, for any kind of tokens. */
export const boundFor = (
  card: ChargeCard,
  groupRatio: number,
  promptTokens: number,
  outputTokens: number,
  traits: RequestTraits,
  values: Pick<OptionValues, 'QuotaPerUnit'>,
): number =>
  boundOfCard(
    card,
    {
      promptTokens,
      outputTokens,
      writesCache: traits.writesCache ? (traits.writesCacheForHour ? '1h' : '5m') : null,
      hasAudio: traits.hasAudio,
      hasImages: traits.hasMedia,
      tools: traits.tools,
      requests: traits.requests,
      when: traits.when,
    },
    groupRatio,
    values.QuotaPerUnit,
  );
