import { lossesByModel, newLosses, paidOf, type Loss } from './belowCost.js';

const loss: Loss = {
  channelId: 1,
  channelName: 'c',
  modelName: 'gpt-5',
  groups: ['vip'],
  quantity: 'output',
  above: 0,
  price: 8,
  cost: 10,
};

it('asks about losses that are new, larger, or meet more groups, and about no others', () => {
  expect(newLosses([loss], [loss])).toEqual([]);
  expect(newLosses([loss], [{ ...loss, price: 9 }])).toEqual([]);
  for (const worse of [
    { ...loss, price: 7 },
    { ...loss, cost: 11 },
    { ...loss, groups: ['vip', 'default'] },
    { ...loss, modelName: 'gpt-6' },
    { ...loss, channelId: 2 },
  ]) {
    expect(newLosses([loss], [worse])).toEqual([worse]);
  }
});

it('shows a model once for all its channels and rules, with the largest loss, and the largest of all first', () => {
  const other = { ...loss, channelId: 2, channelName: 'd', price: 6 };
  const tool = { ...loss, quantity: 'webSearch', price: 0, cost: 0.025 };
  const long = { ...loss, above: 200_000, price: 9 };
  const cheap = { ...loss, modelName: 'gpt-6', price: 5 };
  expect(lossesByModel([loss, other, { ...loss, channelId: 3 }, long, cheap])).toEqual([
    { loss: cheap, channels: 1, others: [] },
    { loss: other, channels: 3, others: [] },
  ]);
  expect(lossesByModel([loss, other, tool])).toEqual([{ loss: tool, channels: 2, others: ['output'] }]);
});

it('states what the group pays that pays least, before and after', () => {
  expect(paidOf({ ...loss, groupRatio: 0.7, savedPrice: 8, savedGroupRatio: 1 })).toEqual({ before: 8, after: 5.6 });
  expect(paidOf(loss)).toEqual({ before: null, after: 8 });
});
