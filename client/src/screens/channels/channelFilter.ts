import { listVariablesOf, type GridSort, type GridState } from '../../lib/gridState.js';
import { readText } from '../../lib/storage.js';
import type { ChannelSortField } from './channels.generated.js';

export type ChannelFilters = Record<'keyword' | 'model' | 'group', string>;

export const noChannelFilters: ChannelFilters = { keyword: '', model: '', group: '' };

export const sortByIdKey = 'id-sort';
export const byId: GridSort = { field: 'id', direction: 'DESC' };
export const isSortedById = (): boolean => readText(sortByIdKey) === 'true';

/** Query variables. Empty filters are left out: the server filters by every field that is present. */
export function channelVariables(grid: GridState<ChannelFilters>) {
  const { keyword, model, group } = grid.filter;
  const filter = {
    ...(keyword ? { keyword } : {}),
    ...(model ? { models: [model] } : {}),
    ...(group ? { groups: [group] } : {}),
  };
  return { ...listVariablesOf<ChannelSortField>(grid), filter };
}
