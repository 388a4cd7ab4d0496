import { sliceOfList, type ListQuery, type Slice } from '../../../shared/page.js';
import { type PriceDiffKind, priceDiffKinds, type PriceDiffLine } from '../../../billing/prices/index.js';

export interface DiffFilter {
  readonly kinds?: readonly PriceDiffKind[] | null;
  readonly keyword?: string | null;
  readonly isServed?: boolean | null;
}

/**
 * Returns a page of the lines that match a filter. Models are the names of all matches; counts ignore the filter by
 * kind.
 * @throws AppError INVALID_INPUT for an unknown cursor
 */
export function sliceOf(
  lines: readonly PriceDiffLine[],
  filter: DiffFilter,
  query: ListQuery,
): {
  readonly slice: Slice<PriceDiffLine>;
  readonly counts: ReadonlyArray<{ readonly kind: PriceDiffKind; readonly count: number }>;
  readonly models: readonly string[];
} {
  const keyword = filter.keyword?.trim().toLowerCase() ?? '';
  const shown = lines.filter(
    ({ model, isServed }) => model.toLowerCase().includes(keyword) && (filter.isServed ?? isServed) === isServed,
  );
  const found = shown.filter(({ kind }) => !filter.kinds || filter.kinds.includes(kind));
  const slice = sliceOfList(found, query, ({ model }) => model);
  const counts = priceDiffKinds.map((kind) => ({ kind, count: shown.filter((line) => line.kind === kind).length }));
  return { slice, counts, models: found.map(({ model }) => model) };
}
