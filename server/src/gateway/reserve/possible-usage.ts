import type { OptionValues } from '../../options/option.service.js';
import { modelLimits, withoutAdvice } from '../../billing/prices/index.js';
import { choicesOf, predictedTokens } from './metering/request-traits.js';
import { toolRows, type UnitCount } from '../../shared/price-quantities.js';
import { sumOfUsage, type AdvisedTokens, type Usage } from '../../shared/usage.js';
import { tokensOfImage } from '../../dialects/neutral/made-image.js';
import type { Call } from '../call.js';
import { type Estimate } from './estimate.js';
import { adviceOf, drawingOf, chargeFor } from './call-charge.js';

/** Published limits grow without notice, so only a report of at least this many times the limit is impossible. */
const tolerance = 2;

/** Tokens. The input limit of models without a published one. */
const maxAnyInput = 10_000_000;
const maxAnyOutput = 1_000_000;
/** Maximum calls of one tool that a provider runs for one response. The longest research makes a few hundred. */
const maxToolCalls = 1000;

/** Limits the tokens of a usage to what the model of the call can take and produce. */
export const withPossibleTokens = (call: Call, usage: Usage, values: OptionValues): Usage =>
  withinPossible(usage, possibleInCall(call, values));

/** Returns the tokens that the model of a call can take and produce for it. */
export function possibleInCall({ rawBody, route, request: asked }: Call, values: OptionValues): PossibleTokens {
  const most = possibleTokens(route.bareModel, values);
  const output = (Math.max(most.output, asked.maxOutput) + predictedTokens(asked.body)) * choicesOf(asked.body);
  return { prompt: Math.max(rawBody.length, most.prompt), output };
}

/** Limits the tokens of a usage. */
export const withinPossible = (usage: Usage, { prompt, output }: PossibleTokens): Usage =>
  reduced(usage, prompt, output);

type Limits = Readonly<Partial<Record<UnitCount | 'requests', number>>>;

const possibleCounts: Limits = Object.fromEntries(
  [...toolRows.map(({ count }) => count), 'images', 'requests'].map((name) => [name, maxToolCalls]),
);

/** Limits the tool calls of a usage to what one response needs. */
export const withPossibleTools = (usage: Usage): Usage => withinLimits(usage, possibleCounts);

/** @returns the same object when no count is larger than its limit */
function withinLimits(usage: Usage, limits: Limits): Usage {
  const { details } = usage;
  if (!details) return usage;
  const exceeded = Object.entries(limits).filter(([name, most]) => (details[name as keyof Limits] ?? 0) > most);
  return exceeded.length === 0 ? usage : { ...usage, details: { ...details, ...Object.fromEntries(exceeded) } };
}

/** Returns the tokens of one response that a model can take and produce. */
export function possibleTokens(bareModel: string, values: Pick<OptionValues, 'ModelMaxOutput'>): PossibleTokens {
  const { maxInput, maxOutput } = modelLimits(bareModel, values.ModelMaxOutput);
  return { prompt: tolerance * maxInput || maxAnyInput, output: tolerance * maxOutput || maxAnyOutput };
}

export interface PossibleTokens {
  readonly prompt: number;
  readonly output: number;
}

/**
 * Returns the part of a charge that does not depend on the balance, when the charge exceeds the estimate: the usage that
 * the reservation was made for, and the last chunk of a stream. The operator bears the rest if the balance does not cover
 * it.
 * @param sentTokens output tokens that the client got when its stream was ended here; 0 otherwise
 * @returns quota; undefined when the whole charge is independent of the balance
 */
export function leastCharge(
  call: Call,
  usage: Usage,
  { estimate, sentTokens }: { estimate: Estimate; sentTokens: number },
  values: OptionValues,
): number | undefined {
  // A hidden prompt was not part of the reservation. The customer pays for it.
  const maxPrompt = estimate.traits.addsHidden ? Infinity : estimate.promptTokens;
  const found = drawingOf(call, usage) ? withinImage(usage, call.request.drawing) : usage;
  const predicted = estimate.traits.predictedTokens * choicesOf(call.request.body);
  const drawn = found.details?.drawn?.completionTokens ?? 0;
  const maxOutput = Math.max(estimate.outputTokens, sentTokens) + predicted + drawn;
  const advised = adviceOf(call, usage) && usage.details?.advised;
  const within = advised
    ? withinAdvice(usage, advised, { maxPrompt, maxOutput, advice: call.request.advisor })
    : reduced(found, maxPrompt, maxOutput);
  const covered = withinTools(within, estimate);
  return covered === usage ? undefined : chargeFor(call, covered, values).quota;
}

/** Limits the usage to the one image that was reserved. */
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

/** Limits the usage to the one piece of advice that was reserved. */
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

/** Limits the usage to the tool calls that were reserved. */
const withinTools = (usage: Usage, { traits: { tools, requests } }: Estimate): Usage =>
  withinLimits(usage, {
    ...Object.fromEntries(toolRows.map(({ count, allowedBy }) => [count, tools[allowedBy]])),
    requests,
  });

/**
 * Limits the tokens of a usage.
 * @returns the same object when nothing is larger
 */
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
