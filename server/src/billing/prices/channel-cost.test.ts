import { parseCostRule } from '../../shared/cost-rule.js';
import { noUsage, type Usage } from '../../shared/usage.js';
import { ChannelCost, costNotes, costOfUsage, usdOfCost } from './channel-cost.js';
import { componentsOf, pricedUsage } from './card-lines.js';
import { explainCost } from './explain-charge.js';

const usage: Usage = { ...noUsage, promptTokens: 1000, completionTokens: 500, cachedTokens: 400 };
const card = { prices: { input: 2, output: 8 } };

it('costs a card of the channel, else the list price times the factor', () => {
  const cost = new ChannelCost(parseCostRule({ factor: 0.8, cards: { 'my-*': card } }));
  expect(cost.find('my-model', 'my-model')).toEqual({ basis: 'card', name: 'my-*', card, factor: 1 });
  expect(cost.find('gpt-4o', 'gpt-4o')).toMatchObject({ basis: 'list', name: 'gpt-4o', factor: 0.8 });
  expect(cost.find('unheard-of', 'unheard-of')).toBeNull();
});

it('looks up the model that is called before the one that was requested', () => {
  const cost = new ChannelCost(parseCostRule({}));
  expect(cost.find('gpt-4o-mini', 'gpt-4o')?.name).toBe('gpt-4o-mini');
  expect(cost.find('deployment-7', 'gpt-4o')?.name).toBe('gpt-4o');
});

it('counts the quantities of the call once, and rounds to a billionth', () => {
  const own = new ChannelCost(parseCostRule({ cards: { m: card } })).find('m', 'm');
  if (!own) throw new Error('no price');
  // 600 fresh and 400 cached at 2, 500 at 8 USD per million.
  expect(costOfUsage(own, usage, null).usd).toBe(0.006);
  const list = new ChannelCost(parseCostRule({ factor: 0.333 })).find('gpt-4o', 'gpt-4o');
  if (!list) throw new Error('no price');
  // (600 x 2.5 + 400 x 1.25 + 500 x 10) / 1,000,000 = 0.007 USD.
  expect(costOfUsage(list, usage, null).usd).toBe(0.002331);
  expect(usdOfCost([['webSearch', 3, 0.01]], 0.5)).toBe(0.015);
});

it('stores lines of its own only where the charge has other ones, and explains both', () => {
  const list = new ChannelCost(parseCostRule({ factor: 0.5 })).find('gpt-4o', 'gpt-4o');
  if (!list) throw new Error('no price');
  const lines = componentsOf(list.card, pricedUsage(usage));
  const sale = { card: list.card, lines };
  const shared = costNotes(costOfUsage(list, usage, sale), sale);
  expect(shared).toEqual({ upstream_cost: 0.0035, cost_basis: 'list', cost_card: 'gpt-4o', cost_factor: 0.5 });
  const apart = costNotes(costOfUsage(list, usage, null), null);
  expect(apart.cost_lines).toEqual(lines);
  const text = [
    'Cost by list price gpt-4o: the sum of',
    '  600 input x 2.5 USD per million = 0.0015',
    '  400 cachedInput x 1.25 USD per million = 0.0005',
    '  500 output x 10 USD per million = 0.005',
    ' x factor 0.5 = 0.0035 USD',
  ].join('\n');
  expect(explainCost({ other: { admin_info: apart } })).toBe(text);
  expect(explainCost({ other: { components: lines, admin_info: shared } })).toBe(text);
  expect(explainCost({ other: { admin_info: { ...apart, upstream_cost: 1 } } })).toContain(
    'differs from the lines: 0.0035',
  );
  expect(explainCost({ other: { admin_info: { upstream_cost: 0.2 } } })).toBe(
    'Cost: 0.2 USD, as the provider reports it',
  );
  expect(explainCost({ other: {} })).toBeNull();
});

it.each([
  [{ factor: -1 }, 'factor: must not be negative'],
  [{ factor: 1e308 }, 'factor: is too large'],
  [{ factor: 'x' }, 'factor: must be a number'],
  [{ cards: { 'a*b': card } }, 'cards.a*b: must be a model name'],
  [{ cards: { a: { prices: { input: -1 } } } }, 'cards.a.prices.input: must not be negative'],
  [{ cards: { a: { prices: {} } } }, 'cards.a.prices: has no price'],
  [{ more: 1 }, 'Unrecognized key'],
  [[], 'cost'],
])('refuses %j', (rule, message) => {
  expect(() => parseCostRule(rule)).toThrow(message);
});
