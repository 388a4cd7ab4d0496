import type { CreativeTask, CreativeTaskStore } from '../../console/tasks/index.js';
import type { Reservation } from '../../billing/ledger/index.js';
import type { ObjectApi } from '../../dialects/contract.js';
import { asFields, type Fields } from '../../dialects/neutral/fields.js';
import type { BatchTerms } from '../../gateway/settle/batch-bill.js';
import { jsonValue } from '../tasks/field.js';

/** The facts of a batch that its row stores besides the columns of a task. */
export interface StoredBatch extends BatchTerms {
  readonly api: ObjectApi;
  readonly lines: number;
  /** The estimated prompt of a line, for results without a report of usage. */
  readonly meanPrompt: number;
  /** The subscription that pays. Absent when the balance does. */
  readonly subscriptionId?: number | undefined;
}

/** The most bytes of a description of a batch. */
const maxShown = 100_000;

/** Returns a description as it is stored. A list of errors, which may have one for each line, is left out if it is too long. */
export const toStored = (shown: Fields): unknown =>
  jsonValue(shown, maxShown) ?? jsonValue({ ...shown, errors: { ...asFields(shown['errors']), data: [] } }, maxShown);

export const storedBatch = ({ properties }: CreativeTask): StoredBatch => properties.terms as StoredBatch;

export const shownBatch = ({ data }: Pick<CreativeTask, 'data'>): Fields => asFields(data) ?? {};

/** Returns the reservation of a batch, which is kept until the batch ends. */
export function reservationOf(row: CreativeTask): Reservation {
  const { reserved, subscriptionId } = storedBatch(row);
  return {
    requestId: row.requestId,
    userId: row.userId,
    tokenId: row.tokenId,
    amount: reserved,
    priced: reserved > 0,
    durable: true,
    reservedAt: row.submitTime.getTime(),
    ...(subscriptionId === undefined ? {} : { subscriptionId }),
  };
}

export type BatchStore = Pick<CreativeTaskStore, 'own' | 'ownPage' | 'unfinished' | 'deletedUsers' | 'hide'>;
