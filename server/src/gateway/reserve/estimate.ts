import type { OptionValues } from '../../options/option.service.js';
import { modelLimits } from '../../billing/prices/model-limits.service.js';
import {
  boundOfCard,
  isFree,
  linesOfImages,
  chargeOfComponents,
  roundedUp,
  type CardPrice,
  type Rounded,
} from '../../billing/prices/price-book.service.js';
import { usualDrawingModel } from '../../dialects/languages/responses/drawing-tool.js';
import { countBySample } from './metering/prompt-tokens.js';
import { choicesOf, requestTraits, type RequestTraits } from './metering/request-traits.js';
import { noUsage, usageDetails, type Usage } from '../../shared/usage.js';
import { chargeOfCall } from './call-bill.js';
import { tokensOfImage } from '../../dialects/neutral/made-image.js';
import type { Call } from '../call.js';

/** The usage that a reservation pays for (docs/reference/relay/billing.md#reservation). */
export interface Estimate {
  /** Quota. */
  readonly amount: number;
  readonly promptTokens: number;
  /** Of all choices together. */
  readonly outputTokens: number;
  /** Output tokens that the provider is asked for at most, of all choices together. */
  readonly askedTokens: number;
  /** The balance paid for less output than was asked for: the provider is asked for no more. */
  readonly limited: boolean;
  /** A stream ends when it has so many output tokens. Absent: nothing stops it here. */
  readonly stopAt?: number;
  /** The provider may add to the prompt, by an amount that cannot be counted before the call. It is charged. */
  readonly addsHidden: boolean;
  /** Calls of the provider's search tool that are paid for. */
  readonly searches: number;
  /** The same for its search of files, and containers in which it runs code. */
  readonly fileSearches: number;
  readonly codeExecutions: number;
  /** Prompts grounded by Google Maps that are paid for. */
  readonly mapsPrompts: number;
  /** Requests of the provider that are paid for. */
  readonly requests: number;
}

/** Everything about the cost of a call that is known before it is made. */
export interface CallCost {
  /** Quota for so many tokens. @param toolCalls of each tool at most; absent: as many as may come */
  readonly of: (promptTokens: number, outputTokens: number, toolCalls?: number) => number;
  /** Calls of each tool of the provider that may come; 0 where there is none, or the request cannot limit them. */
  readonly toolCalls: number;
  readonly traits: RequestTraits;
  /** Output tokens that may come, of all choices together. */
  readonly outputTokens: number;
  /** No limit of the output is known: `outputTokens` is the setting. */
  readonly outputIsGuessed: boolean;
  /** Output tokens that the request determines, such as those of an image: less is no call. 0 where it may be any part. */
  readonly fixedOutput: number;
  readonly choices: number;
  /** Input of the model at most; 0 when it is not known. */
  readonly maxInput: number;
}

/** A balance this many times larger than a generous reservation needs no exact one. */
const ample = 16;
/** Tokens of instructions that providers put before the prompt of a request. */
const ownInstructions = 16_384;
/** Output tokens by which a provider may exceed the limit of a client. */
const limitTolerance = 2048;
/** Output tokens of one choice below which a call is not worth making. */
export const minOutput = 256;
/** The same where the request has a thinking budget, which is at least 1,024. */
const minThinking = 1280;
/** Used for models without a published input limit. Tokens. */
const usualInput = 128_000;
/** Parsing a body of this size costs more than what its small fields can. */
const smallFields = 256;
const promptFields = new Set([
  ...['model', 'messages', 'input', 'contents', 'prompt', 'query', 'documents', 'tools', 'image', 'mask'],
  ...['system', 'systemInstruction', 'system_instruction', 'instructions'],
]);

