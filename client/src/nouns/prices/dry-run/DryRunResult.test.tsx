import { changeText } from './DryRunResult.js';
import { proposalOf } from './proposal.js';

it('states a change in percent, with its sign, and none where there was nothing', () => {
  expect(changeText(2, 2.25)).toBe('+12.5%');
  expect(changeText(2, 1)).toBe('-50.0%');
  // A loss that becomes smaller is an increase.
  expect(changeText(-2, -1)).toBe('+50.0%');
  expect(changeText(0, 1)).toBe('');
});

it('proposes the unsaved prices and group ratios, and nothing else', () => {
  const edits = new Map([
    ['GroupRatio', '{"vip":0.8}'],
    ['SystemName', 'x'],
    ['PriceCards', '{}'],
    ['ToolPrices', '{"webSearch":0.01}'],
  ]);
  expect(proposalOf({ edits })).toEqual([
    { key: 'GroupRatio', value: '{"vip":0.8}' },
    { key: 'PriceCards', value: '{}' },
    { key: 'ToolPrices', value: '{"webSearch":0.01}' },
  ]);
});
