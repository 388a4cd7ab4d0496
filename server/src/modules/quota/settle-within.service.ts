import { AppError } from '../../shared/errors.js';
import { isQuota } from '../../shared/quota.js';
import { toSettleLine } from './ledger-lines.js';
import type { Charge, Reservation, Transaction } from './ledger.service.js';

/**
 * Charges a reservation inside the caller's transaction, for charges that stand or fall with another row. Afterwards the
 * ledger has to be told to `release` the reservation: a settled one has nothing to give back, and one whose transaction
 * was rolled back has all of it.
 * @param settledAt Unix seconds
 * @param reservation one that was made `durable`
 * @returns false when the reservation is gone, settled before or given back
 */
export async function settleWithin(
  transaction: Transaction,
  reservation: Reservation,
  charge: Charge,
  settledAt: number,
): Promise<boolean> {
  if (!isQuota(charge.quota) || charge.quota < 0) {
    throw new AppError('INTERNAL_ERROR', `not an amount to charge: ${charge.quota}`);
  }
  const line = toSettleLine(reservation, charge, settledAt);
  const rows = (await transaction.query('SELECT out_user FROM ledger_settle($1::json) WHERE out_user IS NOT NULL', [
    `[${line.json}]`,
  ])) as unknown[];
  return rows.length > 0;
}
