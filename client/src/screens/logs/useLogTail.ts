import { useCallback, useMemo, useRef, useState } from 'react';
import { useLive, type LiveState } from '../../lib/useLive.js';
import { useStatus } from '../../lib/status.js';
import { useThrottled } from '../../lib/useThrottled.js';
import { toLogFilter, type LogFilters } from './logFilter.js';
import { LogCreatedDocument, MyLogCreatedDocument, type LogFilter } from './logs.generated.js';

export interface LogTail {
  /** False while the filter has an end time, so that no new row matches. */
  readonly follows: boolean;
  readonly state: LiveState;
  readonly paused: boolean;
  readonly setPaused: (paused: boolean) => void;
  /** Number of new rows not shown yet. */
  readonly fresh: number;
  /** Resets the counter when the list is reloaded. */
  readonly clear: () => void;
}

/** Minimum interval between reloads of the list. */
const refreshMilliseconds = 2000;
const scrolled = 40;

const isAtTop = (): boolean => scrollY < scrolled && document.querySelector('[role=dialog]') === null;

/**
 * New rows under the list's filter. They are shown at once while the list is at the top of its first page. Otherwise, or
 * while a row is open or updates are paused, they are counted.
 */
export function useLogTail(parts: {
  readonly filters: LogFilters;
  readonly page: number;
  readonly isAdmin: boolean;
  readonly refresh: () => void;
}): LogTail {
  const { filters, page, isAdmin, refresh } = parts;
  const { quotaPerUnit } = useStatus();
  const [paused, setPaused] = useState(false);
  const [fresh, setFresh] = useState(0);
  const follows = filters.to === '';
  const filter = useMemo<LogFilter>(() => {
    const { at: _at, ...fields } = toLogFilter(filters, { isAdmin, quotaPerUnit }, new Date());
    return fields;
  }, [filters, isAdmin, quotaPerUnit]);

  const clear = useCallback(() => setFresh(0), []);
  const moves = !paused && page === 0;
  // Counted but not shown: the reload is already scheduled.
  const soon = useRef(0);
  const refreshSoon = useThrottled(() => {
    const count = soon.current;
    soon.current = 0;
    if (moves && isAtTop()) {
      clear();
      refresh();
    } else if (count > 0) setFresh((before) => before + count);
  }, refreshMilliseconds);
  const came = (count: number): void => {
    if (moves && isAtTop()) {
      soon.current += count;
      refreshSoon();
    } else setFresh((before) => before + count);
  };
  const options = { variables: { filter }, cached: false, onCatchUp: refreshSoon };
  const all = useLive(LogCreatedDocument, {
    ...options,
    skip: !isAdmin || !follows,
    onData: ({ logCreated: { items, missed } }) => came(items.length + missed),
  });
  const own = useLive(MyLogCreatedDocument, {
    ...options,
    skip: isAdmin || !follows,
    onData: ({ myLogCreated: { items, missed } }) => came(items.length + missed),
  });
  const resume = useCallback(
    (next: boolean) => {
      setPaused(next);
      if (next) return;
      clear();
      refresh();
    },
    [clear, refresh],
  );
  return { follows, state: isAdmin ? all : own, paused, setPaused: resume, fresh, clear };
}
