import type { OptionValues } from '../../modules/options/option.service.js';
import { modelLimits } from '../../modules/pricing/model-limits.service.js';
import { choicesOf } from '../metering/choices.js';
import type { Usage } from '../usage.js';
import { chargeFor, type Cover } from './cover.js';
import type { PricedCall } from './priced-call.js';

/** The usage that a customer pays for, and whether the provider reported more than that. */
export interface ChargedUsage {
  readonly usage: Usage;
  /** The provider reported more than is charged: what the model cannot have had, or what the balance does not cover. */
  readonly excess: 'impossible' | 'unreserved' | null;
}

/** Published limits grow without notice: a report is impossible from twice as much on. */
const tolerance = 2;

/** Used for models without published limits. Tokens. */
const maxAnyInput = 10_000_000;
const maxAnyOutput = 1_000_000;

/**
 * The usage that a call is charged for (docs/reference/relay/billing.md#usage-that-cannot-be): no more than its model can
 * take and produce, and no more than its reservation and the balance pay for.
 * @param sentTokens output tokens that the client was sent when its stream was ended here; 0 elsewhere
 * @param extend reserves so much quota more; false when the balance does not have it
 */
export async function chargedUsage(
  call: PricedCall,
  usage: Usage,
  cover: Cover | null,
  sentTokens: number,
  values: OptionValues,
  extend: (amount: number) => Promise<boolean>,
): Promise<ChargedUsage> {
  const possible = isOrdinary(call, usage)
    ? usage
    : reduced(usage, possiblePrompt(call, values), possibleOutput(call, values));
  const excess = possible === usage ? null : 'impossible';
  if (!cover) return { usage: possible, excess };
  const missing = chargeFor(call, possible, values) - cover.amount;
  if (missing <= 0 || (await extend(missing))) return { usage: possible, excess };
  const paid = withinCover(possible, cover, sentTokens);
  return { usage: paid, excess: excess ?? (paid === possible ? null : 'unreserved') };
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

/** The customer does not pay for usage that the balance does not cover, except for the last chunk. */
function withinCover(usage: Usage, cover: Cover, sentTokens: number): Usage {
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
