import { pieceOf, ratesOf, variantOf, type PriceCard, type Quantity } from '../../shared/price-card.js';
import { conditionOf, type Condition, type Resolution } from '../../shared/price-condition.js';
import { quotaOfComponents, usdOf } from './card-charge.js';
import { componentsOf, type Count, type PricedUsage } from './card-lines.js';
import { costNotes, costOf, type CostNotes, type CostPrice, type SaleLines } from './channel-cost.js';
import { cardNotes, listsLines, type Price } from './compiled-price.js';
import type { LoggedFields } from './logged-fields.js';

/** The properties of a video that determine its price. */
export interface Video {
  /** May have a fraction. */
  readonly seconds: number;
  /** Null when it is not known. The standard price applies then. */
  readonly resolution: Resolution | null;
  /** Whether the provider generates audio with the video. Absent when it does not, or when that is not known. */
  readonly hasAudio?: boolean;
}

/** The charge of a video. */
export interface VideoPrice {
  /** The charge of the video, with the group ratio. */
  readonly quota: number;
  /** USD of a second, before the group ratio; null where the price is for the whole video. */
  readonly perSecond: number | null;
  /** USD of the video, before the group ratio. */
  readonly usd: number;
  /** Keys of the log row, complete but for `admin_info` (docs/reference/relay/usage-log.md#the-other-field). */
  readonly other: Readonly<Record<string, unknown>>;
  /** The beginning of the row's `content`. */
  readonly content: string;
  /** The lines of a charge by a card. */
  readonly sale: SaleLines | null;
}

/**
 * Returns the price of a video: by the second, where a card has a price for its resolution or a standard one, else by the call.
 * @returns null where the price is by tokens and not free: it is no price of a video
 */
export function videoPriceOf(price: Price, video: Video, quotaPerUnit: number): VideoPrice | null {
  const { groupRatio, text } = price;
  const card = price.cards.video;
  const usage = usageOf(card, video);
  if (!usage && !price.isFree) return null;
  const seconds = secondsBy(card, video);
  const lines = usage ? componentsOf(card, usage) : [];
  const isListed = listsLines(price);
  const usd = usdOf(lines).toNumber();
  const notes = notesOf(price, video, quotaPerUnit, isListed ? -1 : usd);
  return {
    quota: quotaOfComponents(lines, groupRatio, quotaPerUnit, card),
    perSecond: seconds && ratesOf(card, -1, whenOf(video))[seconds],
    usd,
    other: isListed ? { ...notes, ...cardNotes(price, lines) } : notes,
    content: `${isListed ? text : `fixed price ${usd.toFixed(2)}`}${textOf(groupRatio, video)}`,
    sale: isListed ? { card, lines } : null,
  };
}

const whenOf = ({ resolution }: Video): Condition | null => resolution && { resolution };

/** Returns the log row's keys. A known resolution is logged, also when it has no price of its own. */
const notesOf = (price: Price, { seconds, resolution, hasAudio }: Video, quotaPerUnit: number, modelPrice: number) => ({
  task: true,
  video_seconds: seconds,
  ...(hasAudio ? { video_audio: true } : {}),
  ...(resolution === null ? {} : { price_when: { resolution } }),
  model_price: modelPrice,
  group_ratio: price.groupRatio,
  quota_per_unit: quotaPerUnit,
  price_version: price.version,
});

const textOf = (groupRatio: number, { seconds, resolution }: Video): string =>
  `, group ratio ${groupRatio.toFixed(2)}, ${seconds} s${resolution === null ? '' : `, ${resolution}`}`;

/** Returns the video of a log row. Null for rows of other calls. */
export function loggedVideo(other: LoggedFields): Video | null {
  const { video_seconds: seconds, video_audio: audio, price_when: when } = other;
  if (typeof seconds !== 'number') return null;
  return { seconds, resolution: conditionOf(when)?.resolution ?? null, ...(audio === true ? { hasAudio: true } : {}) };
}

/**
 * Returns the cost of a video: by the second, else by the call.
 * @returns null where the card prices neither, such as a list price by tokens
 */
export function videoCostOf(
  cost: CostPrice,
  video: Video,
  sale: SaleLines | null,
): { readonly usd: number; readonly notes: CostNotes } | null {
  const usage = usageOf(cost.card, video);
  if (!usage) return null;
  const found = costOf(cost, usage);
  const isSold = sale?.card === cost.card;
  return { usd: found.usd, notes: costNotes(isSold ? { ...found, lines: sale.lines } : found, sale) };
}

/** Returns the quantities by which a card prices a video. Null when it has no price of a video. */
function usageOf(card: PriceCard, video: Video): PricedUsage | null {
  const piece = pieceOf(card);
  const seconds = secondsBy(card, video);
  const counts: Count[] = seconds
    ? [
        [seconds, video.seconds],
        ['request', 1],
      ]
    : piece
      ? [[piece, 1]]
      : [];
  return counts.length > 0 ? { counts, when: whenOf(video) } : null;
}

/** Returns the quantity by which a card prices the seconds of a video. Null when it has no price of them. */
function secondsBy(card: PriceCard, video: Video): 'second' | 'secondWithAudio' | null {
  const when = whenOf(video);
  const own = when ? variantOf(card, when)?.prices : undefined;
  const states = (quantity: Quantity): boolean => (own?.[quantity] ?? card.prices[quantity]) !== undefined;
  if (video.hasAudio && states('secondWithAudio')) return 'secondWithAudio';
  return states('second') ? 'second' : null;
}
