import type { Quantity } from '../../shared/price-card.js';
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
  const counts: Count[] = [];
  add(counts, 'input', fresh - audio - image);
  add(counts, 'cachedInput', cached - cachedAudio - cachedImage);
  add(counts, 'cacheWrite', written - written1h);
  add(counts, 'cacheWrite1h', written1h);
  add(counts, 'output', completionTokens - reasoning - audioOutput - imageOutput);
  add(counts, 'reasoning', reasoning);
  add(counts, 'audioInput', audio);
  add(counts, 'cachedAudioInput', cachedAudio);
  add(counts, 'audioOutput', audioOutput);
  add(counts, 'imageInput', image);
  add(counts, 'cachedImageInput', cachedImage);
  add(counts, 'imageOutput', imageOutput);
  if (details !== none) addUnits(counts, details);
  if (isUsed(usage)) counts.push(['request', 1]);
  return { counts, serviceTier: details.serviceTier ?? null };
}

function addUnits(counts: Count[], details: UsageDetails): void {
  add(counts, 'webSearch', details.webSearches);
  add(counts, 'groundedPrompt', details.groundedPrompts);
  add(counts, 'fileSearch', details.fileSearches);
  add(counts, 'codeExecution', details.codeExecutions);
  add(counts, 'image', details.images);
  add(counts, 'second', details.seconds);
  add(counts, 'page', details.pages);
  add(counts, 'character', details.characters);
}

function add(counts: Count[], quantity: Quantity, count: number | undefined): void {
  if (count) counts.push([quantity, count]);
}

/** A call without any usage costs nothing, not even a price per request. */
const isUsed = ({ promptTokens, completionTokens }: Usage): boolean => promptTokens + completionTokens > 0;
