import { imageFactor, type ImageRequest, tokensPerMinute } from '../../../billing/prices/index.js';
import { pieceOf, promptQuantities, tokenQuantities } from '../../../shared/price-card.js';
import { noUsage, type Usage } from '../../../shared/usage.js';
import type { Tariff } from '../../endpoint.js';
import type { ParsedRequest } from '../../request.js';
import { asFields, asFieldsList, asText } from '../../../dialects/neutral/fields.js';
import { tokensOfImage } from '../../../dialects/neutral/made-image.js';

/** Charges input only: embeddings, rerank, moderations. Output reported by a provider is ignored. */
export const inputTariff = (prompt: Tariff['prompt']): Tariff => ({
  counts: [...promptQuantities, 'request'],
  formula: 'text',
  prompt,
  counted: (usage) => (usage.completionTokens === 0 ? usage : { ...usage, completionTokens: 0, reasoningTokens: 0 }),
});

/**
 * Charges only the request, which is known before the call: speech by its characters, transcriptions by their length.
 * Speech that a card prices by audio tokens is charged by the provider's report.
 */
const measuredTariff: Omit<Tariff, 'counts'> = {
  formula: 'text',
  fixedUsage: (call, card) => {
    const promptTokens = call.measuredTokens ?? 0;
    if (call.form) return { ...noUsage, promptTokens, details: { seconds: secondsOf(promptTokens) } };
    if (card.prices.audioOutput !== undefined) return null;
    return { ...noUsage, promptTokens, details: { characters: [...asText(call.body['input'])].length } };
  },
  prompt: (call) => ({ texts: [], fixed: call.measuredTokens ?? 0 }),
  unreportedOutput: ({ body }) => {
    const audioOutputTokens = Math.ceil(tokensOfSpeech(asText(body['input'])) / slowSpeed(body['speed']));
    return { completionTokens: audioOutputTokens, audioOutputTokens };
  },
};

export const speechTariff: Tariff = { ...measuredTariff, counts: ['input', 'character', 'audioOutput', 'request'] };
export const transcriptionTariff: Tariff = { ...measuredTariff, counts: ['input', 'second', 'request'] };

/**
 * Audio tokens per character. OpenAI publishes 1,250 tokens and about 1,000 characters for a minute of speech; a minute
 * has about 250 ideographs.
 */
const tokensOfCharacter = { usual: 1.25, ideograph: 5 } as const;
const ideographs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** Returns the speed of speech where it is slower than usual, which takes longer. Some models ignore a faster one. */
const slowSpeed = (speed: unknown): number => (typeof speed === 'number' && speed > 0 ? Math.min(1, speed) : 1);

/** Returns the tokens of spoken text, for providers that do not report them. Providers report them only in events. */
function tokensOfSpeech(text: string): number {
  const slow = text.match(ideographs)?.length ?? 0;
  const others = [...text].length - slow;
  return Math.ceil(others * tokensOfCharacter.usual + slow * tokensOfCharacter.ideograph);
}

/** Returns the length of a recording in seconds. Its tokens are counted from whole seconds. */
const secondsOf = (tokens: number): number => Math.round((tokens * 60) / tokensPerMinute);

const imagesOf = (call: ParsedRequest, upstreamModel: string): ImageRequest => ({
  ...(call.images ?? { size: '1024x1024', quality: 'standard', count: 1 }),
  upstreamModel,
});

/** Maximum tokens of one input image. */
const maxImageTokens = 6500;

/** Counts the images that an edit in JSON refers to, including its mask. */
const referredIn = (body: ParsedRequest['body']): number =>
  asFieldsList(body['images']).length + (asFields(body['mask']) ? 1 : 0);

/**
 * Charges images by size, quality and number, regardless of reported tokens (docs/reference/relay/billing.md#images).
 */
export const imageTariff: Tariff = {
  counts: [...tokenQuantities, 'image', 'request'],
  formula: 'images',
  times: (call, upstreamModel) => imageFactor(imagesOf(call, upstreamModel)),
  fixedUsage: (call, card): Usage | null => {
    const count = call.images?.count ?? 1;
    if (card.perCall !== undefined || card.prices.image !== undefined) {
      return { ...noUsage, promptTokens: count, details: { images: count } };
    }
    // Each image is a request, as for prices per call. All other cards price the tokens that the provider reports.
    return pieceOf(card) && { ...noUsage, promptTokens: count, details: { requests: count } };
  },
  prompt: ({ body, form = [] }) => ({
    texts: [asText(body['prompt'])],
    fixed: (form.filter(({ value }) => typeof value !== 'string').length + referredIn(body)) * maxImageTokens,
  }),
  unreportedOutput: ({ images, stream }) => {
    const terms = images && (stream ? images : { ...images, partialImages: 0 });
    const imageOutputTokens = terms ? terms.count * tokensOfImage(terms) : 0;
    return { completionTokens: imageOutputTokens, details: { imageOutputTokens } };
  },
  notes: ({ request, upstreamModel }, usd) => {
    const { size, quality, count } = imagesOf(request, upstreamModel);
    return { model_price: usd, image: true, image_size: size, image_quality: quality, image_count: count };
  },
  line: ({ price, request, upstreamModel }, usd) => {
    const { size, quality } = imagesOf(request, upstreamModel);
    return `model price ${usd.toFixed(2)}, group ratio ${price.groupRatio.toFixed(2)}, size ${size}, quality ${quality}`;
  },
};
