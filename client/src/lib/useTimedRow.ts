import { useCallback } from 'react';
import { useUrlParams } from './useUrlParams.js';

interface TimedRow {
  /** Id in the URL; null: no row is open. */
  readonly opened: string | null;
  /** The second in which the row was written; null where the URL has none. */
  readonly second: { readonly from: string; readonly until: string } | null;
  /** @param time ISO time of the row */
  readonly open: (id: string | null, time: string | null) => void;
}

/**
 * The opened row of a list that grows at its beginning, kept in the URL with its time. The row may have moved to
 * another page since, and is then found by its second.
 */
export function useTimedRow(): TimedRow {
  const [params, change] = useUrlParams();
  const open = useCallback(
    (id: string | null, time: string | null) =>
      change({ row: id, rowAt: id === null || time === null ? null : String(Math.floor(Date.parse(time) / 1000)) }),
    [change],
  );
  const at = params.get('rowAt') ?? '';
  const second = /^\d{1,11}$/.test(at)
    ? { from: new Date(Number(at) * 1000).toISOString(), until: new Date((Number(at) + 1) * 1000).toISOString() }
    : null;
  return { opened: params.get('row'), second, open };
}

/** The rows that are read to find one in its second: the maximum page size. */
export const rowsOfSecond = { page: 0, pageSize: 100 };
