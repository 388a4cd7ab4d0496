import { flag, json, lines, number, type JsonSetting, type Setting } from './settingKinds.js';

/** The areas of the price editor, in the order it shows them. */
export const priceSettings: readonly JsonSetting[] = [
  json('ModelPrice', 'modelPrice', '{ "mj_imagine": 0.1 }'),
  json('ModelRatio', 'modelRatio', '{ "gpt-4o": 1.25 }'),
  json('CacheRatio', 'cacheRatio', '{ "gpt-4o": 0.5 }'),
  json('CompletionRatio', 'completionRatio', '{ "gpt-4o": 4 }'),
  json('PriceCards', 'priceCards', '{ "my-model": { "prices": { "input": 3, "output": 15 } } }'),
];

/** Keys of all settings that decide how much a call costs: those of the server's `priceOptions`. */
export const priceKeys: readonly string[] = [
  ...priceSettings.map(({ key }) => key),
  ...['QuotaPerUnit', 'GroupRatio', 'UserUsableGroups', 'ToolPrices', 'UnpricedTools'],
];

/** The schedule of price sync. */
export const priceSyncSettings: readonly Setting[] = [
  lines('PriceSyncSources', 'priceSyncSources'),
  number('PriceSyncHours', 'priceSyncHours', { maximum: 8760, unit: 'hours' }),
  number('PriceSyncThreshold', 'priceSyncThreshold', { decimal: true, maximum: 1000, unit: 'percent' }),
  number('PriceSyncMarkup', 'priceSyncMarkup', { decimal: true, minimum: 0.000001, maximum: 100 }),
  flag('PriceSyncApply', 'priceSyncApply'),
];
