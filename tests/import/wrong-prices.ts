import { exitCodeOf, reportText, type ImportReport } from '../../server/src/import/report.js';
import type { SourcePrice } from '../../server/src/import/prices/source-price.js';
import type { PriceCard, Quantity } from '../../server/src/shared/price-card.js';

/** A wrong reading of the price of a model in the source; null: the model is not sold there. */
export type Change = (price: SourcePrice) => SourcePrice | null;
type Prices = PriceCard['prices'];

/** Changes the prices of a card, and those for its long prompts. */
const ofCard =
  (change: (prices: Prices) => Prices): Change =>
  (price) => {
    if (price.kind !== 'card') return price;
    const { prices, contextTiers } = price.card;
    const tiers = contextTiers?.map((tier) => ({ ...tier, prices: change(tier.prices) }));
    return { ...price, card: { prices: change(prices), ...(tiers ? { contextTiers: tiers } : {}) } };
  };

/** Twice the price of a quantity that a card has. */
export const twice = (name: Quantity): Change =>
  ofCard((prices) => (prices[name] === undefined ? prices : { ...prices, [name]: 2 * prices[name] }));

/** Twice the price of the model. */
export const dearer: Change = (price) => {
  if (price.kind === 'ratio') return { ...price, model: price.model === 0 ? 1 : price.model * 2 };
  if (price.kind === 'call') return { ...price, usd: price.usd * 2 };
  return ofCard((prices) => Object.fromEntries(Object.entries(prices).map(([name, usd]) => [name, usd * 2])))(price);
};

type Factor = Exclude<keyof Extract<SourcePrice, { kind: 'ratio' }>, 'kind'>;

/** Another factor of a price that is a ratio. */
export const factor =
  (name: Factor): Change =>
  (price) =>
    price.kind === 'ratio' ? { ...price, [name]: (price[name] ?? 0) + 1 } : price;

export const withoutTiers: Change = (price) =>
  price.kind === 'card' ? { ...price, card: { prices: price.card.prices } } : price;

export const unsold: Change = () => null;

/** Expects that the command ends with exit code 3, and has the model in its table of what differs. */
export function expectRefuted(report: ImportReport, model: string): void {
  expect(exitCodeOf(report)).toBe(3);
  const differences = report.proof?.replay.different.filter((one) => one.model === model) ?? [];
  expect(differences).not.toEqual([]);
  const [, table = ''] = reportText(report).split(/there +here +calls +USD a month {2}model \(group\)\n/);
  const lines = table.split('\n').map((line) => line.trim().split(/ +/));
  for (const { there, here, calls, perMonth, group } of differences) {
    expect(lines).toContainEqual([there, here ?? 'refused', calls, perMonth, model, `(${group})`].map(String));
  }
}
