import { AppError } from '../../shared/errors.js';
import { isQuota } from '../../shared/quota.js';
import { toSettleLine } from './ledger-lines.js';
import type { Charge, Reservation, Settled, Transaction } from './ledger.js';

/**
 * Charges a reservation inside the caller's transaction, for charges that must commit together with another row.
 * Afterwards call the ledger's `release` for the reservation: after a commit it releases nothing, after a rollback all
 * of it.
 * @param settledAt Unix seconds
 * @param reservation must be `durable`
 * @returns null when the reservation was settled or released before
 * @throws AppError INTERNAL_ERROR for a negative or unstorable charge
 */
export async function settleWithin(
  transaction: Transaction,
  reservation: Reservation,
  charge: Charge,
  settledAt: number,
): Promise<Settled | null> {
  if (!isQuota(charge.quota) || charge.quota < 0) {
    throw new AppError('INTERNAL_ERROR', `invalid amount to charge: ${charge.quota}`);
  }
  const line = toSettleLine(reservation, charge, settledAt);
  const rows = (await transaction.query(
    'SELECT user_quota FROM ledger_settle_calls($1::json) WHERE out_user IS NOT NULL',
    [`[${line.json}]`],
  )) as Array<{ user_quota: string }>;
  return rows[0] ? { userQuota: Number(rows[0].user_quota), uncharged: 0 } : null;
}
