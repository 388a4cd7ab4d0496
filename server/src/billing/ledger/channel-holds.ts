import { isUnavailable } from './group-commit.js';
import type { BudgetHold, BudgetRefusal } from './budget-holds.js';
import { unavailable } from './ledger-errors.js';
import type { SettleLine } from './ledger-lines.js';
import type { LedgerSql } from './ledger-sql.js';

interface ChannelHoldsDeps {
  readonly sql: Pick<LedgerSql, 'addBudgets' | 'dropBudgets'>;
  readonly logger: { warn(details: object, message: string): void };
  /** Whether the call with this reservation is running. */
  readonly isOpen: (requestId: string) => boolean;
  /** Notified when the database does not respond. */
  readonly databaseUnavailable: (error: unknown) => void;
}

/**
 * Holds of budgets of channels. They are added to the reservation of a running call for each channel that is about to
 * serve it, and released when that channel did not serve it. The release runs in the background; the call's next hold
 * and its end wait for it.
 */
export class ChannelHolds {
  /** Holds that are being released, by request. */
  private readonly dropping = new Map<string, Promise<void>>();
  /** Budgets that may still be reserved for channels that did not serve the call, by request. */
  private readonly undropped = new Map<string, readonly number[]>();

  constructor(private readonly deps: ChannelHoldsDeps) {}

  /**
   * @returns the budget that has no room; null when all have
   * @throws UnavailableError
   */
  async add(requestId: string, holds: readonly BudgetHold[]): Promise<BudgetRefusal | null> {
    const { sql, databaseUnavailable } = this.deps;
    await this.dropping.get(requestId);
    try {
      const undropped = this.undropped.get(requestId);
      if (undropped) {
        await sql.dropBudgets(requestId, undropped);
        this.undropped.delete(requestId);
      }
      return await sql.addBudgets(requestId, holds);
    } catch (error) {
      // The holds may exist, because the failure does not tell.
      this.noteUndropped(requestId, holds);
      if (isUnavailable(error)) databaseUnavailable(error);
      throw unavailable(error);
    }
  }

  /** Releases holds. Never rejects: the call's settlement or release repeats a release that failed. */
  drop(requestId: string, holds: readonly BudgetHold[]): Promise<void> {
    const { sql, logger } = this.deps;
    const dropped = Promise.all([this.dropping.get(requestId), sql.dropBudgets(requestId, idsOf(holds))])
      .catch((error: unknown) => {
        this.noteUndropped(requestId, holds);
        logger.warn({ err: error, requestId }, 'budgets of a channel could not be returned');
      })
      .then(() => {
        if (this.dropping.get(requestId) === dropped) this.dropping.delete(requestId);
      });
    this.dropping.set(requestId, dropped);
    return dropped;
  }

  /** Returns the end of the running release of the call's holds; undefined when none runs. */
  dropped(requestId: string): Promise<void> | undefined {
    return this.dropping.get(requestId);
  }

  /** Returns a settlement line that releases the holds whose release failed. */
  withUndropped(line: SettleLine): SettleLine {
    const drop = this.undropped.get(line.requestId);
    if (!drop) return line;
    this.undropped.delete(line.requestId);
    return { ...line, drop };
  }

  /** Forgets a call whose reservation was released with all its holds. */
  forget(requestId: string): void {
    this.undropped.delete(requestId);
  }

  /** Resolves when no release is running. */
  async drained(): Promise<void> {
    await Promise.all(this.dropping.values());
  }

  private noteUndropped(requestId: string, holds: readonly BudgetHold[]): void {
    if (!this.deps.isOpen(requestId)) return;
    this.undropped.set(requestId, [...(this.undropped.get(requestId) ?? []), ...idsOf(holds)]);
  }
}

const idsOf = (holds: readonly BudgetHold[]): number[] => holds.map(({ budgetId }) => budgetId);
