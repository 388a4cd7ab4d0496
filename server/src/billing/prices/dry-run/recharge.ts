import { chargesAudio } from '../../../dialects/makers/charging.js';
import { readComponents } from '../../../shared/charge-lines.js';
import { asFields, type Fields } from '../../../shared/json.js';
import { isTokenQuantity, pricesCondition, type Quantity } from '../../../shared/price-card.js';
import { conditionOf } from '../../../shared/price-condition.js';
import type { Usage } from '../../../shared/usage.js';
import { chargeOfCard, chargeOfComponents, chargeOfUsage } from '../card-charge.js';
import { type Component, componentsOf, type Count, hasLines, type PricedUsage, toolsAmong } from '../card-lines.js';
import type { Formula, Price } from '../compiled-price.js';
import { asPieces } from '../other-models.js';
import { linesOfTranscripts, transcriptsOf, type Transcripts } from '../transcript-lines.js';
import { whole, type Rounded } from '../rounding.js';
import { countOf, imageFactor, loggedUsage, oneCall } from '../table-usage.js';
import { loggedVideo, videoPriceOf } from '../video-price.js';
import { isImageCall, quantitiesFor, textOf, type LoggedCall, type RecordedCards } from './logged-quantities.js';

/** Prices of work that another model did in a call at `price`; null where that price covers it, or there is none. */
export interface OtherPrices {
  ofDrawing(price: Price, model: string): Price | null;
  ofAdvice(price: Price, model: string): Price | null;
  ofTranscripts(price: Price, model: string): Price | null;
  /** Returns the price with prices of tools that ran in the call and that it does not price. */
  withToolsOf(price: Price, model: string, ran: readonly Quantity[]): Price;
}

/**
 * The charge of a logged call at another price, by the formula of its endpoint.
 * @returns null when the row does not have what the price counts
 */
export function rechargeOf(
  call: LoggedCall,
  given: Price,
  quotaPerUnit: number,
  cards: RecordedCards,
  others: OtherPrices,
): Rounded | null {
  const ran = toolsAmong(readComponents(call.other['components']) ?? []);
  const price = others.withToolsOf(given, textOf(call.other['upstream_model_name']) || call.model, ran);
  if (call.other['task'] === true) {
    const video = loggedVideo(call.other);
    if (video) {
      const priced = videoPriceOf(price, video, quotaPerUnit);
      return priced && whole(priced.quota);
    }
    return whole(chargeOfUsage(price.cards.task, oneCall, price.groupRatio, quotaPerUnit).quota);
  }
  const shared =
    price.card.perCall === undefined ? rechargeOthers(call, price, quotaPerUnit, cards, others) : undefined;
  if (shared !== undefined) return shared;
  const formula = formulaOf(call);
  const card = hasToolLines(call, price) || isTiered(call, price) ? price.card : price.cards[formula];
  if (hasLines(card)) {
    const usage = pricedBy(card, call, cards);
    return usage && chargeOfCard(card, usage, price.groupRatio, quotaPerUnit);
  }
  const usage = formula === 'audio' ? audioUsage(call) : loggedUsage(call, formula);
  const times = formula === 'images' ? timesOf(call) : 1;
  return usage && times ? chargeOfUsage(card, usage, price.groupRatio, quotaPerUnit, times) : null;
}

/**
 * Returns the charge of a call in which another model drew images, gave advice or transcribed speech.
 * @returns undefined for other calls; null when the row does not have what the price counts
 */
function rechargeOthers(
  call: LoggedCall,
  price: Price,
  quotaPerUnit: number,
  cards: RecordedCards,
  others: OtherPrices,
): Rounded | null | undefined {
  const drawn = lastLinesOf(call, 'drawn');
  if (drawn) return rechargeShared(drawn, price, quotaPerUnit, cards, others.ofDrawing(price, drawn.model));
  const advised = lastLinesOf(call, 'advised');
  if (advised) return rechargeShared(advised, price, quotaPerUnit, cards, others.ofAdvice(price, advised.model));
  const speech = transcribedIn(call);
  return speech ? rechargeTranscribed(speech, price, quotaPerUnit, cards, others) : undefined;
}

