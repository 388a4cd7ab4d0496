import { skipToken, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { useMay } from '../../lib/permissions.js';
import { useStatus } from '../../lib/status.js';
import type { FilterChoice } from '../../components/grid/filterField.js';
import {
  LogFacetDocument,
  LogTypeFacetDocument,
  MyLogFacetDocument,
  type LogFacetQuery,
  type LogFilter,
  type LogType,
  type UsageDimension,
  type UsageFilter,
} from '../../nouns/logs/logs.generated.js';
import { toLogFilter, type LogFilters } from './logFilter.js';

const dimensions = {
  modelName: 'MODEL',
  username: 'USER',
  channelId: 'CHANNEL',
  tokenName: 'TOKEN',
  group: 'GROUP',
} as const satisfies Partial<Record<keyof LogFilters, UsageDimension>>;
type Dimension = keyof typeof dimensions;
const isDimension = (name: string): name is Dimension => Object.hasOwn(dimensions, name);

/** Types with rows of their own in the list. */
export const countedTypes = ['CONSUME', 'ERROR', 'TOP_UP', 'MANAGE', 'SYSTEM', 'CHECK_IN', 'TEST'] as const;

/** A field that was opened, with the question that its values answer. */
interface Facet {
  readonly name: string;
  readonly filter: LogFilter;
}

type Row = LogFacetQuery['usage']['items'][number];

/**
 * The values of a field within the other filters, with their number of calls. They load when the field is opened, so that the
 * list does not wait for them.
 */
export function useLogFacets(filters: LogFilters, isAdmin: boolean) {
  const { quotaPerUnit } = useStatus();
  const readsUsage = useMay('USAGE_READ');
  const [facet, setFacet] = useState<Facet | null>(null);
  const dimension = facet && isDimension(facet.name) ? facet.name : null;
  const variables = facet && dimension && { ...usageQuestion(facet.filter, dimension), by: dimensions[dimension] };
  const all = useQuery(LogFacetDocument, variables && isAdmin && readsUsage ? { variables } : skipToken);
  const own = useQuery(MyLogFacetDocument, variables && !isAdmin ? { variables } : skipToken);
  const types = useQuery(
    LogTypeFacetDocument,
    // A count that was refused leaves the others.
    facet?.name === 'type' && isAdmin ? { variables: typeQuestion(facet.filter), errorPolicy: 'all' } : skipToken,
  );
  const rows: ReadonlyArray<Pick<Row, 'metrics'> & { readonly key: Partial<Row['key']> }> | undefined =
    all.data?.usage.items ?? own.data?.myUsage.items;
  return {
    open: (name: string): void =>
      setFacet({ name, filter: toLogFilter({ ...filters, [name]: '' }, { isAdmin, quotaPerUnit }) }),
    isLoading: all.loading || own.loading || types.loading,
    choicesOf: (name: Dimension): readonly FilterChoice[] | undefined =>
      name === dimension && rows ? choicesOf(rows, name, facet?.filter.types?.[0]) : undefined,
    countOf: (type: (typeof countedTypes)[number]): Pick<FilterChoice, 'count' | 'isCapped'> => {
      const rows = types.data?.[type];
      return rows ? { count: rows.totalCount, isCapped: rows.totalCapped } : {};
    },
  };
}

/** The usage of the same calls. Costs, request ids, names of keys and patterns of models are in the log only. */
function usageQuestion({ at, models, groups, channelIds, username }: LogFilter, of: Dimension) {
  const filter: UsageFilter = {
    ...(models && of !== 'modelName' && !models.some((model) => model.includes('*')) ? { models } : {}),
    ...(groups && of !== 'group' ? { groups } : {}),
    ...(channelIds && of !== 'channelId' ? { channelIds } : {}),
    ...(username && of !== 'username' ? { usernames: [username] } : {}),
  };
  return { range: at ?? null, filter };
}

function typeQuestion(filter: LogFilter) {
  const of = (type: LogType): LogFilter => ({ ...filter, types: [type] });
  return {
    consume: of('CONSUME'),
    error: of('ERROR'),
    topUp: of('TOP_UP'),
    manage: of('MANAGE'),
    system: of('SYSTEM'),
    checkIn: of('CHECK_IN'),
    test: of('TEST'),
  };
}

/** Keys of one name are one value. */
function choicesOf(
  rows: ReadonlyArray<Pick<Row, 'metrics'> & { readonly key: Partial<Row['key']> }>,
  name: Dimension,
  type: LogType | undefined,
): FilterChoice[] {
  const choices = new Map<string, FilterChoice>();
  for (const { key, metrics } of rows) {
    const value = key[name];
    if (value === null || value === undefined || value === '' || value === 0) continue;
    const text = String(value);
    const count = (type === 'ERROR' ? metrics.failedCalls : metrics.calls) + (choices.get(text)?.count ?? 0);
    const label = name === 'channelId' ? `#${text} ${key.channelName ?? ''}`.trim() : text;
    if (count > 0) choices.set(text, { value: text, label, count });
  }
  return [...choices.values()].sort((one, two) => (two.count ?? 0) - (one.count ?? 0));
}
