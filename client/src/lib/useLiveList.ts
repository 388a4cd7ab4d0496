import type { OperationVariables, TypedDocumentNode } from '@apollo/client';
import { useCallback, useState } from 'react';
import { useLive, type LiveState } from './useLive.js';
import { useThrottled } from './useThrottled.js';

export interface LiveList {
  readonly state: LiveState;
  readonly paused: boolean;
  readonly setPaused: (paused: boolean) => void;
}

interface Changed {
  readonly items: ReadonlyArray<{ readonly id: number }>;
  readonly missed: number;
}

/** Minimum interval between reloads of the list. */
const reloadMilliseconds = 3000;

/**
 * Updates the rows of a list while it is shown: changed rows go to the cache, where the list finds them by id. An
 * unknown row reloads the list.
 */
export function useLiveList<Data, Variables extends OperationVariables>(parts: {
  readonly document: TypedDocumentNode<Data, Variables>;
  readonly variables: Variables;
  readonly skip?: boolean;
  readonly changedOf: (data: Data) => Changed;
  readonly rows: ReadonlyArray<{ readonly id: number | string }> | undefined;
  /** Whether new rows appear on the current page, which is the first. */
  readonly takesNew: boolean;
  readonly reload: () => void;
}): LiveList {
  const [paused, setPaused] = useState(false);
  const { rows, takesNew, reload } = parts;
  const reloadSoon = useThrottled(reload, reloadMilliseconds);
  const state = useLive(parts.document, {
    variables: parts.variables,
    skip: parts.skip === true || paused,
    onData: (data) => {
      const { items, missed } = parts.changedOf(data);
      const isNew = takesNew && items.some(({ id }) => rows?.every((row) => row.id !== id));
      if (missed > 0 || isNew) reloadSoon();
    },
    onCatchUp: reloadSoon,
  });
  const pause = useCallback((next: boolean) => setPaused(next), []);
  return { state, paused, setPaused: pause };
}
