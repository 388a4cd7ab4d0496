import type { PriceCard } from '../../shared/price-card.js';

/** A card and the name by which it was found. */
export interface NamedCard {
  readonly name: string;
  readonly card: PriceCard;
}

/** Cards by exact name and by prefix. A prefix is a name that ends with `*`. */
export class CardTable {
  /** Prefixes, the longest first. */
  private readonly prefixes: ReadonlyArray<readonly [prefix: string, name: string, card: PriceCard]>;

  constructor(private readonly cards: ReadonlyMap<string, PriceCard>) {
    this.prefixes = [...cards]
      .filter(([name]) => name.endsWith('*'))
      .map(([name, card]) => [name.slice(0, -1), name, card] as const)
      .sort(([left], [right]) => right.length - left.length);
  }

  /** Returns the card with exactly this name, else the card with the longest prefix; null when there is none. */
  find(model: string): NamedCard | null {
    const exact = this.cards.get(model);
    if (exact) return { name: model, card: exact };
    const found = this.prefixes.find(([prefix]) => model.startsWith(prefix));
    return found ? { name: found[1], card: found[2] } : null;
  }
}
