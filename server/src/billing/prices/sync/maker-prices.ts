import type { PricesFile } from '../../../dialects/makers/prices.js';
import type { PriceCard } from '../../../shared/price-card.js';
import { priceDiff } from './price-diff.js';

/** `prices.json` of a maker after a published list was read. */
export interface UpdatedPrices {
  readonly file: PricesFile;
  /** Models whose price differs from the one before. */
  readonly changed: readonly string[];
  /** Models that the list does not have, and that the file does not name in `byHand`. They keep their prices. */
  readonly missing: readonly string[];
}

/**
 * Puts the prices of a published list into the file of a maker. A price that means the same keeps the form it has in the
 * file; parts that the list does not price are kept. Models of one card whose prices differ now become cards of their own.
 * @param asOf month in which the list was published
 */
export async function updatedPrices(
  file: PricesFile,
  list: ReadonlyMap<string, PriceCard>,
  asOf: string,
): Promise<UpdatedPrices> {
  const byHand = new Set(file.byHand?.flatMap(({ models }) => models));
  const current = new Map<string, PriceCard>();
  for (const { models, note: _, ...card } of file.cards ?? []) {
    for (const model of models) if (!byHand.has(model)) current.set(model, card);
  }
  const listed = [...current.keys()].flatMap((model) => {
    const card = list.get(model);
    return card ? [[model, card] as const] : [];
  });
  const lines = await priceDiff({
    sources: [{ label: 'list', cards: Object.fromEntries(listed) }],
    current: (model) => ({ source: 'list', card: current.get(model) ?? { prices: {} } }),
    ownCards: {},
    served: new Set(),
    markup: 1,
    threshold: 0,
  });
  const changed = new Map(
    lines.flatMap(({ model, kind, offers: [offer] }) => (kind === 'SAME' || !offer ? [] : [[model, offer.card]])),
  );
  return {
    file: {
      ...file,
      ...(listed.length > 0 && { asOf }),
      ...(file.cards && { cards: file.cards.flatMap((each) => splitByPrice(each, changed)) }),
    },
    changed: [...changed.keys()],
    missing: [...current.keys()].filter((model) => !list.has(model)),
  };
}

type ListedCard = NonNullable<PricesFile['cards']>[number];

function splitByPrice({ models, note, ...card }: ListedCard, changed: ReadonlyMap<string, PriceCard>): ListedCard[] {
  const byPrice = new Map<string, string[]>();
  for (const model of models) {
    const price = JSON.stringify(changed.get(model) ?? card);
    byPrice.set(price, [...(byPrice.get(price) ?? []), model]);
  }
  return [...byPrice].map(([price, same]) => ({
    models: same,
    ...(note !== undefined && { note }),
    ...(JSON.parse(price) as PriceCard),
  }));
}
