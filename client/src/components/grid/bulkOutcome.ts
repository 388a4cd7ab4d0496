import type { TFunction } from 'i18next';
import { describeFailure, describeRefusal } from '../../lib/errors.js';
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

/** Rows that the server changes in one request. A selection may reach over several pages. */
const maxAtOnce = 100;

/**
 * Changes many rows, a hundred at a time.
 *
 * @param onProgress with the number of rows that the server has handled; null at the end
 * @returns the joined outcome. After an error in between, the rest of the rows failed with it.
 * @throws the server's error if nothing was changed
 */
export async function changeMany(
  ids: readonly number[],
  change: (part: number[]) => Promise<BulkOutcome | undefined>,
  t: TFunction,
  onProgress: (done: number | null) => void,
): Promise<BulkOutcome> {
  const done: number[] = [];
  const failed: Failure[] = [];
  for (let at = 0; at < ids.length; at += maxAtOnce) {
    if (ids.length > maxAtOnce) onProgress(at);
    try {
      const outcome = await change(ids.slice(at, at + maxAtOnce));
      done.push(...(outcome?.done ?? []));
      failed.push(...(outcome?.failed ?? []));
    } catch (error) {
      onProgress(null);
      if (at === 0) throw error;
      const message = describeFailure(error, t);
      failed.push(...ids.slice(at).map((id) => ({ id, code: 'NOT_CHANGED', message })));
      break;
    }
  }
  onProgress(null);
  return { done, failed };
}

/**
 * Shows the outcome of a bulk action, with the reason of a refusal in the reader's language.
 *
 * @param texts the message when every row was changed, and the one that names the first row that was not
 * @returns ids of the rows that were not changed, to keep them selected. Rows that no longer exist are not among them.
 */
export function showOutcome(
  { done, failed }: BulkOutcome = { done: [], failed: [] },
  t: TFunction,
  texts: {
    readonly done: (count: number) => string;
    readonly refused: (counts: { done: number; count: number; id: number; reason: string }) => string;
  },
): readonly number[] {
  const [first] = failed;
  if (first) {
    const reason = describeRefusal(first, t);
    toast.error(texts.refused({ done: done.length, count: failed.length, id: first.id, reason }));
  } else toast.success(texts.done(done.length));
  return failed.filter(({ code }) => code !== 'NOT_FOUND').map(({ id }) => id);
}
