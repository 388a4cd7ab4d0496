import type { DraftState } from '../../settings/settingsDraft.js';

/** Settings that can be tried on past calls. */
const tried = [
  'ModelRatio',
  'ModelPrice',
  'CompletionRatio',
  'CacheRatio',
  'GroupRatio',
  'PriceCards',
  'ToolPrices',
] as const;

/** The unsaved changes of prices and group ratios. */
export const proposalOf = ({ edits }: Pick<DraftState, 'edits'>): { readonly key: string; readonly value: string }[] =>
  tried.flatMap((key) => {
    const value = edits.get(key);
    return value === undefined ? [] : [{ key, value }];
  });