/** @returns null where the whole charge is known before the call, or nothing is charged */
export function costOf(call: Call, values: OptionValues): CallCost | null {
  const { endpoint, price, admission } = call;
  const { tariff } = endpoint;
  if (isFree(price) || tariff.fixedUsage?.(call.request, price)) return null;
  const fixed = tariff.unreportedOutput?.(call.request);
  const fixedOutput = fixed?.completionTokens ?? 0;
  const found = requestTraits(call.request.body, admission.bareModel);
  const traits = fixed?.audioOutputTokens ? { ...found, hasAudio: true } : found;
  const limits = modelLimits(admission.bareModel, values.ModelMaxOutput);
  const choices = choicesOf(call.request.body);
  const known = call.request.maxOutput || limits.maxOutput;
  const of: CallCost['of'] = (promptTokens, outputTokens, toolCalls) => {
    const within = toolCalls === undefined ? traits : withToolCalls(traits, toolCalls);
    return price.kind === 'card'
      ? boundFor(price, promptTokens, outputTokens, within, values)
      : roundedUp(chargeFor(call, usageOf(promptTokens, outputTokens, within), values));
  };
  const drawn = chargeOfDrawing(call, values);
  const isShared = drawn > 0 || (call.request.advisor && call.advice);
  return {
    of: isShared
      ? (promptTokens, outputTokens, toolCalls) =>
          of(promptTokens, outputTokens, toolCalls) + drawn + chargeOfAdvice(call, promptTokens, traits, values)
      : of,
    toolCalls: endpoint.limitTools ? Math.max(traits.searches, traits.fileSearches) : 0,
    traits,
    outputTokens: Math.max(fixedOutput, (known || values.StrictReserveOutput) * choices),
    outputIsGuessed: known === 0,
    fixedOutput,
    choices,
    maxInput: limits.maxInput,
  };
}

const withToolCalls = (traits: RequestTraits, toolCalls: number): RequestTraits => ({
  ...traits,
  searches: Math.min(traits.searches, toolCalls),
  fileSearches: Math.min(traits.fileSearches, toolCalls),
});

/** The charge of one image that a tool of the call may draw with another model. 0 without such a tool. */
function chargeOfDrawing({ request, drawing }: Call, { QuotaPerUnit }: OptionValues): number {
  if (!request.drawing || !drawing) return 0;
  const imageOutputTokens = tokensOfImage(request.drawing);
  const image = { ...noUsage, completionTokens: imageOutputTokens, details: { imageOutputTokens, images: 1 } };
  return roundedUp(chargeOfComponents(linesOfImages(drawing.card, image), drawing.groupRatio, QuotaPerUnit));
}

/** The most that one piece of advice can cost, for which the other model reads the whole prompt. 0 without such a tool. */
function chargeOfAdvice(
  { request, advice }: Call,
  promptTokens: number,
  traits: RequestTraits,
  values: OptionValues,
): number {
  if (!request.advisor || !advice) return 0;
  return boundFor(advice, promptTokens, request.advisor.maxOutput, { ...traits, ...noTools }, values);
}

const noTools = { searches: 0, fileSearches: 0, codeExecutions: 0, mapsPrompts: 0 } as const;

/**
 * The price of a model that advised the one of the call. An override of the channel may name the tool, too.
 * @returns null or undefined where none did, or the call's own price covers it
 */
export function adviceOf({ advice, request, prices, price, admission }: Call, usage: Usage): Call['advice'] {
  const model = usage.details?.advised?.model;
  if (model === undefined || (advice !== undefined && model === request.advisor?.model)) return advice;
  return prices.ofAdvice(price, model, admission.group);
}

/**
 * The price of images that a tool drew. A stored prompt or an override of the channel may name the tool, too.
 * @returns null or undefined where the call drew none, or its own price covers them
 */
export function drawingOf({ drawing, prices, price, admission }: Call, usage: Usage): Call['drawing'] {
  if (!usage.details?.drawn || drawing !== undefined) return drawing;
  return prices.ofDrawing(price, usualDrawingModel, admission.group);
}

