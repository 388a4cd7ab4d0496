import { readComponents } from '../../../shared/charge-lines.js';
import { asFields, type Fields } from '../../../shared/json.js';
import { isTokenQuantity, recordedTier, type Prices } from '../../../shared/price-card.js';
import { chargeOfCard, chargeOfComponents, componentsOf, type Component, type Count } from '../card-charge.js';
import {
  chargeOf,
  chargeOfAudio,
  chargeOfCall,
  chargeOfImages,
  chargeOfMessages,
  isAudioModel,
  isFree,
  type CardPrice,
  type Price,
  type RatioPrice,
  type TablePrice,
} from '../charge.js';
import { asPieces, cardOf } from '../other-models.js';
import { cardOfAudio, linesOfTranscripts, transcriptsOf, type Transcripts } from '../transcript-lines.js';
import { whole, type Rounded } from '../rounding.js';
import { taskPriceOf } from '../task-price.js';
import { loggedVideo, videoPriceOf } from '../video-price.js';
import {
  countOf,
  isImageCall,
  quantitiesFor,
  textOf,
  type LoggedCall,
  type RecordedCards,
} from './logged-quantities.js';

/** Prices of work that another model did in a call at `price`; null where that price covers it, or there is none. */
export interface OtherPrices {
  ofDrawing(price: Price, model: string): CardPrice | null;
  ofAdvice(price: Price, model: string): CardPrice | null;
  ofTranscripts(price: Price, model: string): Price | null;
}

/**
 * The charge of a logged call at another price, by the formula of its endpoint.
 * @returns null when the row does not have what the price counts
 */
export function rechargeOf(
  call: LoggedCall,
  price: Price,
  quotaPerUnit: number,
  cards: RecordedCards,
  others: OtherPrices,
): Rounded | null {
  if (call.other['task'] === true) {
    const video = loggedVideo(call.other);
    if (video) {
      const priced = videoPriceOf(price, video, quotaPerUnit);
      return priced && whole(priced.quota);
    }
    const task = taskPriceOf(price, price.groupRatio);
    return whole(isFree(task) ? 0 : chargeOfCall(task, quotaPerUnit));
  }
  const drawn = lastLinesOf(call, 'drawn');
  if (drawn && price.kind !== 'call') {
    return rechargeShared(drawn, price, quotaPerUnit, cards, others.ofDrawing(price, drawn.model));
  }
  const advised = lastLinesOf(call, 'advised');
  if (advised && price.kind !== 'call') {
    return rechargeShared(advised, price, quotaPerUnit, cards, others.ofAdvice(price, advised.model));
  }
  const speech = transcribedIn(call);
  if (speech && price.kind !== 'call') return rechargeTranscribed(speech, price, quotaPerUnit, cards, others);
  if (price.kind === 'card') {
    const counts = quantitiesFor(price.card, call, cards);
    if (!counts) return null;
    const serviceTier = recordedTier(call.other['service_tier']) ?? null;
    return chargeOfCard(price.card, { counts, serviceTier }, price.groupRatio, quotaPerUnit);
  }
  if (price.kind === 'ratio' && hasToolLines(call, price)) {
    const card = cardOf(price, quotaPerUnit);
    const counts = quantitiesFor(card, call, cards);
    return (
      counts &&
      chargeOfCard(
        card,
        { counts, serviceTier: recordedTier(call.other['service_tier']) ?? null },
        price.groupRatio,
        quotaPerUnit,
      )
    );
  }
  return rechargeByTable(call, price, quotaPerUnit);
}

/** Whether tools with a price ran in a call, which is then charged as by a card. */
function hasToolLines({ other }: LoggedCall, { tools = {} }: RatioPrice): boolean {
  const lines = readComponents(other['components']);
  return lines !== null && lines.some(([quantity]) => ((tools as Prices)[quantity] ?? 0) > 0);
}

/** A call in which another model did a part of the work: the quantities of both, of which the row has lines. */
interface SharedWork {
  readonly model: string;
  /** Without the work of the other model. */
  readonly call: LoggedCall;
  readonly lines: readonly Component[];
  /** The number of images that it drew. */
  readonly count: number;
}

