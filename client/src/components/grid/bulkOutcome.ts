import { toast } from '../toast.js';

interface Failure {
  readonly id: number;
  readonly code: string;
  readonly message: string;
}

/** The part of a bulk mutation's payload that is shown. */
export interface BulkOutcome {
  readonly done: readonly number[];
  readonly failed: readonly Failure[];
}

/**
 * Shows the outcome of a bulk action.
 *
 * @param texts the message when every row was changed, and the one that names the first row that was not
 * @returns ids of the rows that were not changed, to keep them selected. Rows that no longer exist are not among them.
 */
export function showOutcome(
  { done, failed }: BulkOutcome = { done: [], failed: [] },
  texts: {
    readonly done: (count: number) => string;
    readonly refused: (counts: { done: number; count: number; id: number; reason: string }) => string;
  },
): readonly number[] {
  const [first] = failed;
  if (first)
    toast.error(texts.refused({ done: done.length, count: failed.length, id: first.id, reason: first.message }));
  else toast.success(texts.done(done.length));
  return failed.filter(({ code }) => code !== 'NOT_FOUND').map(({ id }) => id);
}