/** The charge of a call, by the prices of its start. */
export function chargeFor(call: Call, usage: Usage, values: OptionValues): Rounded {
  const { tariff } = call.endpoint;
  const { bareModel } = call.admission;
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

/** The most that so many tokens can cost by a card, whatever they turn out to be. */
export const boundFor = (
  price: CardPrice,
  promptTokens: number,
  outputTokens: number,
  traits: RequestTraits,
  values: Pick<OptionValues, 'QuotaPerUnit'>,
): number =>
  boundOfCard(
    price.card,
    {
      promptTokens,
      outputTokens,
      writesCache: traits.writesCache ? (traits.writesCacheForHour ? '1h' : '5m') : null,
      hasAudio: traits.hasAudio,
      hasImages: traits.hasMedia,
      searches: traits.searches,
      fileSearches: traits.fileSearches,
      codeExecutions: traits.codeExecutions,
      mapsPrompts: traits.mapsPrompts,
      requests: traits.requests,
      serviceTier: traits.serviceTier,
    },
    price.groupRatio,
    values.QuotaPerUnit,
  );

const usageOf = (promptTokens: number, completionTokens: number, traits: RequestTraits): Usage => ({
  ...noUsage,
  promptTokens,
  completionTokens,
  cacheWriteTokens: traits.writesCache ? promptTokens : 0,
  audioInputTokens: traits.hasAudio ? promptTokens : 0,
  audioOutputTokens: traits.hasAudio ? completionTokens : 0,
  ...usageDetails({
    serviceTier: traits.serviceTier ?? undefined,
    cacheWrite1hTokens: traits.writesCacheForHour ? promptTokens : 0,
    webSearches: traits.searches,
    groundedPrompts: Math.min(traits.searches, 1),
    mapsPrompts: traits.mapsPrompts,
    fileSearches: traits.fileSearches,
    codeExecutions: traits.codeExecutions,
  }),
});

/**
 * The reservation of a call whose caller can pay many such calls. A prompt has no more tokens than bytes, so nothing is
 * counted, and what a provider adds is covered.
 * @returns null where the balance is not that large
 */
export function ampleEstimate(call: Call, cost: CallCost): Estimate | null {
  const { user, token } = call.caller;
  const { traits } = cost;
  if (traits.addsHidden) return null;
  const promptTokens = (traits.hasMedia ? bytesOf(call) : call.rawBody.length) + ownInstructions;
  const outputTokens = cost.outputTokens + (call.request.maxOutput > 0 ? limitTolerance : 0);
  const amount = cost.of(promptTokens, outputTokens);
  const needed = ample * amount;
  if (user.quota < needed || (!token.unlimitedQuota && token.remainQuota < needed)) return null;
  const askedTokens = cost.outputTokens;
  return {
    amount,
    promptTokens,
    outputTokens,
    askedTokens,
    limited: false,
    addsHidden: false,
    ...noTools,
    requests: traits.requests,
  };
}

/** Images count by their number here and not by their bytes. */
function bytesOf({ request, endpoint, admission }: Call): number {
  const { texts, fixed } = endpoint.tariff.prompt(request, admission.bareModel);
  let bytes = 2 * fixed + otherBytes(request.body);
  for (const text of texts) bytes += Buffer.byteLength(text);
  return bytes;
}

/** Schemas and other parts of a request, besides messages and tools, that reach the model. */
function otherBytes(body: Readonly<Record<string, unknown>>): number {
  let bytes = 0;
  for (const name in body) {
    const value = body[name];
    if (promptFields.has(name) || value === null) continue;
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value === 'object') bytes += JSON.stringify(value).length;
  }
  return bytes > smallFields ? bytes : 0;
}

/** Models that count by an encoding that is public. */
const publicEncoding = /^(?:gpt-|chatgpt-|o\d|text-|ft:|davinci|babbage)/;
/** All others are counted by an encoding of OpenAI, and may need so many times the tokens. */
const otherEncoding = 1.4;
/** Claude puts instructions of some 350 to 600 tokens before the tools of a request. */
const claudeTools = 600;

