import { AppError } from '../../shared/errors.js';
import { isQuota } from '../../shared/quota.js';
import { toSettleLine } from './ledger-lines.js';
import type { Charge, Reservation, Settled, Transaction } from './ledger.service.js';

/**
 * Charges a reservation inside the caller's transaction, for charges that stand or fall with another row. Afterwards the
 * ledger has to be told to `release` the reservation: a settled one has nothing to give back, and one whose transaction
 * was rolled back has all of it.
 * @param settledAt Unix seconds
 * @param reservation one that was made `durable`
 * @returns null when the reservation is gone, settled before or given back
 */
export async function settleWithin(
  transaction: Transaction,
  reservation: Reservation,
  charge: Charge,
  settledAt: number,
): Promise<Settled | null> {
  if (!isQuota(charge.quota) || charge.quota < 0) {
    throw new AppError('INTERNAL_ERROR', `not an amount to charge: ${charge.quota}`);
  }
  const line = toSettleLine(reservation, charge, settledAt);
  const rows = (await transaction.query(
    'SELECT user_quota FROM ledger_settle_calls($1::json) WHERE out_user IS NOT NULL',
    [`[${line.json}]`],
  )) as Array<{ user_quota: string }>;
  return rows[0] ? { userQuota: Number(rows[0].user_quota) } : null;
}
