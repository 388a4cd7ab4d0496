import type { CreativeTask, CreativeTaskStore } from '../../console/tasks/index.js';
import type { Reservation } from '../../billing/ledger/index.js';
import type { ObjectApi } from '../../dialects/contract.js';
import { asFields, type Fields } from '../../dialects/neutral/fields.js';
import type { BatchTerms } from '../../gateway/settle/batch-bill.js';

/** The facts of a batch that its row stores besides the columns of a task. */
export interface StoredBatch extends BatchTerms {
  readonly api: ObjectApi;
  readonly lines: number;
  /** The estimated prompt of a line, for results without a report of usage. */
  readonly meanPrompt: number;
}

/** The most bytes of a description of a batch. */
export const maxShown = 100_000;

export const storedBatch = ({ properties }: CreativeTask): StoredBatch => properties.terms as StoredBatch;

export const shownBatch = ({ data }: Pick<CreativeTask, 'data'>): Fields => asFields(data) ?? {};

/** Returns the reservation of a batch, which is kept until the batch ends. */
export const reservationOf = (row: CreativeTask): Reservation => ({
  requestId: row.requestId,
  userId: row.userId,
  tokenId: row.tokenId,
  amount: storedBatch(row).reserved,
  priced: storedBatch(row).reserved > 0,
  durable: true,
  reservedAt: row.submitTime.getTime(),
});

export type BatchStore = Pick<CreativeTaskStore, 'own' | 'ownPage' | 'unfinished' | 'deletedUsers' | 'hide'>;