/** Prompt tokens by our own count, for the reservation. Never fails. */
export async function countedPrompt({ request, endpoint, admission }: Call): Promise<number> {
  const { bareModel } = admission;
  const text = await countBySample(endpoint.tariff.prompt(request, bareModel), bareModel);
  const counted = text + Math.ceil(otherBytes(request.body) / 3);
  if (publicEncoding.test(bareModel)) return Math.max(1, counted);
  const hasTools = bareModel.includes('claude') && Array.isArray(request.body['tools']);
  return Math.ceil(counted * otherEncoding) + (hasTools ? claudeTools : 1);
}

/** The reservation that a call with a counted prompt asks for, and the smallest that is worth a call. */
export interface Wanted {
  readonly amount: number;
  readonly least: number;
  readonly promptTokens: number;
  readonly leastOutput: number;
}

/** The quota to reserve: for the full output, and the least with which the call may go on. */
export function wantedFor(cost: CallCost, promptTokens: number): Wanted {
  const { traits, outputTokens, fixedOutput, choices, maxInput, toolCalls } = cost;
  const leastOutput =
    fixedOutput || Math.min(outputTokens, (traits.hasThinkingBudget ? minThinking : minOutput) * choices);
  const largest = traits.addsHidden ? Math.max(promptTokens, maxInput || promptTokens + usualInput) : promptTokens;
  return {
    amount: cost.of(largest, outputTokens),
    least: cost.of(promptTokens, leastOutput, toolCalls > 0 ? 1 : undefined),
    promptTokens,
    leastOutput,
  };
}

/** The usage that `amount` pays for. */
export function estimateOf(given: CallCost, wanted: Wanted, amount: number): Estimate {
  const { promptTokens } = wanted;
  const cost = withAffordableTools(given, wanted, amount);
  const outputTokens = affordable(cost, promptTokens, amount);
  const limited = outputTokens < cost.outputTokens && cost.fixedOutput === 0;
  return {
    amount,
    promptTokens,
    outputTokens,
    askedTokens: outputTokens,
    limited,
    ...(limited || cost.outputIsGuessed ? { stopAt: outputTokens } : {}),
    addsHidden: cost.traits.addsHidden,
    searches: cost.traits.searches,
    fileSearches: cost.traits.fileSearches,
    codeExecutions: cost.traits.codeExecutions,
    mapsPrompts: cost.traits.mapsPrompts,
    requests: cost.traits.requests,
  };
}

/** The most output tokens, in whole tokens for each choice, that the amount pays for beside the prompt. */
export function affordable(
  { of, outputTokens, choices }: Pick<CallCost, 'of' | 'outputTokens' | 'choices'>,
  promptTokens: number,
  amount: number,
): number {
  if (of(promptTokens, outputTokens) <= amount) return outputTokens;
  const most = largestWithin(outputTokens, (tokens) => of(promptTokens, tokens) <= amount);
  return Math.floor(most / choices) * choices;
}

/** The cost with as many calls of tools as the amount pays for beside the least output. */
function withAffordableTools(cost: CallCost, { promptTokens, leastOutput }: Wanted, amount: number): CallCost {
  const { of, toolCalls, traits } = cost;
  if (toolCalls === 0 || of(promptTokens, leastOutput) <= amount) return cost;
  const paid = largestWithin(toolCalls, (count) => of(promptTokens, leastOutput, count) <= amount);
  return {
    ...cost,
    toolCalls: paid,
    traits: withToolCalls(traits, paid),
    of: (prompt, output) => of(prompt, output, paid),
  };
}

/** The largest whole number up to `most` that is within the limit, as all smaller ones are. */
function largestWithin(most: number, isWithin: (count: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isWithin(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * How often the provider may call each tool, where the balance does not pay for many more calls than are reserved.
 * @returns null where the request needs no limit
 */
export function toolLimit(
  { caller }: Call,
  cost: CallCost,
  { amount, searches, fileSearches }: Estimate,
): number | null {
  if (cost.toolCalls === 0) return null;
  const { user, token } = caller;
  const needed = ample * amount;
  const isAmple = user.quota >= needed && (token.unlimitedQuota || token.remainQuota >= needed);
  return isAmple ? null : Math.max(1, searches, fileSearches);
}
