export { BudgetError, type BudgetHold, type BudgetRefusal } from './budget-holds.js';
export { ChargeCheckpoints, type UnsettledCharge } from './charge-checkpoints.js';
export { durationBucket } from './ledger-lines.js';
export {
  type Charge,
  type Ledger,
  type PostEntry,
  type Posting,
  QuotaError,
  type Reservation,
  type ReserveRequest,
  SubscriptionEndedError,
  type Transaction,
} from './ledger.js';
export { postEntry } from './post-entry.js';
export { PostgresLedger } from './postgres-ledger.js';
export { reconcile } from './reconcile.js';
export { balancePayer, SessionLedger, type SessionPayer, type TurnReservation } from './session-ledger.js';
export { planHoldsOf, releaseWithin, returnToPlan, settleWithin } from './settle-within.js';
export { type RowPart, splitRow } from './split-row.js';
export { watchSpool } from './spool-status.js';
export { Spool } from './spool.js';
