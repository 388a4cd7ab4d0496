import { reportedTier } from '../../../shared/price-card.js';
import { chargeOfCard } from '../card-charge.js';
import {
  chargeOf,
  chargeOfAudio,
  chargeOfCall,
  chargeOfImages,
  chargeOfMessages,
  isAudioModel,
  isFree,
  type Price,
  type TablePrice,
} from '../charge.js';
import { taskPriceOf } from '../task-price.js';
import {
  countOf,
  isImageCall,
  quantitiesFor,
  textOf,
  type LoggedCall,
  type RecordedCards,
} from './logged-quantities.js';

/**
 * The charge of a logged call at another price, in quota, by the formula of its endpoint.
 * @returns null when the row does not have what the price counts
 */
export function rechargeOf(call: LoggedCall, price: Price, quotaPerUnit: number, cards: RecordedCards): number | null {
  if (call.other['task'] === true) {
    const task = taskPriceOf(price, price.groupRatio);
    return isFree(task) ? 0 : chargeOfCall(task, quotaPerUnit);
  }
  if (price.kind === 'card') {
    const counts = quantitiesFor(price.card, call, cards);
    if (!counts) return null;
    const serviceTier = reportedTier(call.other['service_tier']) ?? null;
    return chargeOfCard(price.card, { counts, serviceTier }, price.groupRatio, quotaPerUnit);
  }
  return rechargeByTable(call, price, quotaPerUnit);
}

function rechargeByTable(call: LoggedCall, price: TablePrice, quotaPerUnit: number): number | null {
  const { other, promptTokens, completionTokens, model } = call;
  if (isImageCall(other)) return rechargeImages(call, price, quotaPerUnit);
  const isMessages = other['claude'] === true || textOf(other['request_path']).startsWith('/v1/messages');
  if (!isMessages && (other['ws'] === true || isAudioModel(model))) return rechargeAudio(call, price, quotaPerUnit);
  // One literal without spread objects: a million rows are priced.
  const usage = {
    promptTokens,
    completionTokens,
    cachedTokens: countOf(other['cache_tokens']),
    cacheWriteTokens: countOf(other['cache_creation_tokens']),
    details: { cacheWrite1hTokens: countOf(other['cache_creation_1h_tokens']) },
  };
  return isMessages ? chargeOfMessages(price, usage, quotaPerUnit) : chargeOf(price, usage, quotaPerUnit);
}

/** Rows of calls that a card priced do not have the order of the images. */
function rechargeImages({ other, model }: LoggedCall, price: TablePrice, quotaPerUnit: number): number | null {
  const count = countOf(other['image_count']);
  if (count === 0) return null;
  const order = { size: textOf(other['image_size']), quality: textOf(other['image_quality']), count };
  const upstreamModel = textOf(other['upstream_model_name']) || model;
  return chargeOfImages(price, { ...order, upstreamModel }, quotaPerUnit);
}

function rechargeAudio(call: LoggedCall, price: TablePrice, quotaPerUnit: number): number | null {
  const { other, promptTokens, completionTokens } = call;
  if (typeof other['text_input'] === 'number') {
    return chargeOfAudio(
      price,
      {
        textInputTokens: countOf(other['text_input']),
        textOutputTokens: countOf(other['text_output']),
        audioInputTokens: countOf(other['audio_input']),
        audioOutputTokens: countOf(other['audio_output']),
      },
      quotaPerUnit,
    );
  }
  // Priced by a card: its lines have the audio.
  const counts = quantitiesFor({ prices: {} }, call, () => null);
  if (!counts) return null;
  let [audioInputTokens, audioOutputTokens] = [0, 0];
  for (const [quantity, count] of counts) {
    if (quantity === 'audioInput' || quantity === 'cachedAudioInput') audioInputTokens += count;
    if (quantity === 'audioOutput') audioOutputTokens += count;
  }
  return chargeOfAudio(
    price,
    {
      textInputTokens: promptTokens - audioInputTokens,
      textOutputTokens: completionTokens - audioOutputTokens,
      ...{ audioInputTokens, audioOutputTokens },
    },
    quotaPerUnit,
  );
}
