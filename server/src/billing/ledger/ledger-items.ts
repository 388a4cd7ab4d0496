import type { SettleLine } from './ledger-lines.js';
import type { ReserveRequest, Settled } from './ledger.js';

/** Items of the ledger's queues. */

interface Waiting<Result> {
  readonly done: (result: Result) => void;
  readonly failed: (error: unknown) => void;
}

export interface ReserveItem extends Waiting<void> {
  readonly request: ReserveRequest;
  readonly json: string;
}

export interface SettleItem extends Waiting<Settled> {
  readonly line: SettleLine;
  /** Set when this node never released the reservation. If it is missing, it may have been lost. */
  readonly owned: boolean;
}

export interface ReleaseItem {
  readonly requestId: string;
  readonly done: () => void;
}
