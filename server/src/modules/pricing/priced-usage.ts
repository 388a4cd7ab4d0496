import type { Usage, UsageDetails } from '../../shared/usage.js';
import type { Count, PricedUsage } from './card-charge.js';

const none: UsageDetails = {};

/**
 * The usage as a list of priced quantities. Each token is in one of them. Parts that a provider reports larger than their
 * total are cut, so that the list never has more tokens than the call.
 */
export function pricedUsage(usage: Usage): PricedUsage {
  const { promptTokens, completionTokens, details = none } = usage;
  const cached = Math.min(usage.cachedTokens, promptTokens);
  const written = Math.min(usage.cacheWriteTokens, promptTokens - cached);
  const written1h = Math.min(details.cacheWrite1hTokens ?? 0, written);
  const cachedAudio = Math.min(details.cachedAudioTokens ?? 0, usage.audioInputTokens, cached);
  const cachedImage = Math.min(details.cachedImageTokens ?? 0, details.imageInputTokens ?? 0, cached - cachedAudio);
  const fresh = promptTokens - cached - written;
  const audio = Math.min(usage.audioInputTokens - cachedAudio, fresh);
  const image = Math.min((details.imageInputTokens ?? 0) - cachedImage, fresh - audio);
  const reasoning = Math.min(usage.reasoningTokens, completionTokens);
  const audioOutput = Math.min(usage.audioOutputTokens, completionTokens - reasoning);
  const imageOutput = Math.min(details.imageOutputTokens ?? 0, completionTokens - reasoning - audioOutput);
  const counts: Count[] = [
    ['input', fresh - audio - image],
    ['cachedInput', cached - cachedAudio - cachedImage],
    ['cacheWrite', written - written1h],
    ['cacheWrite1h', written1h],
    ['output', completionTokens - reasoning - audioOutput - imageOutput],
    ['reasoning', reasoning],
    ['audioInput', audio],
    ['cachedAudioInput', cachedAudio],
    ['audioOutput', audioOutput],
    ['imageInput', image],
    ['cachedImageInput', cachedImage],
    ['imageOutput', imageOutput],
  ];
  if (details !== none) addUnits(counts, details);
  if (isUsed(usage)) counts.push(['request', 1]);
  return { counts, serviceTier: details.serviceTier ?? null };
}

function addUnits(counts: Count[], details: UsageDetails): void {
  counts.push(
    ['webSearch', details.webSearches ?? 0],
    ['groundedPrompt', details.groundedPrompts ?? 0],
    ['fileSearch', details.fileSearches ?? 0],
    ['codeExecution', details.codeExecutions ?? 0],
    ['image', details.images ?? 0],
    ['second', details.seconds ?? 0],
    ['page', details.pages ?? 0],
    ['character', details.characters ?? 0],
  );
}

/** A call without any usage costs nothing, not even a price per request. */
const isUsed = ({ promptTokens, completionTokens }: Usage): boolean => promptTokens + completionTokens > 0;
