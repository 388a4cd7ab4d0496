import { pricesByMaker, type PricesFile } from '../../../dialects/makers/prices.js';
import { updatedPrices } from './maker-prices.js';
import { readPriceDocument } from './price-document.js';

const listed = Object.entries(pricesByMaker).filter(([, { cards }]) => cards !== undefined);

it.each(listed)('the list prices of %s stay as they are where a list has the same', async (_maker, file) => {
  const own = file.cards?.flatMap(({ models, note: _, ...card }) => models.map((model) => [model, card])) ?? [];
  const { cards } = await readPriceDocument(Buffer.from(JSON.stringify(Object.fromEntries(own))));
  const { changed, missing, ...updated } = await updatedPrices(file, cards, '2026-11');
  // As texts, because the order of fields counts too.
  expect([changed, missing, JSON.stringify(updated.file)]).toEqual([[], [], JSON.stringify(file)]);
});

it('takes over changed prices, keeps what the list does not price, and adds a model that has no price yet', async () => {
  const webSearch = 0.01;
  const file: PricesFile = {
    asOf: '2026-11',
    byHand: [{ models: ['own'], why: 'Lists have another.' }],
    cards: [
      { models: ['old', 'older'], note: 'Both.', prices: { input: 2, output: 8, webSearch } },
      { models: ['own', 'absent'], prices: { input: 1 } },
      { models: ['new'], prices: {} },
    ],
  };
  const cards = new Map([
    ['old', { prices: { input: 1, output: 4 } }],
    ['older', { prices: { input: 2, output: 8 } }],
    ['own', { prices: { input: 9 } }],
    ['new', { prices: { input: 3 } }],
    ['other', { prices: { input: 3 } }],
  ]);
  const updated = await updatedPrices(file, cards, '2026-12');
  expect([updated.changed, updated.missing]).toEqual([['new', 'old'], ['absent']]);
  expect(updated.file).toEqual({
    asOf: '2026-12',
    byHand: file.byHand,
    cards: [
      { models: ['old'], note: 'Both.', prices: { input: 1, output: 4, webSearch } },
      { models: ['older'], note: 'Both.', prices: { input: 2, output: 8, webSearch } },
      { models: ['own', 'absent'], prices: { input: 1 } },
      { models: ['new'], prices: { input: 3 } },
    ],
  });
  expect((await updatedPrices(file, new Map(), '2026-12')).file).toEqual(file);
});
