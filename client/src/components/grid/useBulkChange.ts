import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { changeMany, showOutcome, type BulkOutcome } from './bulkOutcome.js';

export interface BulkChangeProps {
  readonly ids: readonly number[];
  /** Called with the ids of the rows that stay selected, because the server did not change them. */
  readonly onDone: (kept: readonly number[]) => void;
  /** Called when a change starts and when it ends. Meanwhile, the selection must not be cleared. */
  readonly onRunning?: (isRunning: boolean) => void;
}

type Texts = Parameters<typeof showOutcome>[2];

interface RunOptions {
  /** The message when every row was changed, where the change has its own. */
  readonly text?: Texts['done'];
  /** Whether changed rows stay selected for the next change, unless some were not changed. */
  readonly keepsDone?: boolean;
}

/**
 * Changes the selected rows and shows the outcome.
 *
 * @returns `hold` keeps the selection as it is during other work. `done` is the number of rows that the server has handled
 *   of many; null if there are few
 */
export function useBulkChange({ ids, onDone, onRunning }: BulkChangeProps, texts: Texts) {
  const { t } = useTranslation();
  const [isRunning, setRunning] = useState(false);
  const [done, setDone] = useState<number | null>(null);
  const announce = (next: boolean): void => {
    setRunning(next);
    onRunning?.(next);
  };
  const hold = async <T>(work: () => Promise<T>): Promise<T> => {
    announce(true);
    try {
      return await work();
    } finally {
      announce(false);
    }
  };
  const run = (
    change: (part: number[]) => Promise<BulkOutcome | undefined>,
    { text = texts.done, keepsDone = false }: RunOptions = {},
  ): Promise<void> =>
    hold(async () => {
      const outcome = await changeMany(ids, change, t, setDone);
      const refused = showOutcome(outcome, t, { ...texts, done: text });
      onDone(keepsDone && outcome.failed.length === 0 ? outcome.done : refused);
    });
  return { run, hold, isRunning, done };
}
