import { toCard, toForm, type CardForm } from './cardForm.js';

const full = {
  prices: {
    input: 3,
    cachedInput: 0.3,
    cacheWrite: 3.75,
    cacheWrite1h: 6,
    output: 15,
    webSearch: 0.01,
    second: 0.0000005,
  },
  contextTiers: [
    {
      above: 200_000,
      prices: { input: 6, output: 22.5 },
      variants: [{ when: { tier: 'flex' }, prices: { input: 3 } }],
    },
    { above: 400_000, prices: { input: 7 } },
  ],
  contextScope: 'excess',
  variants: [
    { when: { tier: 'flex' }, factor: 0.5 },
    { when: { tier: 'priority' }, prices: { input: 6, output: 30 } },
    { when: { resolution: '1080p' }, prices: { second: 0.12 } },
  ],
  source: 'https://provider.example/pricing',
  asOf: '2026-11',
};
const form: CardForm = toForm(full);
const problemOf = (change: Partial<CardForm>) => toCard({ ...form, ...change });

it('a card that is opened and saved stays as it is', () => {
  expect(toCard(form)).toEqual({ card: full });
  expect(form.prices.second).toBe('0.0000005');
});

it('a card with prices of many decimals can be saved', () => {
  const card = { prices: { input: 0.0684931506849315, cachedInput: 0.00000000012, output: 1 / 7 } };
  expect(toCard(toForm(card))).toEqual({ card });
});

it('an emptied price is no price, and an empty part is left out', () => {
  const { card } = toCard({
    ...form,
    prices: { input: '1', output: ' ' },
    tiers: [],
    variants: [],
    source: '',
    asOf: '',
  }) as {
    card: object;
  };
  expect(card).toEqual({ prices: { input: 1 } });
});

it.each([
  ['number', { prices: { input: 'one' } }],
  ['number', { variants: [{ when: { tier: 'flex' }, factor: 'x', prices: {} }] }],
  ['empty', { prices: {} }],
  ['threshold', { tiers: [{ above: '0', prices: {}, variants: [] }] }],
  [
    'rise',
    {
      tiers: [
        { above: '2', prices: {}, variants: [] },
        { above: '2', prices: {}, variants: [] },
      ],
    },
  ],
  ['cheaper', { tiers: [{ above: '2', prices: { input: '2.9' }, variants: [] }] }],
  ['date', { asOf: 'November' }],
] as const)('says what is wrong: %s', (problem, change) => {
  expect(problemOf(change)).toEqual({ problem });
});
