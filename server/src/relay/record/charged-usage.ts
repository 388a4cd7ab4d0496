import type { OptionValues } from '../../modules/options/option.service.js';
import { modelLimits } from '../../modules/pricing/model-limits.js';
import { choicesOf } from '../metering/choices.js';
import { requestTraits } from '../metering/request-traits.js';
import type { Usage } from '../usage.js';
import { chargeFor, ownInstructions, type Cover } from './cover.js';
import type { PricedCall } from './priced-call.js';

/** What a customer pays for, and whether the provider reported more than that. */
export interface ChargedUsage {
  readonly usage: Usage;
  /** The provider reported more than is charged: what the model cannot have had, or what nobody could know before. */
  readonly excess: 'impossible' | 'unreserved' | null;
}

/** Taken for the limits of models that nobody published. */
const maxAnyInput = 10_000_000;
const maxAnyOutput = 1_000_000;

/**
 * The usage that a call is charged for (docs/reference/relay/billing.md#usage-that-cannot-be): no more than its model can
 * take and produce, and no more than its reservation pays for.
 * @param sentTokens output tokens that the client was sent when its stream was ended here; 0 elsewhere
 */
export function chargedUsage(
  call: PricedCall,
  usage: Usage,
  cover: Cover | null,
  sentTokens: number,
  values: OptionValues,
): ChargedUsage {
  const possible = isOrdinary(call, usage)
    ? usage
    : reduced(usage, possiblePrompt(call, values), possibleOutput(call, values));
  const paid = cover ? withinCover(call, possible, cover, sentTokens, values) : possible;
  return { usage: paid, excess: possible !== usage ? 'impossible' : paid !== possible ? 'unreserved' : null };
}

/** No model is so small that it could not do this. */
const isOrdinary = ({ rawBody }: PricedCall, { promptTokens, completionTokens }: Usage): boolean =>
  promptTokens <= Math.min(4096, rawBody.length) && completionTokens <= 1024;

function possiblePrompt({ call, rawBody, admission }: PricedCall, values: OptionValues): number {
  const { maxInput } = modelLimits(admission.bareModel, values.ModelMaxOutput);
  const { addsHidden, hasMedia } = requestTraits(call.body);
  // A byte is one token at most; images are fetched, and what a provider adds is in no request.
  const inRequest = addsHidden || hasMedia || call.form ? maxAnyInput : rawBody.length + ownInstructions;
  return Math.max(rawBody.length, Math.min(inRequest, maxInput || maxAnyInput));
}

function possibleOutput({ call, admission }: PricedCall, values: OptionValues): number {
  const { maxOutput } = modelLimits(admission.bareModel, values.ModelMaxOutput);
  return Math.max(maxOutput || maxAnyOutput, call.maxOutput) * choicesOf(call.body);
}

/** A provider that reports more than was counted and asked for is not paid by the customer, but for the last chunk. */
function withinCover(call: PricedCall, usage: Usage, cover: Cover, sentTokens: number, values: OptionValues): Usage {
  const { promptTokens, completionTokens } = usage;
  if (promptTokens <= cover.promptTokens && completionTokens <= cover.outputTokens) return usage;
  if (chargeFor(call, usage, values) <= cover.amount) return usage;
  // Hidden prompt was no part of the reservation, and is the customer's.
  const maxPrompt = cover.addsHidden ? Infinity : cover.promptTokens;
  return reduced(usage, maxPrompt, Math.max(cover.outputTokens, sentTokens));
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
