/**
 * The budgets that refused calls of this node since their notices were last sent: at most one number for each budget. A call
 * only leaves a note, so that nothing waits for a notice.
 */
export class BudgetRefusals {
  private left = new Map<number, number>();

  /** @param left the amount of the budget that was too little for a call */
  note(budgetId: number, left: number): void {
    this.left.set(budgetId, Math.max(left, this.left.get(budgetId) ?? 0));
  }

  /** Ends the notes. @returns the largest amount that was too little, by budget */
  take(): ReadonlyMap<number, number> {
    const { left } = this;
    if (left.size > 0) this.left = new Map();
    return left;
  }
}
