import type { OptionValues } from '../../options/option.service.js';
import { modelLimits, withoutAdvice } from '../../billing/prices/index.js';
import { choicesOf } from './metering/request-traits.js';
import { sumOfUsage, type AdvisedTokens, type Usage, type UsageDetails } from '../../shared/usage.js';
import { tokensOfImage } from '../../dialects/neutral/made-image.js';
import type { Call } from '../call.js';
import { type Estimate } from './estimate.js';
import { adviceOf, drawingOf, chargeFor } from './possible-cost.js';

/** Published limits grow without notice: a report is impossible from twice as much on. */
const tolerance = 2;

/** Used for models without published limits. Tokens. */
const maxAnyInput = 10_000_000;
const maxAnyOutput = 1_000_000;
/** Calls of one tool that a provider runs for one response. The longest research makes a few hundred. */
const maxToolCalls = 1000;

/**
 * The usage that a call is charged for (docs/reference/relay/billing.md#usage-that-cannot-be): no more than its model can
 * take and produce, and no more calls of tools than one response needs.
 * @returns the same object when nothing in it is impossible
 */
export function possibleUsage(call: Call, usage: Usage, values: OptionValues): Usage {
  const possible = usage.details ? withPossibleTools(usage, usage.details) : usage;
  if (isOrdinary(call, possible)) return possible;
  const { rawBody, admission, request: asked } = call;
  const most = possibleTokens(admission.bareModel, values);
  const maxOutput = Math.max(most.output, asked.maxOutput) * choicesOf(asked.body);
  return reduced(possible, Math.max(rawBody.length, most.prompt), maxOutput);
}

function withPossibleTools(usage: Usage, details: UsageDetails): Usage {
  const { webSearches = 0, fileSearches = 0, codeExecutions = 0, images = 0, requests = 1 } = details;
  if (Math.max(webSearches, fileSearches, codeExecutions, images, requests) <= maxToolCalls) return usage;
  return {
    ...usage,
    details: {
      ...details,
      webSearches: Math.min(webSearches, maxToolCalls),
      fileSearches: Math.min(fileSearches, maxToolCalls),
      codeExecutions: Math.min(codeExecutions, maxToolCalls),
      images: Math.min(images, maxToolCalls),
      requests: Math.min(requests, maxToolCalls),
    },
  };
}

/** No model is so small that it could not do this. */
const isOrdinary = ({ rawBody }: Call, { promptTokens, completionTokens }: Usage): boolean =>
  promptTokens <= Math.min(4096, rawBody.length) && completionTokens <= 1024;

/** The tokens of one response that a model can take and produce. */
export function possibleTokens(bareModel: string, values: Pick<OptionValues, 'ModelMaxOutput'>): PossibleTokens {
  const { maxInput, maxOutput } = modelLimits(bareModel, values.ModelMaxOutput);
  return { prompt: tolerance * maxInput || maxAnyInput, output: tolerance * maxOutput || maxAnyOutput };
}

interface PossibleTokens {
  readonly prompt: number;
  readonly output: number;
}

/**
 * The part of a charge that does not depend on the balance: the usage that the reservation was made for, and the last chunk
 * of a stream. The rest is the operator's cost where the balance does not have it.
 * @param quota the whole charge
 * @param sentTokens output tokens that the client was sent when its stream was ended here; 0 elsewhere
 * @returns quota; undefined where all of it is charged
 */
export function leastCharge(
  call: Call,
  usage: Usage,
  { quota, estimate, sentTokens }: { quota: number; estimate: Estimate | null; sentTokens: number },
  values: OptionValues,
): number | undefined {
  if (!estimate || quota <= estimate.amount) return undefined;
  // Hidden prompt was no part of the reservation, and is the customer's.
  const maxPrompt = estimate.addsHidden ? Infinity : estimate.promptTokens;
  const found = drawingOf(call, usage) ? withinImage(usage, call.request.drawing) : usage;
  const maxOutput = Math.max(estimate.outputTokens, sentTokens) + (found.details?.drawn?.completionTokens ?? 0);
  const advised = adviceOf(call, usage) && usage.details?.advised;
  const within = advised
    ? withinAdvice(usage, advised, { maxPrompt, maxOutput, advice: call.request.advisor })
    : reduced(found, maxPrompt, maxOutput);
  const covered = withinTools(within, estimate);
  return covered === usage ? undefined : chargeFor(call, covered, values).quota;
}

