import { isTokenQuantity, type PriceCard } from '../../shared/price-card.js';
import { noUsage, usageDetails, type AdvisedTokens, type DrawnImages, type Usage } from '../../shared/usage.js';
import { componentsOf, pricedUsage, type Component } from './card-lines.js';

/** The usage of a call in which a tool of the provider drew images: without them, and theirs. */
export function withoutImages(usage: Usage, drawn: DrawnImages): { readonly call: Usage; readonly images: Usage } {
  const { promptTokens, completionTokens, details = {} } = usage;
  const prompt = Math.min(drawn.promptTokens, promptTokens);
  const completion = Math.min(drawn.completionTokens, completionTokens);
  const shown = Math.min(drawn.imageInputTokens, prompt);
  const made = Math.min(drawn.imageOutputTokens, completion);
  const { drawn: _drawn, ...others } = details;
  const { details: _details, ...tokens } = usage;
  return {
    call: {
      ...tokens,
      promptTokens: promptTokens - prompt,
      completionTokens: completionTokens - completion,
      ...usageDetails({
        ...others,
        imageInputTokens: Math.max(0, (details.imageInputTokens ?? 0) - shown),
        imageOutputTokens: Math.max(0, (details.imageOutputTokens ?? 0) - made),
      }),
    },
    images: {
      ...noUsage,
      promptTokens: prompt,
      completionTokens: completion,
      ...usageDetails({ imageInputTokens: shown, imageOutputTokens: made, images: drawn.images }),
    },
  };
}

/** The usage of a call that another model advised: without the advice, and that of the advice. */
export function withoutAdvice(usage: Usage, advised: AdvisedTokens): { readonly call: Usage; readonly advice: Usage } {
  const { details: { advised: _advised, ...others } = {}, ...tokens } = usage;
  const within = (name: 'promptTokens' | 'completionTokens' | 'cachedTokens' | 'cacheWriteTokens'): number =>
    Math.min(advised[name], usage[name]);
  const advice = {
    ...noUsage,
    promptTokens: within('promptTokens'),
    completionTokens: within('completionTokens'),
    cachedTokens: within('cachedTokens'),
    cacheWriteTokens: within('cacheWriteTokens'),
  };
  const completionTokens = usage.completionTokens - advice.completionTokens;
  const cacheWriteTokens = usage.cacheWriteTokens - advice.cacheWriteTokens;
  return {
    call: {
      ...tokens,
      promptTokens: usage.promptTokens - advice.promptTokens,
      completionTokens,
      cachedTokens: usage.cachedTokens - advice.cachedTokens,
      cacheWriteTokens,
      reasoningTokens: Math.min(usage.reasoningTokens, completionTokens),
      ...usageDetails({
        ...others,
        cacheWrite1hTokens: Math.min(others.cacheWrite1hTokens ?? 0, cacheWriteTokens),
      }),
    },
    advice,
  };
}

/** The lines of drawn images. A card that prices images by their number does not price their tokens. */
export const linesOfImages = (card: PriceCard, images: Usage): Component[] =>
  asPieces(card, componentsOf(card, pricedUsage(images)));

/** See `linesOfImages`. */
export const asPieces = ({ prices }: PriceCard, lines: readonly Component[]): Component[] =>
  lines.map(([quantity, count, price]): Component => {
    const isIncluded = prices.image !== undefined && isTokenQuantity(quantity);
    return [quantity, count, isIncluded ? 0 : price];
  });