/** @param key of the row that says whose the last lines are */
function lastLinesOf(call: LoggedCall, key: 'drawn' | 'advised'): SharedWork | null {
  const note = asFields(call.other[key]);
  const lines = note && readComponents(call.other['components']);
  if (!note || !lines) return null;
  const from = Math.max(0, lines.length - countOf(note['lines']));
  return {
    model: textOf(note['model']),
    call: { ...call, other: { ...call.other, components: lines.slice(0, from), admin_info: null } },
    lines: lines.slice(from),
    count: countOf(note['images']),
  };
}

/** @param other null: the price of the call covers the work of the other model */
function rechargeShared(
  { call, lines, count }: SharedWork,
  price: CardPrice | RatioPrice,
  quotaPerUnit: number,
  cards: RecordedCards,
  other: CardPrice | null,
): Rounded | null {
  const card = cardOf(price, quotaPerUnit);
  const found = quantitiesFor(card, call, cards);
  if (!found) return null;
  const counts = other ? found : [...found, ...lines.filter(([quantity]) => isTokenQuantity(quantity))];
  const own = componentsOf(card, { counts, serviceTier: recordedTier(call.other['service_tier']) ?? null });
  if (!other) return chargeOfComponents(own, price.groupRatio, quotaPerUnit);
  const pieces: Count = ['image', count];
  const ofOther = [...lines.filter(([quantity]) => quantity !== 'image'), pieces];
  const theirs = asPieces(other.card, componentsOf(other.card, { counts: ofOther, serviceTier: null }));
  return chargeOfComponents([...own, ...theirs], price.groupRatio, quotaPerUnit);
}

/** A realtime session in which other models wrote speech down. */
interface TranscribedSession {
  /** Without the transcripts. */
  readonly call: LoggedCall;
  readonly speech: ReadonlyArray<{ readonly model: string; readonly transcripts: Transcripts }>;
}

function transcribedIn(call: LoggedCall): TranscribedSession | null {
  const notes = call.other['transcribed'];
  const lines = Array.isArray(notes) ? readComponents(call.other['components']) : null;
  if (!lines) return null;
  const entries = asFieldsList(notes);
  const ofSpeech = entries.reduce((sum, entry) => sum + countOf(entry['lines']), 0);
  let from = Math.max(0, lines.length - ofSpeech);
  const main = lines.slice(0, from);
  const speech = entries.map((entry) => {
    const own = lines.slice(from, (from += countOf(entry['lines'])));
    const more = { count: countOf(entry['count']), seconds: countOf(entry['seconds']) };
    return { model: textOf(entry['model']), transcripts: transcriptsOf(own, more) };
  });
  // The tokens of a session without other turns are those of its speech.
  const turns = main.length === 0 ? { ...call, promptTokens: 0, completionTokens: 0 } : call;
  return { call: { ...turns, other: { ...call.other, components: main, admin_info: null } }, speech };
}

function rechargeTranscribed(
  { call, speech }: TranscribedSession,
  price: CardPrice | RatioPrice,
  quotaPerUnit: number,
  cards: RecordedCards,
  others: OtherPrices,
): Rounded | null {
  const card = price.kind === 'card' ? price.card : cardOfAudio(price, quotaPerUnit);
  const counts = quantitiesFor(card, call, cards);
  if (!counts) return null;
  const ofSpeech = speech.flatMap(({ model, transcripts }) => {
    const own = others.ofTranscripts(price, model);
    return own ? linesOfTranscripts(own, transcripts, quotaPerUnit) : [];
  });
  const lines = [...componentsOf(card, { counts, serviceTier: null }), ...ofSpeech];
  return chargeOfComponents(lines, price.groupRatio, quotaPerUnit);
}

const asFieldsList = (value: unknown): Fields[] =>
  (Array.isArray(value) ? value : []).map(asFields).filter((entry) => entry !== null);

function rechargeByTable(call: LoggedCall, price: TablePrice, quotaPerUnit: number): Rounded | null {
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
function rechargeImages({ other, model }: LoggedCall, price: TablePrice, quotaPerUnit: number): Rounded | null {
  const count = countOf(other['image_count']);
  if (count === 0) return null;
  const order = { size: textOf(other['image_size']), quality: textOf(other['image_quality']), count };
  const upstreamModel = textOf(other['upstream_model_name']) || model;
  return chargeOfImages(price, { ...order, upstreamModel }, quotaPerUnit);
}

function rechargeAudio(call: LoggedCall, price: TablePrice, quotaPerUnit: number): Rounded | null {
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
      audioInputTokens,
      audioOutputTokens,
    },
    quotaPerUnit,
  );
}
