import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  exact,
  thresholdsOf,
  quantities,
  ratesOf,
  statedPrices,
  hasVariant,
  type PriceCard,
  type Quantity,
} from '../../../shared/price-card.js';
import { conditions, type Condition } from '../../../shared/price-condition.js';
import { maxPrice, PriceCardError } from '../../../shared/price-card-input.js';
import { withAllPrices } from './card-parts.js';
import { mergedCard } from './merged-card.js';

/** How the prices of a model differ from those of the sources. */
export const priceDiffKinds = ['NEW', 'UP', 'DOWN', 'MINOR', 'SAME', 'GONE', 'DISAGREE'] as const;
export type PriceDiffKind = (typeof priceDiffKinds)[number];

/** The current price of a model. */
export interface CurrentPrice {
  readonly source: 'card' | 'table' | 'list';
  readonly card: PriceCard;
}

/** One price that differs. */
export interface PriceChangeLine {
  readonly quantity: Quantity;
  /** The prompt tokens above which it applies; 0 for every call. */
  readonly above: number;
  readonly when: Condition | null;
  /** USD per million tokens or per unit. */
  readonly before: number;
  readonly after: number;
  /** The change in percent. Null when the price before is 0. */
  readonly percent: number | null;
}

/** The price of a model in one source, including the mark-up. */
export interface PriceOffer {
  readonly source: string;
  readonly card: PriceCard;
}

/** One model of a comparison. */
export interface PriceDiffLine {
  readonly model: string;
  readonly kind: PriceDiffKind;
  readonly current: CurrentPrice | null;
  /** The offers, one for each source that has the model. */
  readonly offers: readonly PriceOffer[];
  /**
   * The changes from the current price to the first offer. For sources that disagree: from the first offer to the
   * second.
   */
  readonly changes: readonly PriceChangeLine[];
  /** The largest change in percent, with its sign. Null when there is none, or when a price was 0. */
  readonly percent: number | null;
  /** Whether an enabled channel serves the model. */
  readonly isServed: boolean;
}

export interface PriceDiffInput {
  readonly sources: ReadonlyArray<{ readonly label: string; readonly cards: Readonly<Record<string, PriceCard>> }>;
  /** Finds the current price; null for a model without a price. */
  readonly current: (model: string) => CurrentPrice | null;
  readonly ownCards: Readonly<Record<string, PriceCard | 'built-in'>>;
  readonly served: ReadonlySet<string>;
  /** The factor by which prices of the sources are multiplied. */
  readonly markup: number;
  /** Percent. Smaller changes are MINOR. */
  readonly threshold: number;
}

/** Number of models that are compared before the process yields to other work. */
const modelsPerTurn = 25;

/**
 * Compares sources with the current prices, by the name of the model. GONE are cards of the operator that were taken
 * from one of these sources and that no source has any more.
 * @throws PriceCardError when a price with the mark-up is too large
 */
export async function priceDiff(input: PriceDiffInput): Promise<PriceDiffLine[]> {
  const offered = new Map<string, PriceOffer[]>();
  for (const { label, cards } of input.sources) {
    for (const [model, card] of Object.entries(cards)) {
      const offers = offered.get(model) ?? [];
      offers.push({ source: label, card: markedUp(card, input.markup) });
      offered.set(model, offers);
    }
  }
  const lines: PriceDiffLine[] = [];
  for (const [model, offers] of offered) {
    if (lines.length % modelsPerTurn === 0) await nextTurn();
    lines.push(lineOf(input, model, offers));
  }
  const labels = new Set(input.sources.map(({ label }) => label));
  for (const [model, card] of Object.entries(input.ownCards)) {
    if (card === 'built-in' || offered.has(model) || card.source === undefined || !labels.has(card.source)) continue;
    const base = { current: { source: 'card', card } as const, offers: [], changes: [], percent: null };
    lines.push({ model, kind: 'GONE', ...base, isServed: input.served.has(model) });
  }
  return lines.sort((left, right) => (left.model < right.model ? -1 : 1));
}

function lineOf(input: PriceDiffInput, model: string, stated: readonly PriceOffer[]): PriceDiffLine {
  const current = input.current(model);
  const offers = stated.map(({ source, card }) => ({ source, card: current ? mergedCard(current.card, card) : card }));
  const base = { model, offers, isServed: input.served.has(model) };
  const [first, ...others] = stated;
  const [offer] = offers;
  if (!first || !offer) throw new Error('a line has an offer');
  for (const other of others) {
    const changes = changesBetween(first.card, other.card, commonOf(first.card, other.card));
    if (isAbove(changes, input.threshold)) {
      return { ...base, kind: 'DISAGREE', current, changes, percent: largest(changes) };
    }
  }
  if (!current) return { ...base, kind: 'NEW', current, changes: [], percent: null };
  const changes = changesBetween(current.card, offer.card, scopeOf(current.card, offer.card));
  return { ...base, kind: kindOf(changes, input.threshold), current, changes, percent: largest(changes) };
}

