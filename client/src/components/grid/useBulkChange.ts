import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { changeMany, showOutcome, type BulkOutcome } from './bulkOutcome.js';

export interface BulkChangeProps {
  readonly ids: readonly number[];
  /** With the ids of the rows that the server did not change. */
  readonly onDone: (refused: readonly number[]) => void;
  /** Called when a change starts and when it ends. Meanwhile, the selection must not be cleared. */
  readonly onRunning?: (isRunning: boolean) => void;
}

/**
 * Changes the selected rows and shows the outcome.
 *
 * @returns `done` is the number of rows that the server has handled of many; null if there are few
 */
export function useBulkChange({ ids, onDone, onRunning }: BulkChangeProps, texts: Parameters<typeof showOutcome>[2]) {
  const { t } = useTranslation();
  const [isRunning, setRunning] = useState(false);
  const [done, setDone] = useState<number | null>(null);
  const announce = (next: boolean): void => {
    setRunning(next);
    onRunning?.(next);
  };
  const run = async (change: (part: number[]) => Promise<BulkOutcome | undefined>): Promise<void> => {
    announce(true);
    try {
      onDone(showOutcome(await changeMany(ids, change, t, setDone), t, texts));
    } finally {
      announce(false);
    }
  };
  return { run, isRunning, done };
}
