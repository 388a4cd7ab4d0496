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
    'SELECT out_user, user_quota, out_uncharged FROM ledger_settle_calls($1::json) WHERE out_missing IS NULL',
    [`[${line.json}]`],
  )) as Array<{ out_user: number | null; user_quota: string; out_uncharged: string | null }>;
  const owner = rows.find((row) => row.out_user !== null);
  const uncharged = Number(rows.find((row) => row.out_uncharged !== null)?.out_uncharged ?? 0);
  return owner ? { userQuota: Number(owner.user_quota), uncharged } : null;
}