/**
 * Returns the kind of a difference. A change in both directions counts as a rise, because some calls become more
 * expensive.
 */
function kindOf(changes: readonly PriceChangeLine[], threshold: number): PriceDiffKind {
  if (changes.length === 0) return 'SAME';
  const beyond = changes.filter((change) => isAbove([change], threshold));
  if (beyond.some(({ before, after }) => after > before)) return 'UP';
  return beyond.length > 0 ? 'DOWN' : 'MINOR';
}

const isAbove = (changes: readonly PriceChangeLine[], threshold: number): boolean =>
  changes.some(({ percent }) => percent === null || Math.abs(percent) > threshold);

function largest(changes: readonly PriceChangeLine[]): number | null {
  if (changes.some(({ percent }) => percent === null)) return null;
  return changes.reduce<number | null>(
    (most, { percent }) => (Math.abs(percent ?? 0) > Math.abs(most ?? 0) ? percent : most),
    null,
  );
}

/** The parts of two cards that are compared. */
interface Scope {
  readonly quantities: ReadonlySet<Quantity>;
  /** The thresholds; 0 for calls below the first one. */
  readonly tiers: readonly number[];
  readonly conditions: ReadonlyArray<Condition | null>;
}

/** Returns every part that one of the two cards prices. */
function scopeOf(before: PriceCard, next: PriceCard): Scope {
  return {
    quantities: new Set([...namedIn(next), ...namedIn(before)]),
    tiers: [...new Set([0, ...thresholdsOf(before), ...thresholdsOf(next)])].sort((left, right) => left - right),
    conditions: [null, ...conditions.filter((when) => hasVariant(before, when) || hasVariant(next, when))],
  };
}

/** Returns the parts that both sources price: a gap in one of them is no contradiction. */
function commonOf(left: PriceCard, right: PriceCard): Scope {
  const named = namedIn(right);
  const shared = thresholdsOf(right);
  return {
    quantities: new Set([...namedIn(left)].filter((quantity) => named.has(quantity))),
    tiers: [0, ...thresholdsOf(left).filter((above) => shared.includes(above))],
    conditions: [null, ...conditions.filter((when) => hasVariant(left, when) && hasVariant(right, when))],
  };
}

function changesBetween(before: PriceCard, next: PriceCard, scope: Scope): PriceChangeLine[] {
  const changes: PriceChangeLine[] = [];
  for (const above of scope.tiers) {
    for (const when of scope.conditions) {
      const left = ratesOf(before, tierAt(before, above), when);
      const right = ratesOf(next, tierAt(next, above), when);
      for (const quantity of quantities) {
        if (!scope.quantities.has(quantity) || isSame(left[quantity], right[quantity])) continue;
        changes.push({ quantity, above, when, ...differing(left[quantity], right[quantity]) });
      }
    }
  }
  return changes;
}

const isSame = (left: number, right: number): boolean =>
  Math.abs(left - right) <= 1e-9 * Math.max(Math.abs(left), Math.abs(right));

const differing = (before: number, after: number): Pick<PriceChangeLine, 'before' | 'after' | 'percent'> => ({
  before,
  after,
  percent: before === 0 ? null : Number((((after - before) / before) * 100).toFixed(2)),
});

const namedIn = (card: PriceCard): Set<Quantity> =>
  new Set(statedPrices(card).flatMap((each) => Object.keys(each) as Quantity[]));

const tierAt = (card: PriceCard, above: number): number =>
  (card.contextTiers ?? []).findLastIndex((tier) => tier.above <= above);

/**
 * Returns a card with every price times a factor. Factors of variants are unchanged.
 * @throws PriceCardError when a price becomes too large
 */
export function markedUp(card: PriceCard, factor: number): PriceCard {
  if (factor === 1) return card;
  return withAllPrices(card, (prices) =>
    Object.fromEntries(
      Object.entries(prices).map(([quantity, price]) => {
        if (price * factor > maxPrice) throw new PriceCardError(`${quantity}: is too large`);
        return [quantity, exact(price * factor)];
      }),
    ),
  );
}
