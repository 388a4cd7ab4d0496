import {
  chargeOf,
  chargeOfImages,
  imagePrice,
  reserveOf,
  roundedUp,
  type TablePrice,
} from '../../../billing/prices/index.js';
import { pieceOf, promptQuantities, tokenQuantities } from '../../../shared/price-card.js';
import { noUsage, type Usage } from '../../../shared/usage.js';
import type { ChargeInput, Tariff } from '../../endpoint.js';
import type { ParsedRequest } from '../../request.js';
import { asFields, asFieldsList, asText } from '../../../dialects/neutral/fields.js';
import { tokensOfImage } from '../../../dialects/neutral/made-image.js';

/** Charges input only: embeddings, rerank, moderations. Output reported by a provider is ignored. */
export const inputTariff = (prompt: Tariff['prompt']): Tariff => ({
  counts: [...promptQuantities, 'request'],
  reserve: (price, _call, _rawBody, _bareModel, values) => reserveOf(price, preConsumed(values)),
  prompt,
  counted: (usage) => (usage.completionTokens === 0 ? usage : { ...usage, completionTokens: 0, reasoningTokens: 0 }),
  charge: ({ price, usage }, quotaPerUnit) => chargeOf(price, usage, quotaPerUnit),
});

/**
 * Charges only the request, which is known before the call: speech by its characters, transcriptions by their length.
 * Speech that a card prices by audio tokens is charged by the provider's report.
 */
const measuredTariff: Omit<Tariff, 'counts'> = {
  reserve: (price, _call, _rawBody, _bareModel, values) => reserveOf(price, preConsumed(values)),
  fixedUsage: (call, price) => {
    const promptTokens = call.measuredTokens ?? 0;
    if (call.form) return { ...noUsage, promptTokens, details: { seconds: secondsOf(promptTokens) } };
    if (price.kind === 'card' && price.card.prices.audioOutput !== undefined) return null;
    return { ...noUsage, promptTokens, details: { characters: [...asText(call.body['input'])].length } };
  },
  prompt: (call) => ({ texts: [], fixed: call.measuredTokens ?? 0 }),
  unreportedOutput: ({ body }) => {
    const audioOutputTokens = tokensOfSpeech(asText(body['input']));
    return { completionTokens: audioOutputTokens, audioOutputTokens };
  },
  charge: ({ price, usage }, quotaPerUnit) => chargeOf(price, usage, quotaPerUnit),
};

export const speechTariff: Tariff = { ...measuredTariff, counts: ['input', 'character', 'audioOutput', 'request'] };
export const transcriptionTariff: Tariff = { ...measuredTariff, counts: ['input', 'second', 'request'] };

/**
 * Audio tokens per character. OpenAI publishes 1,250 tokens and about 1,000 characters for a minute of speech; a minute
 * has about 250 ideographs.
 */
const tokensOfCharacter = { usual: 1.25, ideograph: 5 } as const;
const ideographs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** Returns the tokens of spoken text, for providers that do not report them. Providers report them only in events. */
function tokensOfSpeech(text: string): number {
  const slow = text.match(ideographs)?.length ?? 0;
  const others = [...text].length - slow;
  return Math.ceil(others * tokensOfCharacter.usual + slow * tokensOfCharacter.ideograph);
}

/** Returns the length of a recording in seconds. Its tokens are counted from whole seconds. */
const secondsOf = (tokens: number): number => Math.round((tokens * 60) / 1000);

const preConsumed = (values: {
  readonly PreConsumedQuota: number;
  readonly QuotaPerUnit: number;
}): Parameters<typeof reserveOf>[1] => ({
  promptTokens: 0,
  maxOutput: 0,
  preConsumedTokens: values.PreConsumedQuota,
  quotaPerUnit: values.QuotaPerUnit,
});

const orderOf = (call: ParsedRequest, upstreamModel: string): Parameters<typeof imagePrice>[1] => ({
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
  reserve: (price, call, _rawBody, bareModel, values) =>
    roundedUp(chargeOfImages(price, orderOf(call, bareModel), values.QuotaPerUnit)),
  fixedUsage: (call, price): Usage | null => {
    const count = call.images?.count ?? 1;
    if (price.kind !== 'card' || price.card.prices.image !== undefined) {
      return { ...noUsage, promptTokens: count, details: { images: count } };
    }
    // Each image is a request, as for prices per call. All other cards price the tokens that the provider reports.
    return pieceOf(price.card) && { ...noUsage, promptTokens: count, details: { requests: count } };
  },
  prompt: ({ body, form = [] }) => ({
    texts: [asText(body['prompt'])],
    fixed: (form.filter(({ value }) => typeof value !== 'string').length + referredIn(body)) * maxImageTokens,
  }),
  unreportedOutput: ({ images }) => {
    const imageOutputTokens = images ? images.count * tokensOfImage(images) : 0;
    return { completionTokens: imageOutputTokens, details: { imageOutputTokens } };
  },
  charge: ({ price, request, upstreamModel }, quotaPerUnit) =>
    chargeOfImages(price, orderOf(request, upstreamModel), quotaPerUnit),
  notes: ({ price, request, upstreamModel }) => {
    const order = orderOf(request, upstreamModel);
    const { size, quality, count } = order;
    return {
      model_price: imagePrice(price, order),
      image: true,
      image_size: size,
      image_quality: quality,
      image_count: count,
    };
  },
  line: ({ price, request, upstreamModel }: ChargeInput<TablePrice>) => {
    const order = orderOf(request, upstreamModel);
    const cost = `model price ${imagePrice(price, order).toFixed(2)}, group ratio ${price.groupRatio.toFixed(2)}`;
    return `${cost}, size ${order.size}, quality ${order.quality}`;
  },
};
