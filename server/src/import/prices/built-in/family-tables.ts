import { defaultCompletionRatios, defaultModelPrices, defaultModelRatios } from '../../../options/default-tables.js';
import type { RatioGeneration } from '../generation.js';
import { completionRules, type Ruled } from '../completion-rules.js';
import { oneApiCompletionRatios, oneApiModelRatios } from './one-api-ratios.js';
import {
  newApiAddedCacheRatios,
  newApiAddedPrices,
  newApiAddedRatios,
  newApiAudioOutputRatios,
  newApiAudioRatios,
  newApiRemovedModels,
} from './new-api-tables.js';
import { tableOf } from './price-list.js';

export type Ratios = ReadonlyMap<string, number>;

/** The tables and rules of a program whose site has saved nothing. */
export interface FamilyTables {
  readonly modelRatios: Ratios;
  /** Fixed prices in USD per call. */
  readonly modelPrices: Ratios;
  readonly completionRatios: Ratios;
  readonly cacheRatios: Ratios;
  readonly imageRatios: Ratios;
  readonly audioRatios: Ratios;
  readonly audioOutputRatios: Ratios;
  readonly completionRule: (model: string) => Ruled;
}

const none: Ratios = new Map();

const earlyCacheRatios = tableOf([
  [
    0.5,
    'gpt-4 o1 o1-2024-12-17 o1-preview-2024-09-12 o1-preview o1-mini-2024-09-12 o1-mini o3-mini o3-mini-2025-01-31',
  ],
  [0.5, 'gpt-4o-2024-11-20 gpt-4o-2024-08-06 gpt-4o gpt-4o-mini-2024-07-18 gpt-4o-mini gpt-4o-realtime-preview'],
  [0.5, 'gpt-4o-mini-realtime-preview gpt-4.5-preview gpt-4.5-preview-2025-02-27'],
  [0.25, 'deepseek-chat deepseek-reasoner deepseek-coder'],
  [0.1, 'claude-3-sonnet-20240229 claude-3-opus-20240229 claude-3-haiku-20240307 claude-3-5-haiku-20241022'],
  [0.1, 'claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022 claude-3-7-sonnet-20250219'],
  [0.1, 'claude-3-7-sonnet-20250219-thinking claude-sonnet-4-20250514 claude-sonnet-4-20250514-thinking'],
  [0.1, 'claude-opus-4-20250514 claude-opus-4-20250514-thinking'],
]);

/** Veloera's tables equal those built in here, except for two models whose ratio it computes as 0. */
const early: FamilyTables = {
  modelRatios: new Map([
    ...Object.entries(defaultModelRatios),
    ['llama-3-sonar-large-32k-chat', 0],
    ['llama-3-sonar-large-32k-online', 0],
  ]),
  modelPrices: new Map(Object.entries(defaultModelPrices)),
  completionRatios: new Map(Object.entries(defaultCompletionRatios)),
  cacheRatios: earlyCacheRatios,
  imageRatios: none,
  audioRatios: none,
  audioOutputRatios: none,
  completionRule: completionRules.early,
};

const current: FamilyTables = {
  modelRatios: new Map([
    ...[...early.modelRatios].filter(([model]) => !newApiRemovedModels.has(model)),
    ...newApiAddedRatios,
  ]),
  modelPrices: new Map([...early.modelPrices, ...newApiAddedPrices]),
  completionRatios: new Map([...early.completionRatios, ['gpt-image-1', 8]]),
  cacheRatios: new Map([...earlyCacheRatios, ...newApiAddedCacheRatios]),
  imageRatios: new Map([['gpt-image-1', 2]]),
  audioRatios: newApiAudioRatios,
  audioOutputRatios: newApiAudioOutputRatios,
  completionRule: completionRules.current,
};

const oneApi: FamilyTables = {
  modelRatios: oneApiModelRatios,
  modelPrices: none,
  completionRatios: oneApiCompletionRatios,
  cacheRatios: none,
  imageRatios: none,
  audioRatios: none,
  audioOutputRatios: none,
  completionRule: completionRules.oneApi,
};

export const familyTables: Readonly<Record<RatioGeneration, FamilyTables>> = {
  'one-api': oneApi,
  veloera: early,
  'new-api 2025': early,
  'new-api 2026': current,
};