/** Images beyond the one that was reserved. */
function withinImage(usage: Usage, drawing: Call['request']['drawing']): Usage {
  const drawn = usage.details?.drawn;
  const most = drawing ? tokensOfImage(drawing) : 0;
  if (!drawn || drawn.completionTokens <= most) return usage;
  const imageOutputTokens = Math.min(drawn.imageOutputTokens, most);
  const within = {
    ...drawn,
    images: Math.min(drawn.images, drawing ? 1 : 0),
    completionTokens: most,
    imageOutputTokens,
  };
  return {
    ...usage,
    completionTokens: Math.max(0, usage.completionTokens - (drawn.completionTokens - most)),
    details: { ...usage.details, imageOutputTokens, drawn: within },
  };
}

/** Advice beyond the one piece that was reserved. */
function withinAdvice(
  usage: Usage,
  advised: AdvisedTokens,
  { maxPrompt, maxOutput, advice }: { maxPrompt: number; maxOutput: number; advice: Call['request']['advisor'] },
): Usage {
  const parts = withoutAdvice(usage, advised);
  const own = reduced(parts.call, maxPrompt, maxOutput);
  const other = reduced(parts.advice, advice ? maxPrompt : 0, advice?.maxOutput ?? 0);
  if (own === parts.call && other === parts.advice) return usage;
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens } = other;
  const kept = { ...advised, promptTokens, completionTokens, cachedTokens, cacheWriteTokens };
  const sum = sumOfUsage(own, other);
  return { ...sum, details: { ...sum.details, advised: kept } };
}

/** Tool calls beyond those that were reserved. */
function withinTools(usage: Usage, estimate: Estimate): Usage {
  const { searches, mapsPrompts: maxMaps, requests: maxRequests } = estimate;
  const { details } = usage;
  if (!details) return usage;
  const { webSearches = 0, groundedPrompts = 0, fileSearches = 0, codeExecutions = 0 } = details;
  const { mapsPrompts = 0, requests = 1 } = details;
  const isWithin =
    webSearches <= searches &&
    groundedPrompts <= searches &&
    fileSearches <= estimate.fileSearches &&
    codeExecutions <= estimate.codeExecutions &&
    mapsPrompts <= maxMaps &&
    requests <= maxRequests;
  if (isWithin) return usage;
  return {
    ...usage,
    details: {
      ...details,
      webSearches: Math.min(webSearches, searches),
      groundedPrompts: Math.min(groundedPrompts, searches),
      mapsPrompts: Math.min(mapsPrompts, maxMaps),
      fileSearches: Math.min(fileSearches, estimate.fileSearches),
      codeExecutions: Math.min(codeExecutions, estimate.codeExecutions),
      requests: Math.min(requests, maxRequests),
    },
  };
}

/** @returns the same object when nothing is larger */
function reduced(usage: Usage, maxPrompt: number, maxOutput: number): Usage {
  const { promptTokens, completionTokens } = usage;
  if (promptTokens <= maxPrompt && completionTokens <= maxOutput) return usage;
  const prompt = Math.min(promptTokens, maxPrompt);
  const completion = Math.min(completionTokens, maxOutput);
  return {
    ...usage,
    promptTokens: prompt,
    completionTokens: completion,
    cachedTokens: Math.min(usage.cachedTokens, prompt),
    cacheWriteTokens: Math.min(usage.cacheWriteTokens, prompt),
    reasoningTokens: Math.min(usage.reasoningTokens, completion),
    audioInputTokens: Math.min(usage.audioInputTokens, prompt),
    audioOutputTokens: Math.min(usage.audioOutputTokens, completion),
  };
}
