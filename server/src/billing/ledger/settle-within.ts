import { AppError } from '../../shared/errors.js';
import { toLostHoldRows } from './budget-holds.js';
import { isCharge, toSettleLine } from './ledger-lines.js';
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
  if (!isCharge(charge.quota)) {
    throw new AppError('INTERNAL_ERROR', `invalid amount to charge: ${charge.quota}`);
  }
  const line = toSettleLine(reservation, charge, settledAt);
  const rows = (await transaction.query(
    'SELECT out_user, user_quota, out_uncharged FROM ledger_settle_calls($1::json) WHERE out_missing IS NULL',
    [`[${line.json}]`],
  )) as Array<{ out_user: number | null; user_quota: string; out_uncharged: string | null }>;
  const owner = rows.find((row) => row.out_user !== null);
  const uncharged = Number(rows.find((row) => row.out_uncharged !== null)?.out_uncharged ?? 0);
  return owner ? { userQuota: line.isOfPlan ? null : Number(owner.user_quota), uncharged } : null;
}

/** Releases a reservation inside the caller's transaction. Afterwards call the ledger's `release`, too. */
export async function releaseWithin(transaction: Transaction, { requestId }: Reservation): Promise<void> {
  await transaction.query('SELECT ledger_release($1, false)', [[requestId]]);
}

/**
 * Returns the windows and the plan that a reservation is paid from, for `returnToPlan`.
 * @returns null when the balance pays
 */
export const planHoldsOf = (reservation: Reservation): object[] | null =>
  reservation.subscriptionId === undefined ? null : toLostHoldRows(reservation.budgets ?? [], reservation);

/** A charge that a plan paid and that is returned to it. */
export interface PlanReturn {
  readonly holds: object[];
  readonly amount: number;
  /** Whether the charge has a log row. */
  readonly isLogged: boolean;
}

/**
 * Returns a charge to the windows of the plan that paid it, in the caller's transaction, which has returned it to the
 * balance. The row of the user must be locked.
 */
export async function returnToPlan(transaction: Transaction, { holds, amount, isLogged }: PlanReturn): Promise<void> {
  await transaction.query('SELECT ledger_return_to_plan($1::jsonb, $2, $3)', [JSON.stringify(holds), amount, isLogged]);
}