function pricedBy(card: Price['card'], call: LoggedCall, cards: RecordedCards): PricedUsage | null {
  const counts = quantitiesFor(card, call, cards);
  return counts && { counts, when: conditionOf(call.other['price_when']) ?? null };
}

/** Whether tools with a price ran in a call, which is then charged by prices in USD. */
function hasToolLines({ other }: LoggedCall, { card: { perCall, prices } }: Price): boolean {
  const lines = perCall === undefined ? readComponents(other['components']) : null;
  return lines !== null && lines.some(([quantity]) => !isTokenQuantity(quantity) && (prices[quantity] ?? 0) > 0);
}

/** Whether the price has prices of its own for the tier or region of a call, which are in USD. */
function isTiered({ other }: LoggedCall, { card }: Price): boolean {
  const when = conditionOf(other['price_when']);
  return card.perCall === undefined && when !== undefined && pricesCondition(card, when);
}

/** Returns the formula of the endpoint that the row is of. */
function formulaOf({ other, model }: LoggedCall): Formula {
  if (isImageCall(other)) return 'images';
  if (other['claude'] === true || textOf(other['request_path']).startsWith('/v1/messages')) return 'messages';
  return other['ws'] === true || chargesAudio(model) ? 'audio' : 'text';
}

/** A call in which another model did a part of the work: the quantities of both, of which the row has lines. */
interface SharedWork {
  readonly model: string;
  /** The call without the work of the other model. */
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
  price: Price,
  quotaPerUnit: number,
  cards: RecordedCards,
  other: Price | null,
): Rounded | null {
  const { card } = price;
  const found = quantitiesFor(card, call, cards);
  if (!found) return null;
  const counts = other ? found : [...found, ...lines.filter(([quantity]) => isTokenQuantity(quantity))];
  const own = componentsOf(card, { counts, when: conditionOf(call.other['price_when']) ?? null });
  if (!other) return chargeOfComponents(own, price.groupRatio, quotaPerUnit);
  const pieces: Count = ['image', count];
  const ofOther = [...lines.filter(([quantity]) => quantity !== 'image'), pieces];
  const theirs = asPieces(other.card, componentsOf(other.card, { counts: ofOther, when: null }));
  return chargeOfComponents([...own, ...theirs], price.groupRatio, quotaPerUnit);
}

/** A realtime session in which other models wrote speech down. */
interface TranscribedSession {
  /** The session without the transcripts. */
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
  price: Price,
  quotaPerUnit: number,
  cards: RecordedCards,
  others: OtherPrices,
): Rounded | null {
  const card = price.cards.session;
  const counts = quantitiesFor(card, call, cards);
  if (!counts) return null;
  const ofSpeech = speech.flatMap(({ model, transcripts }) => {
    const own = others.ofTranscripts(price, model);
    return own ? linesOfTranscripts(own.cards.transcripts, transcripts) : [];
  });
  const lines = [...componentsOf(card, { counts, when: null }), ...ofSpeech];
  return chargeOfComponents(lines, price.groupRatio, quotaPerUnit);
}

const asFieldsList = (value: unknown): Fields[] =>
  (Array.isArray(value) ? value : []).map(asFields).filter((entry) => entry !== null);

/** Returns how many times the price of an image is charged. 0 for rows that a card priced, because they lack the order. */
function timesOf({ other, model }: LoggedCall): number {
  return imageFactor({
    size: textOf(other['image_size']),
    quality: textOf(other['image_quality']),
    count: countOf(other['image_count']),
    upstreamModel: textOf(other['upstream_model_name']) || model,
  });
}

function audioUsage(call: LoggedCall): Usage | null {
  if (typeof call.other['text_input'] === 'number') return loggedUsage(call, 'audio');
  // Priced by a card: its lines have the audio.
  const counts = quantitiesFor({ prices: {} }, call, () => null);
  if (!counts) return null;
  let [audioInputTokens, audioOutputTokens] = [0, 0];
  for (const [quantity, count] of counts) {
    if (quantity === 'audioInput' || quantity === 'cachedAudioInput') audioInputTokens += count;
    if (quantity === 'audioOutput') audioOutputTokens += count;
  }
  return { ...loggedUsage(call, 'text'), audioInputTokens, audioOutputTokens };
}
