import { Findings } from '../findings.js';
import { Fields } from '../source/fields.js';
import type { MapContext } from './mapped.js';
import { mapOption } from './options.js';

it.each([
  ['new-api 2026', []],
  // That version knew no such option, so nothing compared it.
  ['new-api 2025', ['price-keys']],
] as const)('fees of tools that cost the same here need no decision when they are of %s', (generation, needed) => {
  const findings = new Findings();
  const decided: string[] = [];
  jest.spyOn(findings, 'addDecision').mockImplementation((_decisions, code) => void decided.push(code));
  const context = { findings, options: new Map(), prices: { generation, options: new Map() } } as unknown as MapContext;
  const row = new Fields({ key: 'tool_price_setting.prices', value: '{"web_search":10}' });
  expect(mapOption(row, context)).toEqual([]);
  expect(decided).toEqual(needed);
});
