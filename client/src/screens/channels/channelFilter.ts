import { listVariablesOf, type GridSort, type GridState, type SortOf } from '../../lib/gridState.js';
import { readText } from '../../lib/storage.js';
import type {
  ChannelFilter,
  ChannelSortField,
  ChannelStatus,
  LastChannelTest,
  Provider,
} from './channels.generated.js';

export type ChannelFilters = Record<'keyword' | 'model' | 'group' | 'status' | 'type' | 'tag' | 'test', string>;

export const noChannelFilters: ChannelFilters = {
  keyword: '',
  model: '',
  group: '',
  status: '',
  type: '',
  tag: '',
  test: '',
};

/** Values that the URL may have; others are ignored. */
export const channelFilterPatterns = {
  status: /^(ENABLED|DISABLED|AUTO_DISABLED)$/,
  test: /^(PASSED|FAILED|NONE)$/,
  type: /^[A-Z][A-Z0-9_]*$/,
};

export const channelSorts = [
  'id',
  'name',
  'type',
  'tag',
  'status',
  'responseTime',
  'usedQuota',
  'balance',
  'priority',
  'weight',
] satisfies SortOf<ChannelSortField>[];

export const sortByIdKey = 'id-sort';
export const byId: GridSort = { field: 'id', direction: 'DESC' };
export const isSortedById = (): boolean => readText(sortByIdKey) === 'true';

/** Query variables. Empty filters are left out: the server filters by every field that is present. */
export function channelVariables(grid: GridState<ChannelFilters>) {
  const { keyword, model, group, status, type, tag, test } = grid.filter;
  const filter: ChannelFilter = {
    ...(keyword ? { keyword } : {}),
    ...(model ? { models: [model] } : {}),
    ...(group ? { groups: [group] } : {}),
    ...(status ? { statuses: [status as ChannelStatus] } : {}),
    ...(type ? { types: [type as Provider] } : {}),
    ...(tag ? { tags: [tag] } : {}),
    ...(test ? { lastTests: [test as LastChannelTest] } : {}),
  };
  return { ...listVariablesOf<ChannelSortField>(grid), filter };
}
