import type { OptionValues } from '../../modules/options/option.service.js';
import { modelLimits } from '../../modules/pricing/model-limits.service.js';
import { choicesOf } from '../metering/request-traits.js';
import type { Usage } from '../../shared/usage.js';
import { chargeFor, type Cover } from './cover.js';
import type { PricedCall } from './priced-call.js';

/** Published limits grow without notice: a report is impossible from twice as much on. */
const tolerance = 2;

/** Used for models without published limits. Tokens. */
const maxAnyInput = 10_000_000;
const maxAnyOutput = 1_000_000;

/**
 * The usage that a call is charged for (docs/reference/relay/billing.md#usage-that-cannot-be): no more than its model can
 * take and produce.
 * @returns the same object when nothing in it is impossible
 */
export function possibleUsage(call: PricedCall, usage: Usage, values: OptionValues): Usage {
  return isOrdinary(call, usage) ? usage : reduced(usage, possiblePrompt(call, values), possibleOutput(call, values));
}

/** No model is so small that it could not do this. */
const isOrdinary = ({ rawBody }: PricedCall, { promptTokens, completionTokens }: Usage): boolean =>
  promptTokens <= Math.min(4096, rawBody.length) && completionTokens <= 1024;

function possiblePrompt({ rawBody, admission }: PricedCall, values: OptionValues): number {
  const { maxInput } = modelLimits(admission.bareModel, values.ModelMaxOutput);
  return Math.max(rawBody.length, tolerance * maxInput || maxAnyInput);
}

function possibleOutput({ call, admission }: PricedCall, values: OptionValues): number {
  const { maxOutput } = modelLimits(admission.bareModel, values.ModelMaxOutput);
  return Math.max(tolerance * maxOutput || maxAnyOutput, call.maxOutput) * choicesOf(call.body);
}

/**
 * The part of a charge that does not depend on the balance: the usage that the reservation was made for, and the last chunk
 * of a stream. The rest is the operator's cost where the balance does not have it.
 * @param quota the whole charge
 * @param sentTokens output tokens that the client was sent when its stream was ended here; 0 elsewhere
 * @returns quota; undefined where all of it is charged
 */
export function leastCharge(
  call: PricedCall,
  usage: Usage,
  { quota, cover, sentTokens }: { quota: number; cover: Cover | null; sentTokens: number },
  values: OptionValues,
): number | undefined {
  if (!cover || quota <= cover.amount) return undefined;
  // Hidden prompt was no part of the reservation, and is the customer's.
  const maxPrompt = cover.addsHidden ? Infinity : cover.promptTokens;
  const covered = withinTools(reduced(usage, maxPrompt, Math.max(cover.outputTokens, sentTokens)), cover.searches);
  return covered === usage ? undefined : chargeFor(call, covered, values);
}

/** Tool calls beyond those that were reserved. */
function withinTools(usage: Usage, searches: number): Usage {
  const { details } = usage;
  if (!details) return usage;
  const { webSearches = 0, groundedPrompts = 0, fileSearches = 0, codeExecutions = 0 } = details;
  if (webSearches <= searches && groundedPrompts + fileSearches + codeExecutions === 0) return usage;
  return {
    ...usage,
    details: {
      ...details,
      webSearches: Math.min(webSearches, searches),
      groundedPrompts: Math.min(groundedPrompts, searches),
      fileSearches: 0,
      codeExecutions: 0,
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
