import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLive, type LiveState } from '../../lib/useLive.js';
import { useStatus } from '../../lib/status.js';
import { useThrottled } from '../../lib/useThrottled.js';
import { toLogFilter, type LogFilters } from './logFilter.js';
import { LogCreatedDocument, MyLogCreatedDocument, type LogFilter } from '../../nouns/logs/logs.generated.js';

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

/** Rows that arrived, and the number of those whose ids were not delivered or not kept. */
interface Arrived {
  readonly ids: readonly string[];
  readonly more: number;
}

const none: Arrived = { ids: [], more: 0 };
/** Ids kept of rows that are not shown. Older ones are in no page that is loaded later. */
const maxIds = 1000;

const isAtTop = (): boolean => scrollY < scrolled && document.querySelector('[role=dialog]') === null;

/**
 * New rows under the list's filter. They are shown at once while the list is at the top of its first page. Otherwise, or
 * while a row is open or updates are paused, they are counted.
 */
export function useLogTail(parts: {
  readonly filters: LogFilters;
  readonly page: number;
  readonly isAdmin: boolean;
  /** Ids of the rows in the list. A reload may show a row before it arrives here. */
  readonly listed: readonly string[];
  readonly refresh: () => void;
}): LogTail {
  const { filters, page, isAdmin, listed, refresh } = parts;
  const { quotaPerUnit } = useStatus();
  const [paused, setPaused] = useState(false);
  const [arrived, setArrived] = useState(none);
  const follows = filters.to === '';
  const filter = useMemo<LogFilter>(() => {
    const { at: _at, ...fields } = toLogFilter(filters, { isAdmin, quotaPerUnit });
    return fields;
  }, [filters, isAdmin, quotaPerUnit]);

  const clear = useCallback(() => setArrived(none), []);
  useEffect(clear, [clear, filter]);
  const moves = !paused && page === 0;
  // Rows that are not counted yet, because a reload is already scheduled.
  const soon = useRef(none);
  const count = (next: Arrived): void => setArrived((before) => join(before, next));
  const refreshSoon = useThrottled(() => {
    const next = soon.current;
    soon.current = none;
    if (moves && isAtTop()) {
      clear();
      refresh();
    } else count(next);
  }, refreshMilliseconds);
  const came = (items: ReadonlyArray<{ readonly id: number | string }>, missed: number): void => {
    const next = { ids: items.map(({ id }) => String(id)), more: missed };
    if (moves && isAtTop()) {
      soon.current = join(soon.current, next);
      refreshSoon();
    } else count(next);
  };
  const options = { variables: { filter }, cached: false, onCatchUp: refreshSoon };
  const all = useLive(LogCreatedDocument, {
    ...options,
    skip: !isAdmin || !follows,
    onData: ({ logCreated: { items, missed } }) => came(items, missed),
  });
  const own = useLive(MyLogCreatedDocument, {
    ...options,
    skip: isAdmin || !follows,
    onData: ({ myLogCreated: { items, missed } }) => came(items, missed),
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
  const fresh = useMemo(() => {
    const shown = new Set(listed);
    return arrived.ids.filter((id) => !shown.has(id)).length + arrived.more;
  }, [arrived, listed]);
  return { follows, state: isAdmin ? all : own, paused, setPaused: resume, fresh, clear };
}

function join(before: Arrived, next: Arrived): Arrived {
  const ids = [...before.ids, ...next.ids];
  const dropped = Math.max(0, ids.length - maxIds);
  return { ids: ids.slice(dropped), more: before.more + next.more + dropped };
}
